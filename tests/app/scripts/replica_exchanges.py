# SPDX-License-Identifier: GPL-3.0-or-later
# What replicas of a group send each other, against NumPy; and the gradients that come back.
import numpy as np
import tensorflow as tf
from tensorflow.python import ipu
from tensorflow.python.ipu.ops import all_to_all_op, reduce_scatter_op, replication_ops

strategy = ipu.ipu_strategy.IPUStrategy()
random = np.random.RandomState(0)


def configure(ipus):
    ipu.config.reset_ipu_configuration()
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.configure_ipu_system()


def of_replicas(function, values):
    """What `function` makes of the rows of `values`, of which each replica has one."""
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def step(iterator):
        queue.enqueue(function(next(iterator)))

    with strategy.scope():
        strategy.run(step, args=[iter(tf.data.Dataset.from_tensor_slices(values))])
    return [each.numpy()[0] for each in queue.dequeue()]


def summed(x, parts):
    total = x.sum(0)
    return np.pad(total, (0, -len(total) % parts)).reshape(parts, -1)


for replicas in (2, 4):
    configure(replicas)
    x = random.randint(-9, 9, (replicas, 4, 8, 3)).astype(np.float32)
    index, all_of, pairs, whole, swapped, turned = of_replicas(lambda a: (
        replication_ops.replication_index(), all_to_all_op.all_gather(a, replicas), all_to_all_op.all_gather(a, 2),
        all_to_all_op.all_gather(tf.cast(a, tf.int32), replicas), all_to_all_op.all_to_all(a, 1, 0, replicas),
        all_to_all_op.all_to_all(all_to_all_op.all_to_all(a, 1, 2, replicas), 2, 1, replicas)), x)
    print(index.tolist(), all(np.array_equal(each, x) for each in all_of), whole.dtype, np.array_equal(whole[-1], x),
          np.array_equal(pairs, np.repeat(x.reshape(-1, 2, 4, 8, 3), 2, axis=0)), np.array_equal(turned, x))
    wanted = [np.concatenate([np.split(x[r], replicas, 1)[own] for r in range(replicas)], 0) for own in range(replicas)]
    print(np.array_equal(swapped, wanted))
    v = random.randint(1, 9, (replicas, 7)).astype(np.float32)
    total, mean, most, product, squares, whole = of_replicas(lambda a: (
        reduce_scatter_op.reduce_scatter(a, replicas), *(reduce_scatter_op.reduce_scatter(a, replicas, f"COLLECTIVE_OP_{op}")
                                                         for op in ("MEAN", "MAX", "MUL", "SQUARE_ADD")),
        reduce_scatter_op.reduce_scatter(tf.cast(a, tf.int32), replicas)), v)
    print(np.array_equal(total, summed(v, replicas)), np.allclose(mean, summed(v, replicas) / replicas),
          np.array_equal(most.ravel()[:7], v.max(0)), np.allclose(product.ravel()[:7], v.prod(0)),
          np.array_equal(squares, summed(v * v, replicas)), np.array_equal(whole, summed(v, replicas)))

configure(2)
x, g, s, t = (random.randn(2, *shape).astype(np.float32) for shape in ((4,), (2, 4), (2,), (2, 2)))


def losses(values):
    """The sum of what each replica makes of all values: gradients of it are what each gets back."""
    gathered = np.stack([values, values])
    scattered = values.sum(0).reshape(2, 2)
    swapped = values.reshape(2, 2, 2).transpose(1, 0, 2)
    return (gathered * g).sum(), (scattered * s).sum(), (swapped * t).sum()


def gradients(packed):
    a, (of_gathered, of_scattered, of_swapped) = packed[0], packed[1:]
    made = []
    for function, weights in ((lambda: all_to_all_op.all_gather(a, 2), of_gathered),
                              (lambda: reduce_scatter_op.reduce_scatter(a, 2), of_scattered),
                              (lambda: all_to_all_op.all_to_all(tf.reshape(a, [2, 2]), 0, 0, 2), of_swapped)):
        with tf.GradientTape() as tape:
            tape.watch(a)
            loss = tf.reduce_sum(function() * weights)
        made.append(tape.gradient(loss, a))
    return tuple(made)


found = of_replicas(lambda *packed: gradients(packed[0]), (x, g, s, t))
for number, gradient in enumerate(found):
    wanted = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        moved = [x.astype(np.float64), x.astype(np.float64)]
        moved[0][place] += 0.5
        moved[1][place] -= 0.5
        wanted[place] = losses(moved[0])[number] - losses(moved[1])[number]
    print(np.allclose(gradient, wanted, atol=1e-5))

print(replication_ops.replication_index().numpy(), all_to_all_op.all_gather(tf.constant([1.0, 2.0]), 1).numpy().tolist())
for function in (lambda a: all_to_all_op.all_gather(a, 3), lambda a: all_to_all_op.all_to_all(a, 0, 0, 3),
                 lambda a: reduce_scatter_op.reduce_scatter(a, 2, "COLLECTIVE_OP_LOCAL")):
    try:
        of_replicas(lambda a: (function(a), a), x)
    except (AttributeError, tf.errors.InvalidArgumentError) as error:
        print(error)
