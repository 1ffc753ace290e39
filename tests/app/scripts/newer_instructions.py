# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops as compilers of Python write them that this one does not have: 3.13 joins what follows each other, and from 3.12 on a
comprehension is a loop of its function."""
import collections
import dis

import tensorflow as tf
from tilescope_front.tracing import device_loops

Step = collections.namedtuple("Step", "offset opcode opname arg argval")


def loop(*lines):
    """Of instructions (name, argument, what the argument means), of which the first takes the next number."""
    steps = [Step(2 * at, dis.opmap.get(name, dis.opmap["NOP"]), name, arg, meant) for at, (name, arg, meant) in enumerate(lines)]
    return device_loops._Loop(steps, {each.offset: at for at, each in enumerate(steps)}, 0)


# for i in numbers: y, z = x, i; x = y
joined = loop(("FOR_ITER", 6, 14), ("STORE_FAST_LOAD_FAST", 16, ("i", "x")), ("LOAD_FAST", 2, "i"), ("STORE_FAST_STORE_FAST", 35, ("z", "y")),
              ("LOAD_FAST", 3, "y"), ("STORE_FAST", 1, "x"), ("JUMP_BACKWARD", 7, 0), ("END_FOR", None, None), ("RETURN_CONST", 0, None))
print(sorted(joined.names), joined.number, [name for name in "ixyz" if joined.needs(name)], joined.is_of_comprehension())
# The inner loop of [x for y in ys for i in numbers], then for i in numbers: y = [x for x in i]
inner = loop(("FOR_ITER", 4, 10), ("STORE_FAST_LOAD_FAST", 16, ("i", "x")), ("LIST_APPEND", 3, 3), ("JUMP_BACKWARD", 4, 0), ("NOP", None, None),
             ("END_FOR", None, None))
around = loop(("FOR_ITER", 14, 30), ("STORE_FAST_LOAD_FAST", 0, ("i", "i")), ("GET_ITER", None, None), ("LOAD_FAST_AND_CLEAR", 1, "x"),
              ("SWAP", 2, 2), ("BUILD_LIST", 0, 0), ("SWAP", 2, 2), ("FOR_ITER", 3, 22), ("STORE_FAST_LOAD_FAST", 17, ("x", "x")),
              ("LIST_APPEND", 2, 2), ("JUMP_BACKWARD", 4, 14), ("END_FOR", None, None), ("SWAP", 2, 2), ("STORE_FAST_STORE_FAST", 18, ("y", "x")),
              ("JUMP_BACKWARD", 15, 0), ("END_FOR", None, None))
print(inner.is_of_comprehension(), around.is_of_comprehension(), sorted(around.names), [name for name in "ixy" if around.needs(name)])
