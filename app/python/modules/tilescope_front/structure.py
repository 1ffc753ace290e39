# SPDX-License-Identifier: GPL-3.0-or-later
"""Nested structures, as tf.nest sees them: tuples, named tuples, lists and dictionaries; what is else is a leaf."""


def flatten(structure):
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for each in structure for leaf in flatten(each)]
    return [structure]


def flatten_up_to(structure, given):
    """The parts of `given` where `structure` has its leaves; None where it is not nested in that way."""
    if isinstance(structure, dict):
        if not isinstance(given, dict) or set(given) != set(structure):
            return None
        parts = [flatten_up_to(structure[key], given[key]) for key in sorted(structure)]
    elif isinstance(structure, (list, tuple)):
        if not isinstance(given, (list, tuple)) or len(given) != len(structure):
            return None
        parts = [flatten_up_to(part, each) for part, each in zip(structure, given)]
    else:
        return [given]
    return None if any(each is None for each in parts) else [leaf for each in parts for leaf in each]


def pack_like(structure, leaves):
    """The leaves in the form of `structure`."""
    rest = iter(leaves)

    def pack(part):
        if isinstance(part, dict):
            packed = {key: pack(part[key]) for key in sorted(part)}
            return {key: packed[key] for key in part}
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*[pack(each) for each in part])
        if isinstance(part, (list, tuple)):
            return type(part)([pack(each) for each in part])
        return next(rest)

    return pack(structure)


def map_structure(function, *structures):
    columns = [flatten(each) for each in structures]
    return pack_like(structures[0], [function(*leaves) for leaves in zip(*columns)])
