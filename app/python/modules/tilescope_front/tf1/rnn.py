# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.nn.rnn_cell and dynamic_rnn of TensorFlow 1: cells with variables, called step by step. The loop is unrolled, as far as
the sequence is long."""
import collections

from ..tracing import graph_variables as variables, variable_scopes
from ..tensors import graph
from .. import failures, host
from ..operations import initializers, array as array_operations, elementary as operations, random as random_operations
from ..structure import flatten, map_structure, pack_like

MOST_STEPS = 1000
LSTMStateTuple = collections.namedtuple("LSTMStateTuple", ("c", "h"))


class RNNCell:
    """What a cell is: called with the inputs of a step and its state, it gives the step's outputs and the next state."""

    scope_name = "rnn_cell"

    def __init__(self, activation=None, reuse=None, name=None, dtype=None):
        self.activation, self.reuse_, self.name = activation, reuse, name
        self.calls = 0

    def zero_state(self, batch_size, dtype=graph.DEFAULT):
        return pack_like(self.state_size, [operations.zeros([batch_size, size], dtype)
                                           for size in flatten(self.state_size)])

    def __call__(self, inputs, state, scope=None):
        x = graph.convert(inputs)
        reuse = True if self.calls else self.reuse_
        with variable_scopes.variable_scope(scope if isinstance(scope, str) else self.name or self.scope_name, reuse=reuse):
            made = self.call(x, state)
        self.calls += 1
        return made

    def _gates(self, x, count, scope="", bias="zeros"):
        """x times the kernel, with the bias."""
        prefix = scope + "/" if scope else ""
        kernel = variables.get_variable(prefix + "kernel", [x.dims[-1], count], x.dtype)
        return operations.add(operations.matmul(x, kernel), variables.get_variable(
            prefix + "bias", [count], x.dtype, initializers.INITIALIZERS[bias]() if isinstance(bias, str) else bias))


class BasicRNNCell(RNNCell):
    """h = tanh(W [x, h] + b)."""

    scope_name = "basic_rnn_cell"

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, trainable=True):
        super().__init__(activation or operations.tanh, reuse, name)
        self.state_size = self.output_size = num_units

    def call(self, x, state):
        h = self.activation(self._gates(operations.concat([x, state], 1), self.output_size))
        return h, h


class BasicLSTMCell(RNNCell):
    """i, j, f, o = W [x, h] + b; c = c sigmoid(f + forget_bias) + sigmoid(i) act(j); h = act(c) sigmoid(o)."""

    scope_name = "basic_lstm_cell"
    proj, peepholes, cell_clip, proj_clip = None, False, None, None

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None,
                 trainable=True):
        super().__init__(activation or operations.tanh, reuse, name)
        self.units, self.forget_bias, self.of_pair = num_units, forget_bias, state_is_tuple
        self.output_size = self.proj or num_units
        self.state_size = LSTMStateTuple(num_units, self.output_size) if state_is_tuple else num_units + self.output_size

    def _peep(self, gate, c, name):
        """A gate that sees the state as well, each unit its own."""
        if not self.peepholes:
            return gate
        return operations.add(gate, operations.multiply(c, variables.get_variable(f"w_{name}_diag", [self.units], c.dtype)))

    def call(self, x, state):
        c, h = state if self.of_pair else operations.split(state, [self.units, self.output_size], 1)
        i, j, f, o = operations.split(self._gates(operations.concat([x, h], 1), 4 * self.units), 4, 1)
        sigmoid = operations.sigmoid
        forget, taken = self._peep(operations.add(f, self.forget_bias), c, "f"), self._peep(i, c, "i")
        c = operations.add(operations.multiply(c, sigmoid(forget)), operations.multiply(sigmoid(taken), self.activation(j)))
        c = c if self.cell_clip is None else operations.clip_by_value(c, -float(self.cell_clip), float(self.cell_clip))
        h = operations.multiply(self.activation(c), sigmoid(self._peep(o, c, "o")))
        if self.proj is not None:
            h = operations.matmul(h, variables.get_variable("projection/kernel", [self.units, self.proj], h.dtype))
            h = h if self.proj_clip is None else operations.clip_by_value(h, -float(self.proj_clip), float(self.proj_clip))
        return h, LSTMStateTuple(c, h) if self.of_pair else operations.concat([c, h], 1)


class LSTMCell(BasicLSTMCell):
    """The same, with peepholes from the state to the gates, and h projected; both may be kept within bounds."""

    scope_name = "lstm_cell"

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None,
                 num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, trainable=True):
        self.peepholes, self.cell_clip, self.proj, self.proj_clip = use_peepholes, cell_clip, num_proj, proj_clip
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, name)
        self.initializer = initializer

    def call(self, x, state):
        with variable_scopes.variable_scope("", initializer=self.initializer):
            return super().call(x, state)


class GRUCell(RNNCell):
    """r, u = sigmoid(W [x, h] + b); h = u h + (1 - u) act(V [x, r h] + d)."""

    scope_name = "gru_cell"

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None,
                 dtype=None, trainable=True):
        super().__init__(activation or operations.tanh, reuse, name)
        self.kernel, self.bias = kernel_initializer, bias_initializer
        self.state_size = self.output_size = num_units

    def call(self, x, state):
        with variable_scopes.variable_scope("", initializer=self.kernel):
            return self._step(x, state)

    def _step(self, x, state):
        both = operations.sigmoid(self._gates(operations.concat([x, state], 1), 2 * self.output_size, "gates", self.bias or "ones"))
        r, u = operations.split(both, 2, 1)
        fresh = self._gates(operations.concat([x, operations.multiply(r, state)], 1), self.output_size, "candidate", self.bias or "zeros")
        h = operations.add(operations.multiply(u, state),
                           operations.multiply(operations.subtract(1.0, u), self.activation(fresh)))
        return h, h


class MultiRNNCell(RNNCell):
    """Cells one after another."""

    scope_name = "multi_rnn_cell"

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not state_is_tuple:
            raise failures.refused("MultiRNNCell(state_is_tuple=False)", "take the state as a tuple of the cells' states")
        self.cells = list(cells)
        self.state_size = tuple(cell.state_size for cell in self.cells)
        self.output_size = self.cells[-1].output_size

    def zero_state(self, batch_size, dtype=graph.DEFAULT):
        return tuple(cell.zero_state(batch_size, dtype) for cell in self.cells)

    def call(self, x, state):
        states = []
        for number, (cell, own) in enumerate(zip(self.cells, state)):
            with variable_scopes.variable_scope(f"cell_{number}"):
                x, own = cell(x, own)
            states.append(own)
        return x, tuple(states)


class DropoutWrapper(RNNCell):
    """A cell whose inputs and outputs are left out now and then."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False,
                 input_size=None, dtype=None, seed=None, dropout_state_filter_visitor=None):
        super().__init__()
        if state_keep_prob != 1.0:
            raise failures.refused("DropoutWrapper(state_keep_prob=…)", "leave out inputs or outputs")
        if variational_recurrent:
            raise failures.refused("DropoutWrapper(variational_recurrent=True)", "what is left out is drawn anew in each step")
        self.cell, self.kept = cell, (input_keep_prob, output_keep_prob)
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def __call__(self, inputs, state, scope=None):
        x = inputs if self.kept[0] == 1.0 else random_operations.dropout(inputs, rate=1 - self.kept[0])
        y, state = self.cell(x, state, scope)
        return (y if self.kept[1] == 1.0 else random_operations.dropout(y, rate=1 - self.kept[1])), state


def _of_running(running, outputs, state, before):
    """(outputs, state) of a step: of sequences that have ended, zeros and the state before it. `running`: bool [batch, 1]."""
    outputs = map_structure(lambda y: operations.where(running, y, operations.zeros_like(y)), outputs)
    return outputs, map_structure(lambda new, old: operations.where(running, new, old), state, before)


def _steps(cell, steps, sequence_length, initial_state, dtype, scope):
    """The outputs of each step, and the state after the last one."""
    if len(steps) > MOST_STEPS:
        raise failures.refused(f"a recurrent layer of {len(steps)} steps of cells", "it is unrolled; use ipu.rnn_ops.PopnnLSTM, "
                               "PopnnGRU or Keras' layers")
    host.tell_once("tilescope: tf.nn.dynamic_rnn and static_rnn are unrolled; ipu.rnn_ops.PopnnLSTM and Keras' layers are a "
                   "loop on the device")
    state, outputs = initial_state, []
    if state is None:
        state = cell.zero_state(operations.shape(steps[0])[0], dtype or steps[0].dtype)
    lengths = None if sequence_length is None else operations.expand_dims(operations.cast(sequence_length, "int32"), 1)
    with variable_scopes.variable_scope(scope or "rnn"):
        for t, x in enumerate(steps):
            y, after = cell(x, state)
            if lengths is not None:
                y, after = _of_running(operations.greater(lengths, t), y, after, state)
            outputs.append(y)
            state = after
    return outputs, state


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None,
                swap_memory=False, time_major=False, scope=None):
    """(outputs of all steps, the last state)."""
    along = 0 if time_major else 1
    outputs, state = _steps(cell, operations.unstack(graph.symbolic(inputs), axis=along), sequence_length, initial_state, dtype,
                            scope)
    return operations.stack(outputs, along), state


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """The same of a list of steps."""
    return _steps(cell, [graph.symbolic(each) for each in inputs], sequence_length, initial_state, dtype, scope)


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """((outputs forwards, backwards), (states forwards, backwards)): the second reads each sequence from its end."""
    x = graph.symbolic(inputs)
    along, batch = (0, 1) if time_major else (1, 0)

    def turned(each):
        if sequence_length is None:
            return array_operations.reverse(each, [along])
        return array_operations.reverse_sequence(each, sequence_length, along, batch)
    with variable_scopes.variable_scope(scope or "bidirectional_rnn"):
        with variable_scopes.variable_scope("fw") as inner:
            outputs, state = dynamic_rnn(cell_fw, x, sequence_length, initial_state_fw, dtype, time_major=time_major, scope=inner)
        with variable_scopes.variable_scope("bw") as inner:
            back, last = dynamic_rnn(cell_bw, turned(x), sequence_length, initial_state_bw, dtype, time_major=time_major, scope=inner)
    return (outputs, turned(back)), (state, last)


CELLS = {made.__name__: made for made in (RNNCell, BasicRNNCell, BasicLSTMCell, LSTMCell, GRUCell, MultiRNNCell,
                                          DropoutWrapper, LSTMStateTuple)}
LOOPS = {made.__name__: made for made in (dynamic_rnn, static_rnn, bidirectional_dynamic_rnn)}


def add_names():
    from .. import names
    for module in ("tensorflow.compat.v1.nn.rnn_cell", "tensorflow.python.ops.rnn_cell", "tensorflow.python.ops.rnn_cell_impl"):
        names.module(module, CELLS)
    for module in ("tensorflow.compat.v1.nn", "tensorflow.python.ops.rnn"):
        names.module(module, LOOPS)
