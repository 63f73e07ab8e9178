#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Train a linear classifier of handwritten digits and write its logits for all of them.

Real logits for the examples: multinomial logistic regression on the 1797 images
that scikit-learn carries, written as digits_logits.npy beside this file, with the
images themselves as digits_pixels.npy and what they show as digits_labels.npy.
"""
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

CLASSES = 10
SEED = 2024
PENALTY = 1e-3  # on the weights, not the bias, for the mean cross-entropy
STEPS = 2000
RATE, MOMENTUM = 0.5, 0.9


def log_softmax(z):
    z = z - z.max(axis=1, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=1, keepdims=True))


def train(x, labels):
    """Full-batch gradient descent with momentum: weights (64, 10) and bias (10)."""
    wanted = np.eye(CLASSES)[labels]
    weights, bias = np.zeros((x.shape[1], CLASSES)), np.zeros(CLASSES)
    w_speed, b_speed = np.zeros_like(weights), np.zeros_like(bias)
    for _ in range(STEPS):
        slope = (np.exp(log_softmax(x @ weights + bias)) - wanted) / len(x)
        w_speed = MOMENTUM * w_speed - RATE * (x.T @ slope + PENALTY * weights)
        b_speed = MOMENTUM * b_speed - RATE * slope.sum(axis=0)
        weights, bias = weights + w_speed, bias + b_speed
    return weights, bias


def show(part, logits, labels):
    right = logits.argmax(axis=1) == labels
    each = log_softmax(logits.astype(np.float64))
    loss = -each[np.arange(len(labels)), labels].mean()
    print(f"{part}: {right.sum()} of {len(labels)} right, {right.mean():.2%}, "
          f"mean cross-entropy {loss:.4f}")


def main():
    images, labels = load_digits(return_X_y=True)
    x = images / 16
    order = np.random.RandomState(SEED).permutation(len(x))
    train_rows, held_out = np.split(order, [len(x) * 4 // 5])
    weights, bias = train(x[train_rows], labels[train_rows])
    logits = (x @ weights + bias).astype("<f4")
    folder = Path(__file__).resolve().parent
    np.save(folder / "digits_logits.npy", logits)
    np.save(folder / "digits_labels.npy", labels.astype("u1"))
    np.save(folder / "digits_pixels.npy", images.astype("u1"))
    show("training part", logits[train_rows], labels[train_rows])
    show("held-out fifth", logits[held_out], labels[held_out])
    show("all", logits, labels)


if __name__ == "__main__":
    main()
