# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on float64 and whole numbers, which the host computes, beside the engine's own of float32 and int32: on numbers that both
have they say the same."""
import numpy as np
from tilescope_front import host
from tilescope_front.operations import wide_numbers

random = np.random.default_rng(0)
signed = np.concatenate([random.normal(size=18), [-2.5, -1.5, -0.5, 0.0, 0.5, 1.5]]).reshape(4, 6)
positive, other = np.abs(signed) + 0.25, random.normal(size=(4, 6))
whole, few = random.integers(-9, 9, (4, 6)), random.integers(1, 5, (4, 6))
places = np.array([[0, 3], [9, 1]], np.int32)  # of which one is not there
_ROOTS = ("log", "sqrt", "rsqrt", "reciprocal")
_OF_BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
UNARY = {kind: ([positive if kind in _ROOTS else signed], {}) for kind in wide_numbers._UNARY}
BINARY = {kind: ([positive, other], {}) for kind in wide_numbers._BINARY if kind not in _OF_BITS}
OTHERS = {
    **{f"reduce_{each}": ([signed], {"axes": [1], "keep_dims": each == "sum"}) for each in ("sum", "prod", "mean", "max", "min")},
    "matmul": ([signed, other], {"transpose_a": False, "transpose_b": True}), "softmax": ([signed], {}), "log_softmax": ([signed], {}),
    "select": ([signed > 0, signed, other], {}), "slice": ([signed], {"begin": [1, 2], "size": [2, 3]}),
    "split": ([signed], {"axis": 1, "sizes": [1, 2, 3]}), "pad": ([signed], {"before": [1, 0], "after": [0, 2], "value": 1.5}),
    "gather": ([signed, places], {"axis": 0}), "gather_nd": ([signed, places], {}), "top_k": ([np.round(signed)], {"k": 3}),
    "scatter_nd": ([signed, places, other[0, :2]], {"reduction": "add"}), "argmax": ([np.round(signed)], {"axis": 1}),
    "take": ([signed], {"axis": 1, "indices": [5, 0, 0]}), "broadcast_to": ([signed[:1]], {"shape": [3, 6]}),
    "reshape": ([signed], {"shape": [3, 8]}), "transpose": ([signed], {"permutation": [1, 0]}), "concatenate": ([signed, other], {"axis": 0}),
    "elu": ([signed], {"alpha": 0.5}), "leaky_relu": ([signed], {"alpha": 0.1})}
WHOLE = {kind: ([whole, few], {}) for kind in (*_OF_BITS, "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "equal", "less")}
WHOLE |= {"bitwise_not": ([whole], {}), "reduce_sum": ([whole], {"axes": [0], "keep_dims": False})}


def differ(examples, wide, narrow):
    """The operators whose numbers are not the same, where the engine has them for this type."""
    found = []
    for kind, (arrays, attributes) in examples.items():
        of = [[each.astype(dtype) if each.dtype.kind in "fi" and each is not places else each for each in arrays] for dtype in (wide, narrow)]
        ours, engines = wide_numbers.compute(kind, of[0], attributes), host.run().compute(kind, of[1], attributes)
        if not all(a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(ours, engines, strict=True)):
            found.append(kind)
    return found


print("of reals", differ({**UNARY, **BINARY, **OTHERS}, np.float64, np.float32))
print("of whole numbers", differ(WHOLE, np.int64, np.int32))
print("not compared", set(wide_numbers._TABLE) - {*UNARY, *BINARY, *OTHERS, *WHOLE})
