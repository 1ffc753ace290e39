# SPDX-License-Identifier: GPL-3.0-or-later
# Calls of one layer in several stages of a pipeline, and layers of a model within, train as NumPy does.
import numpy as np
from tensorflow import keras
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 2
config.configure_ipu_system()
random = np.random.RandomState(0)
x, y = random.randn(32, 4).astype(np.float32), random.randn(32, 1).astype(np.float32)


def dense(size, name):
    return keras.layers.Dense(size, use_bias=False, name=name)


class Shared(keras.Model):
    def __init__(self):
        super().__init__(self)
        self.one, self.two, self.three = dense(4, "one"), dense(4, "two"), dense(1, "three")
        self.concat = keras.layers.Concatenate(name="concat")

    def call(self, inputs):
        x = self.one(inputs)
        a, b = self.two(x), self.two(x)
        a, b = self.two(a), self.two(b)
        return self.three(self.concat([a, b]))


def connected():
    one, two, three = dense(4, "one"), dense(4, "two"), dense(1, "three")
    given = keras.Input((4,), name="given")
    h = one(given)
    a, b = two(h), two(h)
    a, b = two(a), two(b)
    return keras.Model(given, three(keras.layers.Concatenate(name="concat")([a, b])), name="connected")


def train(model, **options):
    model.set_pipelining_options(gradient_accumulation_steps_per_replica=8, **options)
    model.compile(keras.optimizers.SGD(0.1), "mse", steps_per_execution=8)
    before = model.get_weights()
    model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
    return before


def same(model, wanted):
    print([bool(np.allclose(own, by_hand, atol=1e-4)) for own, by_hand in zip(model.get_weights(), wanted)])


def shared(model, of_calls):
    """`of_calls`: the stage of each call of the layer that is called four times."""
    assignments = model.get_pipeline_stage_assignment()
    for each in assignments:
        stages = {"one": 0, "concat": 2, "three": 3}
        each.pipeline_stage = of_calls[each.node_index] if each.layer.name == "two" else stages[each.layer.name]
    model.set_pipeline_stage_assignment(assignments)
    print([f"{e.layer.name}/{e.node_index}: {e.pipeline_stage}" for e in model.get_pipeline_stage_assignment()])
    a, b, c = train(model, device_mapping=[0, 1, 1, 0])
    u = x @ a
    v = u @ b
    w = v @ b
    both = c[:4] + c[4:]
    error = 2 * (w @ both - y) / 4
    to_w = error @ both.T
    to_v = to_w @ b.T
    same(model, (a - 0.1 * x.T @ (to_v @ b.T), b - 0.1 * (v.T @ to_w + u.T @ to_v), c - 0.1 * np.vstack([w.T @ error] * 2)))


with ipu.ipu_strategy.IPUStrategy().scope():
    model = Shared()
    model.build((4, 4))
    shared(model, (1, 1, 2, 2))
    model = connected()
    shared(model, (1, 1, 2, 2))
    model.print_pipeline_stage_assignment_summary()

    inner = keras.Sequential([dense(4, "first"), dense(4, "second")], name="inner")
    given = keras.Input((4,))
    model = keras.Model(given, dense(1, "last")(inner(given)), name="around")
    within, last = model.get_pipeline_stage_assignment()
    within.pipeline_stage_assignments[0].pipeline_stage = 0
    within.pipeline_stage_assignments[1].pipeline_stage = 1
    last.pipeline_stage = 0
    for stages in ([within, last], [last, within], [within], (within, last)):
        try:
            model.set_pipeline_stage_assignment(stages)
        except ValueError as error:
            print(error)
    last.pipeline_stage = 1
    model.set_pipeline_stage_assignment([within, last])
    a, b, c = train(model)
    error = 2 * (x @ a @ b @ c - y) / 4
    same(model, (a - 0.1 * x.T @ (error @ c.T @ b.T), b - 0.1 * (x @ a).T @ (error @ c.T), c - 0.1 * (x @ a @ b).T @ error))

    with keras.ipu.PipelineStage(0):  # the stage of a call is before that of the layer
        later, python = dense(1, "later"), keras.layers.Lambda(lambda x: x * 2.0)
        first = dense(4, "first")(given)
    with keras.ipu.PipelineStage(1):
        model = keras.Model(given, later(python(first)), name="scoped")
    train(model)
    model = keras.Sequential([dense(4, "a"), dense(1, "b")], name="row")
    model.set_pipeline_stage_assignment([0, 1])
    model.print_pipeline_stage_assignment_summary()
