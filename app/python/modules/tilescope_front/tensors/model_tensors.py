# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors of models that are being put together: an operation on one becomes a part of its model."""


class ModelTensor:
    def with_operation(self, function, args, kwargs):
        """What a function gives that was called on such tensors."""
        raise NotImplementedError


def first_of(values):
    """The first such tensor among values and the lists in them; None where there is none."""
    for each in values:
        for inner in each if isinstance(each, (list, tuple)) else (each,):
            if isinstance(inner, ModelTensor):
                return inner
    return None
