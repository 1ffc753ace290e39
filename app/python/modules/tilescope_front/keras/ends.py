# SPDX-License-Identifier: GPL-3.0-or-later
"""What layers say of the tensors that they were called on, and of what they made of them."""


def _shapes(tensors):
    return [tuple(each.shape) for each in tensors] if isinstance(tensors, list) else tuple(tensors.shape)


class Ends:
    """Of each call, or of the only one."""

    def _end(self, which, node_index=0):
        """The tensors of a call, or of the only one: "inputs" or "outputs"."""
        calls = [each for each in self.calls if each.counts]
        if not calls:
            raise AttributeError(f"Layer {self.name} has no inbound nodes: call it on Keras tensors first.")
        tensors = getattr(calls[node_index], which) or calls[node_index].outputs  # an input's are its own
        return tensors[0] if len(tensors) == 1 else list(tensors)

    def _only_end(self, which):
        if sum(each.counts for each in self.calls) > 1:
            raise AttributeError(f'Layer "{self.name}" has multiple inbound nodes, hence the notion of "layer {which[:-1]}" is ill-defined. '
                                 f"Use `get_{which[:-1]}_at(node_index)` instead.")
        return self._end(which)

    # What models say of themselves is kept under another name.
    input = property(lambda self: vars(self)["input_"] if "input_" in vars(self) else self._only_end("inputs"),
                     lambda self, value: vars(self).update(input_=value))
    output = property(lambda self: vars(self)["output_"] if "output_" in vars(self) else self._only_end("outputs"),
                      lambda self, value: vars(self).update(output_=value))
    input_shape = property(lambda self: _shapes(self._end("inputs")))
    output_shape = property(lambda self: _shapes(self._end("outputs")))

    def get_input_at(self, node_index):
        return self._end("inputs", node_index)

    def get_output_at(self, node_index):
        return self._end("outputs", node_index)

    def get_input_shape_at(self, node_index):
        return _shapes(self._end("inputs", node_index))

    def get_output_shape_at(self, node_index):
        return _shapes(self._end("outputs", node_index))
