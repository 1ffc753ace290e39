# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the weights of recurrent layers as Keras 2.6 gives them, in listings, of what optimisers keep, and in files."""
import numpy as np
import tilescope_engine as engine
from tensorflow import keras

L = keras.layers


def names(model):
    return [each.name.removesuffix("/kernel:0") for each in model.weights if each.name.endswith("/kernel:0")]


model = keras.Sequential([
    L.LSTM(3, input_shape=(4, 2), return_sequences=True), L.GRU(2, return_sequences=True), L.Bidirectional(L.LSTM(2, return_sequences=True)),
    L.Bidirectional(L.GRU(2, name="g"), name="both", backward_layer=L.GRU(2, name="back", go_backwards=True)), L.Reshape((4, 1)),
    L.SimpleRNN(2, return_sequences=True), L.RNN(L.LSTMCell(2), return_sequences=True), L.LSTM(2), L.Dense(1)])
print(names(model))
print([each.name for each in model.layers[0].weights], model.layers[2].trainable_variables[4].name)
model.compile("adam", "mse")
x, y = np.random.RandomState(0).randn(4, 4, 2).astype("f"), np.ones((4, 1), "f")
model.fit(x, y, verbose=0)
print([each.name for each in model.optimizer.variables()[1:4]])

kept = model.get_weights()
model.save_weights("weights.h5")
model.save("model.h5")
file = engine.Hdf5File("weights.h5")
print(file.texts("lstm", "weight_names"), file.texts("bidirectional", "weight_names")[3:5], file.floats("lstm/lstm/lstm_cell/bias:0").shape)
model.set_weights([each * 0 for each in kept])
model.load_weights("weights.h5")
other = keras.models.load_model("model.h5")
print([all(np.array_equal(a, b) for a, b in zip(kept, each.get_weights())) for each in (model, other)], names(other)[:4])

# Files of before Keras 2.1 have the names of the layers alone.
small = keras.Sequential([L.LSTM(1, input_shape=(2, 1), name="lstm")])
old = engine.Hdf5Writer("old.h5")
old.texts("", "layer_names", ["lstm"])
old.group("lstm")
parts = {"lstm/kernel:0": np.ones((1, 4), "f"), "lstm/recurrent_kernel:0": np.full((1, 4), 2, "f"), "lstm/bias:0": np.full(4, 3, "f")}
old.texts("lstm", "weight_names", list(parts))
for name, value in parts.items():
    old.data_set(f"lstm/{name}", value)
del old
small.load_weights("old.h5")
print([each.ravel().tolist() for each in small.get_weights()])


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.rnn, self.stack = L.LSTM(2, return_sequences=True), L.RNN([L.GRUCell(2), L.LSTMCell(3)])

    def call(self, x):
        return self.stack(self.rnn(x))


own = Own()
own(x)
print(names(own))
keras.backend.clear_session()
inner = keras.Sequential([L.GRU(2, input_shape=(4, 2))], name="inner")
outer = keras.Sequential([inner, L.Dense(1)])
outer.save_weights("outer.h5")
outer.load_weights("outer.h5")
print(names(outer), engine.Hdf5File("outer.h5").texts("inner", "weight_names")[0])
cell = L.LSTMCell(2)
cell(np.ones((2, 3), "f"), [np.zeros((2, 2), "f")] * 2)
print([each.name for each in cell.weights])
