# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of tensors in graphs of TensorFlow 1 whose extents are open until a session is fed."""
import tilescope_engine as engine

from .. import host

# An open extent as a number, twice: what follows from it differs then. Those with many divisors come first, and smaller ones for
# what would be too large for an IPU.
_TRIALS = ((25200, 50400), (840, 1680), (12, 24), (2, 4), (1, 2))


def tried(of_extent):
    """What `of_extent` gives for each of two numbers in the place of open extents. None where no number will do."""
    for trials in _TRIALS:
        try:
            return [of_extent(extent) for extent in trials]
        except engine.Error:
            continue
    return None


def merged(of_extent):
    """(element type, extents) as `of_extent` gives them for a number in the place of open extents; what follows it is open.
    None where no number will do."""
    found = tried(of_extent)
    return found and [(dtype, [m if m == n else None for m, n in zip(dims, again)]) for (dtype, dims), (_, again) in zip(*found)]


def inferred(kind, inputs, attributes):
    """What an operation gives for inputs of which some have open extents."""
    def of_extent(extent):
        shapes = [closed(each.dims, extent) for each in inputs]
        settled = settle(kind, attributes, shapes[0])
        return host.run().infer_types(kind, [(each.dtype.in_engine, dims) for each, dims in zip(inputs, shapes)], settled)
    return merged(of_extent)


def closed(dims, extent):
    return [extent if d is None else d for d in dims]


def merged_steps(steps, again):
    """A recipe (operations/recipes.py) for open extents of those for two numbers in their place: the one extent of a reshape that follows
    the number is what is left, -1. None where more of it follows the number."""
    if len(steps) != len(again):
        return None
    made = []
    for (kind, operands, attributes), (other_kind, other_operands, others) in zip(steps, again):
        shape = attributes.get("shape") if kind == "reshape" else None
        if shape is not None and len(shape) == len(others["shape"]):
            shape = [m if m == n else -1 for m, n in zip(shape, others["shape"])]
            attributes, others = ({**each, "shape": shape} for each in (attributes, others))
        if (kind, operands, attributes) != (other_kind, other_operands, others) or shape is not None and shape.count(-1) > 1:
            return None
        made.append((kind, operands, attributes))
    return made


def is_open(tensor):
    return hasattr(tensor, "op") and (tensor.dims is None or None in tensor.dims)


def settle(kind, attributes, dims):
    """The settings of an operation whose first input has these extents: the end of an open axis is where that is."""
    if kind == "slice" and -1 in attributes["size"]:
        begins = [min(b, d) if s == -1 else b for b, s, d in zip(attributes["begin"], attributes["size"], dims)]
        sizes = [d - b if s == -1 else s for b, s, d in zip(begins, attributes["size"], dims)]
        return {**attributes, "begin": begins, "size": sizes}
    if kind == "take" and attributes["indices"] is None:  # backwards
        return {**attributes, "indices": list(range(dims[attributes["axis"]]))[::-1]}
    return attributes
