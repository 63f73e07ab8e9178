# SPDX-License-Identifier: MIT
"""What each peer calls for an operation and a form: data for peers.py. A peer's time()
gives the median seconds of a case, or None where it has no such thing."""
import os
import pathlib
import re
from functools import partial

from peer_clock import Inputs, set_count, shape_of, time_on_gpu, time_on_host

TRITON_AND_CUDNN = ("softmax", "plain")  # the one operation and form that they are timed on


def places(case):
    """How many of the largest a case wants: of 8 the form is "k8"."""
    form = case["form"]
    return int(form[1:]) if re.fullmatch(r"k\d+", form) else 1 if form == "plain" else None


class OnGpu:
    """What peers that take torch's tensors share."""

    def __init__(self, _):
        import torch
        if not torch.cuda.is_available():
            raise RuntimeError("torch finds no CUDA device")
        self.torch, self.inputs = torch, Inputs(torch)
        self.device = torch.cuda.get_device_name(0)
        self.version = torch.__version__

    def time(self, case, seconds):
        calls = self.calls(case)
        return calls and time_on_gpu(self.torch, calls, seconds)

    def recover(self):
        self.inputs.forget()

    def pairs(self, case):
        """x and y of each set."""
        return zip(self.inputs.tensors(case), self.inputs.tensors(case, "y"))


class Torch(OnGpu):
    """As a program would write it; what torch has no kernel for is several."""

    name = "torch"

    def mask(self, case):
        t, (rows, cols) = self.torch, (case["rows"], case["cols"])
        queries = min(rows, cols)
        square = t.ones(queries, cols, dtype=t.bool, device=self.inputs.where).tril(cols - queries)
        return square.repeat(-(-rows // queries), 1)[:rows]

    def softmax(self, case):
        t, soft = self.torch, self.torch.softmax
        form = case["form"]
        if form == "plain":
            return lambda x: soft(x, 1)
        if form == "scale":
            return lambda x: soft(x * 0.125, 1)
        if form == "f32_mask":
            added = t.randn(case["cols"], device=self.inputs.where)
            return lambda x: soft(x + added.to(x.dtype), 1)
        if form in ("bool_mask", "causal"):
            hidden = (~self.mask(case) if form == "causal" else
                      t.zeros(shape_of(case), dtype=t.bool, device=self.inputs.where))
            return lambda x: soft(x.masked_fill(hidden, -float("inf")), 1)
        return None

    def log_sum_exp(self, case):
        return (lambda x: self.torch.logsumexp(x, 1)) if case["form"] == "plain" else None

    def backward(self, call, case):
        dtype = self.inputs.types[case["type"]]
        return lambda y, dy: call(dy, y, 1, dtype)

    def targets(self, case):
        rows, cols, inner = case["rows"], case["cols"], case["inner"]
        shape = (rows, inner) if inner > 1 else (rows,)
        return self.torch.randint(0, cols, shape, device=self.inputs.where)

    def cross_entropy_loss(self, case):
        call, targets = self.torch.nn.functional.cross_entropy, self.targets(case)
        return lambda x: call(x, targets, reduction="none")

    def log_softmax(self, case):
        return (lambda x: self.torch.log_softmax(x, 1)) if case["form"] == "plain" else None

    def topk(self, case):
        t, k = self.torch, places(case)
        return k and (lambda x: t.topk(t.softmax(x, 1), k, 1))

    def cross_entropy(self, case):
        """The loss and its gradient, one forward and one backward pass."""
        t, targets = self.torch, self.targets(case)

        def both(x):
            x = x.detach().requires_grad_()
            loss = t.nn.functional.cross_entropy(x, targets)
            return t.autograd.grad(loss, x)[0]
        return both

    def function(self, case):
        """What is called, and with how many tensors as large as x."""
        t = self.torch
        table = {
            "softmax": (self.softmax, 1),
            "log_softmax": (self.log_softmax, 1),
            "log_sum_exp": (self.log_sum_exp, 1),
            "cross_entropy_loss": (self.cross_entropy_loss, 1),
            "cross_entropy": (self.cross_entropy, 1),
            "topk": (self.topk, 1),
            "softmax_backward": (partial(self.backward, t._softmax_backward_data), 2),
            "log_softmax_backward": (partial(self.backward, t._log_softmax_backward_data), 2),
        }
        make, inputs = table.get(case["op"], (lambda case: None, 1))
        return make(case), inputs

    def calls(self, case):
        call, inputs = self.function(case)
        if not call:
            return None
        sets = [self.inputs.tensors(case, name, inputs + 1) for name in ("x", "dy")[:inputs]]
        return [partial(call, *tensors) for tensors in zip(*sets)]


class TorchCpu(Torch):
    """On all processors and with the widest vectors, which it does not take by itself
    everywhere; into tensors that are there, as allocating them takes longer."""

    name = "torch-cpu"

    def __init__(self, _):
        flags = pathlib.Path("/proc/cpuinfo").read_text().split()
        widest = next((w for w in ("avx512", "avx2") if w in flags or w + "f" in flags), "")
        if widest:
            os.environ.setdefault("ATEN_CPU_CAPABILITY", widest)
        os.environ.setdefault("OMP_PROC_BIND", "true")  # a processor for each thread
        threads = len(os.sched_getaffinity(0))  # before its OpenMP binds this one
        import torch
        torch.set_num_threads(threads)
        self.torch, self.inputs = torch, Inputs(torch, "cpu")
        self.device = f"{threads} threads, {os.environ.get('ATEN_CPU_CAPABILITY')}"
        self.version = torch.__version__

    def time(self, case, seconds):
        calls = self.calls(case)
        return calls and time_on_host(calls, lambda y: y, seconds)

    def calls(self, case):
        if case["op"] == "softmax" and case["form"] in ("plain", "unaligned"):
            return [partial(self.torch.softmax, x, 1, out=y) for x, y in self.pairs(case)]
        return super().calls(case)


class Compiled(Torch):
    """torch.compile of the same, for a few lengths only."""

    name = "torch.compile"

    def __init__(self, cols):
        super().__init__(cols)
        self.cols = set(cols)

    def function(self, case):
        call, inputs = super().function(case)
        if not call or case["cols"] not in self.cols:
            return None, inputs
        self.torch._dynamo.reset()  # each shape is compiled for itself
        return self.torch.compile(call, dynamic=False), inputs


class Triton(OnGpu):
    name = "triton"

    def __init__(self, _):
        super().__init__(_)
        import triton
        import peer_triton
        self.version, self.launch = triton.__version__, peer_triton.launch

    def calls(self, case):
        if (case["op"], case["form"]) != TRITON_AND_CUDNN or case["inner"] > 1:
            return None
        return [partial(self.launch, x, y) for x, y in self.pairs(case)]


class Cudnn(OnGpu):
    name = "cudnn"

    def __init__(self, _):
        super().__init__(_)
        import peer_cudnn
        self.cudnn = peer_cudnn.Softmax()
        self.version = self.cudnn.version

    def calls(self, case):
        if (case["op"], case["form"]) != TRITON_AND_CUDNN:
            return None
        self.cudnn.shape(case)
        return [partial(self.cudnn.forward, x, y) for x, y in self.pairs(case)]


class Jax:
    """jit of jax.nn.softmax, of logsumexp, and of lax.top_k of a softmax, on the host's
    clock: short cases are bound by the time that a call takes there, and their inputs stay in
    the cache."""

    name = "jax"

    def __init__(self, _):
        import jax
        self.jax, self.version = jax, jax.__version__
        self.device = str(jax.devices()[0])
        if jax.default_backend() not in ("gpu", "cuda"):
            raise RuntimeError(f"jax has no GPU, only {self.device}")
        self.types = {"f32": jax.numpy.float32, "f16": jax.numpy.float16,
                      "bf16": jax.numpy.bfloat16}
        nn = jax.nn
        self.functions = {"softmax": jax.jit(lambda x: nn.softmax(x, axis=1)),
                          "log_sum_exp": jax.jit(lambda x: nn.logsumexp(x, axis=1))}
        self.topk = jax.jit(lambda x, k: jax.lax.top_k(nn.softmax(x, axis=1), k),
                            static_argnums=1)
        import numpy
        self.numpy, self.some = numpy, numpy.random.default_rng(1).standard_normal(1 << 20)

    def function(self, case):
        if case["op"] == "topk":
            k = places(case)
            return k and (lambda x: self.topk(x, k)[0])
        return self.functions.get(case["op"]) if case["form"] == "plain" else None

    def time(self, case, seconds):
        function = self.function(case)
        if not function or case["type"] not in self.types:
            return None
        n = min(set_count(case), 64)  # each is an array of its own
        some = self.some.astype(self.types[case["type"]])
        first = self.jax.device_put(self.numpy.resize(some, shape_of(case)))
        sets = [first] + [first.copy() for _ in range(n - 1)]
        calls = [partial(function, x) for x in sets]
        return time_on_host(calls, lambda y: y.block_until_ready(), seconds)

    def recover(self):
        self.jax.clear_caches()
