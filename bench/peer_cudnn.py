# SPDX-License-Identifier: MIT
"""cudnnSoftmaxForward through ctypes: its header's few constants stand here."""
import ctypes
import ctypes.util
import pathlib

NCHW, ACCURATE, OVER_CHANNELS = 0, 1, 1
TYPES = {"f32": 0, "f16": 2, "bf16": 9}


def load():
    """The library that torch brought along, or the system's."""
    places = ["libcudnn.so.9", "libcudnn.so.8", ctypes.util.find_library("cudnn")]
    try:
        import nvidia.cudnn
        places[:0] = map(str, pathlib.Path(nvidia.cudnn.__path__[0]).glob("lib/libcudnn.so.*"))
    except ImportError:
        pass
    for place in filter(None, places):
        try:
            return ctypes.CDLL(place)
        except OSError:
            pass
    raise ImportError("no libcudnn.so.9 or libcudnn.so.8")


class Softmax:
    """A handle with a descriptor of the last shape that was asked for."""

    def __init__(self):
        self.lib = load()
        self.lib.cudnnGetVersion.restype = ctypes.c_size_t
        self.lib.cudnnGetErrorString.restype = ctypes.c_char_p
        self.version = str(self.lib.cudnnGetVersion())
        self.handle, self.like = ctypes.c_void_p(), ctypes.c_void_p()
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)
        self.check(self.lib.cudnnCreate(ctypes.byref(self.handle)), "cudnnCreate")
        self.check(self.lib.cudnnCreateTensorDescriptor(ctypes.byref(self.like)),
                   "cudnnCreateTensorDescriptor")

    def check(self, status, call):
        if status:
            raise RuntimeError(f"{call}: {self.lib.cudnnGetErrorString(status).decode()}")

    def shape(self, case):
        self.check(self.lib.cudnnSetTensor4dDescriptor(
            self.like, NCHW, TYPES[case["type"]], case["rows"], case["cols"], case["inner"], 1),
            "cudnnSetTensor4dDescriptor")

    def forward(self, x, y):
        """Softmax over the columns of packed tensors of that shape, on the default stream."""
        self.check(self.lib.cudnnSoftmaxForward(
            self.handle, ACCURATE, OVER_CHANNELS, ctypes.byref(self.one), self.like,
            ctypes.c_void_p(x.data_ptr()), ctypes.byref(self.zero), self.like,
            ctypes.c_void_p(y.data_ptr())), "cudnnSoftmaxForward")
