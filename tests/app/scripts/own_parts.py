# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of Keras' models that are the script's own: initialisers in configurations and files, metrics with variables on two replicas."""
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
x = np.random.default_rng(0).normal(size=(16, 3)).astype("f")
y = np.random.default_rng(1).integers(0, 2, 16)


class Share(keras.metrics.Metric):
    def __init__(self, name="share", **kwargs):
        super().__init__(name=name, **kwargs)
        self.hits, self.seen = self.add_weight(name="hits", initializer="zeros"), self.add_weight(name="seen", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        hits = tf.equal(tf.argmax(y_pred, -1, output_type=tf.int32), tf.cast(tf.reshape(y_true, [-1]), tf.int32))
        self.hits.assign_add(tf.reduce_sum(tf.cast(hits, tf.float32)))
        self.seen.assign_add(tf.cast(tf.shape(y_pred)[0], tf.float32))

    def result(self):
        return self.hits / self.seen


class Filled(keras.initializers.Initializer):
    def __init__(self, by=0.5):
        self.by = by

    def __call__(self, shape, dtype=None, **kwargs):
        return tf.fill(shape, tf.cast(self.by, dtype or tf.float32))

    def get_config(self):
        return {"by": self.by}


def threes(shape, dtype=None):
    return tf.fill(shape, 3.0)


with ipu.ipu_strategy.IPUStrategy().scope():
    shared = keras.Sequential([keras.layers.Dense(2, activation="softmax", input_shape=(3,))])
    shared.compile("sgd", "sparse_categorical_crossentropy", metrics=[Share(), "accuracy"], steps_per_execution=2)
    history = shared.fit(x, y, batch_size=4, epochs=2, verbose=0).history
    logs = shared.evaluate(x, y, batch_size=4, verbose=0, return_dict=True)
    last = np.concatenate([shared.predict(x, batch_size=4)[i:i + 4] for i in (4, 12)])  # what the last replica sees
    print("replicas", history["share"] == history["accuracy"], logs["share"] == logs["accuracy"] == float(np.mean(
        last.argmax(-1) == np.concatenate([y[4:8], y[12:]]))))
    model = keras.Sequential([keras.layers.Dense(2, kernel_initializer=Filled(0.25), bias_initializer=threes, input_shape=(3,)),
                              keras.layers.Dense(1, kernel_initializer=keras.initializers.Constant([[1.0], [2.0]]))])
    first, second = (layer.get_config() for layer in model.layers)
    print(first["kernel_initializer"], first["bias_initializer"], second["kernel_initializer"])
    own = {"Filled": Filled, "threes": threes}
    model.save("own.h5")
    for made in (keras.models.model_from_json(model.to_json(), own), keras.models.load_model("own.h5", own), keras.models.clone_model(model)):
        print([np.unique(each).tolist() for each in made.get_weights()])
    for known in ({"Filled": Filled}, {"threes": threes}):
        try:
            keras.models.model_from_json(model.to_json(), known).get_weights()
        except Exception as error:
            print(str(error).split(";")[0].split(": ", 1)[-1])
    # What `trainable` says, the lists of weights say at once; what is trained, the next compile().
    frozen = keras.Sequential([keras.layers.Dense(4, input_shape=(3,)), keras.layers.Lambda(lambda t: t * 2.0), keras.layers.Dense(2)])
    frozen.compile("sgd", "mse")
    frozen.fit(x, np.ones((16, 2), "f"), batch_size=4, verbose=0)
    frozen.layers[0].trainable = False
    counts = [len(frozen.trainable_weights), len(frozen.non_trainable_weights), len(frozen.layers[0].trainable_weights)]

    @tf.function(experimental_compile=True)
    def step(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(frozen(batch))
        keras.optimizers.SGD(0.1).apply_gradients(zip(tape.gradient(loss, frozen.trainable_variables), frozen.trainable_variables))
        return loss
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    before = frozen.get_weights()
    tf.distribute.get_strategy().run(step, args=[tf.constant(x)])
    print("frozen", counts, [bool(np.array_equal(a, b)) for a, b in zip(before, frozen.get_weights())], end=" ")
    frozen.layers[0].trainable = True
    print(len(frozen.trainable_weights))
