# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.layers.RNN of several cells, of cells of the script's own and of both; cells called on one step. Against NumPy and gradients
by differences."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

layers = keras.layers
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(5)
x = draw.randn(3, 4, 2).astype("f")


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def lstm(x, state, weights):
    """keras.layers.LSTMCell."""
    (kernel, recurrent, bias), (h, c) = weights, state
    i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4, 1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), [sigmoid(o) * np.tanh(c), c]


def gru(x, state, weights):
    """keras.layers.GRUCell, whose reset gate comes after the product."""
    (kernel, recurrent, bias), (h,) = weights, state
    of_x, of_h = np.split(x @ kernel + bias[0], 3, 1), np.split(h @ recurrent + bias[1], 3, 1)
    z, r = sigmoid(of_x[0] + of_h[0]), sigmoid(of_x[1] + of_h[1])
    h = z * h + (1 - z) * np.tanh(of_x[2] + r * of_h[2])
    return h, [h]


def simple(x, state, weights):
    """The same as Minimal below: no bias, and twice the state as the output."""
    (kernel, recurrent), (h,) = weights, state
    h = np.tanh(x @ kernel + h @ recurrent)
    return 2 * h, [h]


def looped(x, cells, states, runs=None, backwards=False):
    """The outputs of all steps and the last states of (function, weights) one upon the other."""
    outputs, last = [], None
    for t in range(x.shape[1])[::-1 if backwards else 1]:
        y, after = x[:, t], []
        for (function, weights), state in zip(cells, states):
            y, made = function(y, state, weights)
            after.append(made)
        if runs is not None:
            keep = runs[:, t, None]
            y = np.where(keep, y, 0 if last is None else last)
            after = [[np.where(keep, new, old) for new, old in zip(*pair)] for pair in zip(after, states)]
        states, last = after, y
        outputs.append(y)
    return np.stack(outputs, 1), states


def zeros(*units):
    return [[np.zeros((3, each)) for each in state] for state in units]


def close(a, b):
    return all(np.allclose(m, n, rtol=1e-4, atol=1e-5) for m, n in zip(a, b)) and len(a) == len(b)


class Minimal(layers.Layer):
    """A cell of the script's own."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight("kernel", [input_shape[-1], self.units])
        self.recurrent = self.add_weight("recurrent", [self.units, self.units])

    def call(self, inputs, states):
        h = tf.tanh(tf.matmul(inputs, self.kernel) + tf.matmul(states[0], self.recurrent))
        return 2 * h, [h]


def flat(states):
    return [each for state in states for each in state]


def thirds(weights, *counts):
    """The weights of each cell."""
    at, found = 0, []
    for count in counts:
        found.append(weights[at:at + count])
        at += count
    return found


with ipu.ipu_strategy.IPUStrategy().scope():
    for name, cells, functions, units in (
            ("engine", lambda: [layers.LSTMCell(4), layers.GRUCell(3)], (lstm, gru), ([4, 4], [3])),
            ("own", lambda: [Minimal(3)], (simple,), ([3],)),
            ("both", lambda: [layers.LSTMCell(2), Minimal(3), layers.GRUCell(2)], (lstm, simple, gru), ([2, 2], [3], [2]))):
        counts = [2 if function is simple else 3 for function in functions]
        for backwards in (False, True):
            made, inputs = cells(), keras.Input((4, 2))
            layer = layers.RNN(made if len(made) > 1 else made[0], return_sequences=True, return_state=True, go_backwards=backwards)
            model = keras.Model(inputs, layer(inputs))
            model.set_weights([0.5 * draw.randn(*each.shape).astype("f") for each in model.get_weights()])
            own = list(zip(functions, thirds(model.get_weights(), *counts)))
            outputs, states = looped(x, own, zeros(*units), backwards=backwards)
            found = model.predict(x, batch_size=3)
            print(name, close(found, [outputs, *flat(states)]), len(layer.weights), isinstance(layer, layers.RNN))
    inputs = keras.Input((4, 2))
    first = [keras.Input((each,)) for each in (4, 4, 3)]
    cell = layers.StackedRNNCells([layers.LSTMCell(4), layers.GRUCell(3)])
    begun = keras.Model([inputs, *first], layers.RNN(cell)(inputs, initial_state=first))
    states = [draw.randn(3, each).astype("f") for each in (4, 4, 3)]
    outputs = looped(x, list(zip((lstm, gru), thirds(begun.get_weights(), 3, 3))), [states[:2], states[2:]])[0]
    print("begun", close([begun.predict([x, *states], batch_size=3)], [outputs[:, -1]]), cell.state_size, cell.output_size)
    masked = x.copy()
    masked[0, 2:], masked[1, :1] = 0, 0
    for made, functions, units in (([layers.LSTMCell(4), layers.GRUCell(3)], (lstm, gru), ([4, 4], [3])), (Minimal(3), (simple,), ([3],))):
        hidden = layers.Masking()(inputs)
        model = keras.Model(inputs, layers.RNN(made)(hidden))
        own = list(zip(functions, thirds(model.get_weights(), *[2 if each is simple else 3 for each in functions])))
        outputs = looped(masked, own, zeros(*units), (masked != 0).any(2))[0]
        print("masked", close([model.predict(masked, batch_size=3)], [outputs[:, -1]]))

    # One update goes against the gradient that differences give.
    for cells in ([layers.SimpleRNNCell(3), Minimal(2)], [layers.LSTMCell(3), layers.GRUCell(2)]):
        model = keras.Sequential([layers.RNN(cells, input_shape=(4, 2))])
        y = draw.randn(3, 2).astype("f")
        before = [0.5 * draw.randn(*each.shape).astype("f") for each in model.get_weights()]

        def loss_of(weights):
            model.set_weights(weights)
            return float(np.mean((model.predict(x, batch_size=3).astype(np.float64) - y) ** 2))
        model.compile(keras.optimizers.SGD(1.0), "mse")
        model.set_weights(before)
        model.fit(x, y, batch_size=3, verbose=0)
        moved = [a - b for a, b in zip(before, model.get_weights())]
        along = [draw.randn(*each.shape).astype("f") for each in before]
        sides = [loss_of([w + h * d for w, d in zip(before, along)]) for h in (-5e-3, 5e-3)]
        wanted = (sides[1] - sides[0]) / 1e-2
        print("gradient", np.isclose(sum((m * d).sum() for m, d in zip(moved, along)), wanted, rtol=5e-3, atol=1e-4), abs(wanted) > 0.01)

    class Stepwise(keras.Model):
        """A loop of the script's own over a cell."""

        def __init__(self):
            super().__init__()
            self.cell = layers.GRUCell(3)

        def call(self, inputs):
            states = [tf.zeros([inputs.shape[0], 3])]
            for t in range(inputs.shape[1]):
                y, states = self.cell(inputs[:, t], states)
            return y
    model = Stepwise()
    found = model.predict(x, batch_size=3)
    wanted = looped(x, [(gru, model.get_weights())], zeros([3]))[0][:, -1]
    print("stepwise", close([found], [wanted]), [each.name for each in model.weights])
    shared = layers.GRUCell(3)
    layers.RNN(shared)
    for wrong in (lambda: shared(x[:, 0], [np.zeros((3, 3), "f")]), lambda: layers.RNN([Minimal(2)], time_major=True),
                  lambda: layers.StackedRNNCells([layers.Dense(2)]), lambda: keras.Model(long := keras.Input((1001, 2)), layers.RNN(Minimal(2))(long))):
        try:
            wrong()
        except (AttributeError, ValueError) as error:
            print(str(error).split(";")[0].split(": <")[0])
