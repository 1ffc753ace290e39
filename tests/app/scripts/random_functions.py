# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions with branches and loops that are drawn, under IPUStrategy.run and in Python on NumPy's numbers: they give the same, and
leave the same in a variable."""
import contextlib
import importlib.util
import random

import numpy as np
import tensorflow as tf
from tensorflow.python import ipu

config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
draw, count = random.Random(7), 24
GIVEN = [(-3.0, 1.0, 2.0), (0.0, 0.0, 0.0), (5.0, -2.0, 1.0), (2.5, 3.0, -4.0)]


def name():
    return draw.choice("abc")


def condition():
    kind = draw.random()
    if kind < 0.7:
        return f"{name()} {draw.choice(['>', '<', '>=', '<='])} {draw.choice([name(), f'{draw.randint(-4, 4)}.0'])}"
    return f"({condition()} {draw.choice(['and', 'or'])} {condition()})" if kind < 0.9 else f"not {condition()}"


def value():
    return draw.choice([f"{name()} + {draw.randint(-3, 3)}.0", f"{name()} - {name()}", f"{name()} * {draw.choice(['0.5', '-1.0', '1.5'])}",
                        f"{name()} if {condition()} else {name()}", f"{name()} + kept"])


def block(depth, loops, of_device, indent):
    return [line for _ in range(draw.randint(1, 3)) for line in statement(depth, loops, of_device, indent)]


def statement(depth, loops, of_device, indent):
    """Lines; `loops`: around it; `of_device`: whether one of them is."""
    begin, kind, number = "    " * indent, draw.random() if depth else 0, draw.randint(1, 4)
    inner = lambda within, device=of_device: block(depth - 1, loops + within, device, indent + 1)
    if kind < 0.4:
        return [f"{begin}kept.assign_add({name()} * 0.5)" if loops and draw.random() < 0.2 else f"{begin}{name()} = {value()}"]
    if kind < 0.65:
        ends = ["break", "continue"] * (loops > 0) + ["return a, b, c", "pass"]
        return [f"{begin}if {condition()}:", *inner(0), f"{begin}    {draw.choice(ends)}", *([f"{begin}else:", *inner(0)] if number > 2 else [])]
    if kind < 0.8:
        device = not of_device and draw.random() < 0.5
        return [f"{begin}for i in {'range_of' if device else 'range'}({number}):", *inner(1, of_device or device)]
    if kind < 0.9:
        return [f"{begin}n{indent} = 0", f"{begin}while n{indent} < {number} and {condition()}:", f"{begin}    n{indent} += 1", *inner(1)]
    if kind < 0.95:
        return [f"{begin}with contextlib.nullcontext():", *inner(0)]
    return [f"{begin}try:", *inner(0), f"{begin}finally:", f"{begin}    c = c + 1.0"]


class Kept:
    """What tf.Variable does, of a number."""

    value = np.float32(0)

    def assign_add(self, by):
        self.value = np.float32(self.value + by)

    def __radd__(self, other):
        return other + self.value


with open("drawn.py", "w", encoding="utf-8") as file:
    print("import contextlib\n", file=file)
    for number in range(count):
        print(f"\ndef f{number}(a, b, c):", *block(3, 0, False, 1), "    return a, b, c\n", sep="\n", file=file)
spec = importlib.util.spec_from_file_location("drawn", "drawn.py")
drawn = importlib.util.module_from_spec(spec)
spec.loader.exec_module(drawn)
variable, same, refused = tf.Variable(0.0), 0, []
for number in range(count):
    function = getattr(drawn, f"f{number}")
    try:
        for given in np.float32(GIVEN):
            drawn.range_of, drawn.kept = range, Kept()
            wanted = [*function(*given), drawn.kept.value]
            drawn.range_of, drawn.kept = tf.range, variable
            variable.assign(0.0)
            found = [*strategy.run(tf.function(function), list(given)), variable]
            assert np.allclose([float(each) for each in found], wanted, rtol=1e-4, atol=1e-5), (function.__name__, given)
        same += 1
    except tf.errors.UnimplementedError as error:  # two loops of the device in one program, or assignments beside one
        refused.append(str(error).partition(" ")[0])
print(same + len(refused) == count, same >= count * 3 // 4, set(refused) <= {"several", "Assign"})
