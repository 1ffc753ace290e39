# SPDX-License-Identifier: GPL-3.0-or-later
"""ConvLSTM1D and 2D, LocallyConnected1D and 2D, against NumPy, and their gradients against differences."""
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

layers = keras.layers
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
draw = np.random.RandomState(7)


def hard_sigmoid(v):
    return np.clip(0.2 * v + 0.5, 0, 1)


def convolved(x, kernel, step=1, same=False):
    """[batch, rows, columns, channels] by [rows, columns, channels, filters]."""
    kh, kw = kernel.shape[:2]
    if same:
        x = np.pad(x, ((0, 0), ((kh - 1) // 2, kh // 2), ((kw - 1) // 2, kw // 2), (0, 0)))
    rows, columns = (x.shape[1] - kh) // step + 1, (x.shape[2] - kw) // step + 1
    y = np.zeros((len(x), rows, columns, kernel.shape[3]))
    for r, c in np.ndindex(rows, columns):
        y[:, r, c] = np.tensordot(x[:, r * step:r * step + kh, c * step:c * step + kw], kernel, 3)
    return y


def conv_lstm(x, kernel, recurrent, bias, step=1, same=False, gate=hard_sigmoid, backwards=False):
    """All outputs, and the last h and c."""
    outputs, h, c = [], 0, 0
    for t in range(x.shape[1])[::-1 if backwards else 1]:
        total = convolved(x[:, t], kernel, step, same) + bias
        total = total if np.ndim(h) == 0 else total + convolved(h, recurrent, 1, True)
        i, f, g, o = np.split(total, 4, -1)
        c = gate(f) * c + gate(i) * np.tanh(g)
        h = gate(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, 1), h, c


def local(x, kernel, bias, size, step):
    """Each place by a kernel of its own."""
    rows, columns = bias.shape[:2]
    y = np.zeros((len(x), *bias.shape))
    for p, (r, c) in enumerate(np.ndindex(rows, columns)):
        window = x[:, r * step:r * step + size[0], c * step:c * step + size[1]]
        y[:, r, c] = window.reshape(len(x), -1) @ kernel[p]
    return y + bias


def close(a, b):
    return np.allclose(a, b, rtol=1e-4, atol=1e-5)


def model_of(layer, shape):
    made = keras.Sequential([keras.Input(shape), layer])
    made.set_weights([0.5 * draw.randn(*each.shape).astype("f") for each in made.get_weights()])
    return made, made.get_weights()


with ipu.ipu_strategy.IPUStrategy().scope():
    x = draw.randn(2, 3, 5, 6, 2).astype("f")
    layer = layers.ConvLSTM2D(3, (3, 2), return_sequences=True)
    model, weights = model_of(layer, x.shape[1:])
    print("ConvLSTM2D", close(model.predict(x, batch_size=2), conv_lstm(x, *weights)[0]), [each.name for each in layer.weights],
          model.output_shape)
    inputs = keras.Input(x.shape[1:])
    layer = layers.ConvLSTM2D(3, 3, strides=2, padding="same", recurrent_activation="sigmoid", return_state=True, go_backwards=True)
    model = keras.Model(inputs, layer(inputs))
    weights = [0.5 * draw.randn(*each.shape).astype("f") for each in model.get_weights()]
    model.set_weights(weights)
    even = x[:, :, :, :5]  # whose padding is the same on both sides
    inputs = keras.Input(even.shape[1:])
    model = keras.Model(inputs, layer(inputs))
    found = model.predict(even, batch_size=2)
    wanted = conv_lstm(even, *weights, step=2, same=True, gate=lambda v: 1 / (1 + np.exp(-v)), backwards=True)
    print([close(*pair) for pair in zip(found, (wanted[1], *wanted[1:]))])
    model, _ = model_of(layers.ConvLSTM2D(3, 3, data_format="channels_first", name="first"), (3, 2, 5, 6))
    other, _ = model_of(layers.ConvLSTM2D(3, 3), (3, 5, 6, 2))
    other.set_weights(model.get_weights())
    print(close(model.predict(x.transpose(0, 1, 4, 2, 3), batch_size=2), other.predict(x, batch_size=2).transpose(0, 3, 1, 2)))
    print(layers.ConvLSTM2D(2, 1, name="begun")(x).shape, [float(each) for each in keras.Sequential([
        keras.Input(x.shape[1:]), layers.ConvLSTM2D(1, 1)]).get_weights()[2]])
    series = x[:, :, :, 0]
    model, (kernel, recurrent, bias) = model_of(layers.ConvLSTM1D(3, 3), series.shape[1:])
    wanted = conv_lstm(series[:, :, None], kernel[None], recurrent[None], bias)[1]
    print("ConvLSTM1D", close(model.predict(series, batch_size=2), wanted[:, 0]))

    image = draw.randn(2, 6, 5, 3).astype("f")
    model, weights = model_of(layers.LocallyConnected2D(4, (3, 2), strides=2), image.shape[1:])
    print("LocallyConnected2D", close(model.predict(image, batch_size=2), local(image, *weights, (3, 2), 2)), [each.shape for each in weights])
    model, weights = model_of(layers.LocallyConnected1D(4, 3, activation="relu"), image.shape[2:])
    wanted = local(image[:, :1], weights[0], weights[1][None], (1, 3), 1)[:, 0]
    print("LocallyConnected1D", close(model.predict(image[:, 0], batch_size=2), np.maximum(wanted, 0)), [each.shape for each in weights])
    again = keras.models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    print(close(again.predict(image[:, 0], batch_size=2), np.maximum(wanted, 0)))

    # One update goes against the gradient that differences give.
    for layer, given in ((layers.ConvLSTM2D(2, 3, recurrent_activation="sigmoid"), x), (layers.LocallyConnected2D(2, 3), image),
                         (layers.LocallyConnected1D(2, 3, activation="tanh"), image[:, 0])):
        model, before = model_of(layer, given.shape[1:])
        y = draw.randn(*model.predict(given, batch_size=2).shape).astype("f")

        def loss_of(weights):
            model.set_weights(weights)
            return float(np.mean((model.predict(given, batch_size=2).astype(np.float64) - y) ** 2))
        model.compile(keras.optimizers.SGD(1.0), "mse")
        model.fit(given, y, batch_size=2, verbose=0)
        moved = [a - b for a, b in zip(before, model.get_weights())]
        along = [draw.randn(*each.shape).astype("f") for each in before]
        sides = [loss_of([w + h * d for w, d in zip(before, along)]) for h in (-5e-3, 5e-3)]
        wanted = (sides[1] - sides[0]) / 1e-2
        print("gradient", np.isclose(sum((m * d).sum() for m, d in zip(moved, along)), wanted, rtol=5e-3, atol=1e-4), abs(wanted) > 0.01)
for wrong in (lambda: layers.LocallyConnected2D(2, 3, padding="same"), lambda: layers.LocallyConnected2D(2, 3, implementation=2),
              lambda: layers.ConvLSTM3D(2, 3)):
    try:
        wrong()
    except (AttributeError, ValueError) as error:
        print(str(error).split(";")[0])
