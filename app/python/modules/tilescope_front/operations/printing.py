# SPDX-License-Identifier: GPL-3.0-or-later
"""What scripts print of tensors: at once, in a session, or as the device's program runs, after each step."""
import math
import sys

import numpy as np

from ..tensors import graph


def _number(value):
    """With six digits, or as many as tell it from all others of its type: of float16 as float32."""
    wide = value if value.dtype == np.float64 else np.float32(value)
    few, all_of = (15, 17) if wide.dtype == np.float64 else (6, 9)
    text = f"{wide:.{few}g}"
    return text if wide != wide or wide.dtype.type(text) == wide else f"{wide:.{all_of}g}"


def text_of(array, summarize=3, number=_number):
    """An array as TensorFlow prints it: of each axis the first and the last `summarize` parts."""
    array = np.asarray(array)
    if array.ndim == 0:
        value = array[()]
        if isinstance(value, (bytes, str)):
            return value.decode(errors="replace") if isinstance(value, bytes) else value
        return number(value) if array.dtype.kind == "f" else str(int(value)) if array.dtype.kind == "b" else str(value)
    parts = [text_of(each, summarize, number) for each in
             (array if summarize < 0 or len(array) <= 2 * summarize else [*array[:summarize], *array[-summarize:]])]
    if array.dtype.kind in "OSU" and array.ndim == 1:
        parts = [f'"{each}"' for each in parts]
    if len(parts) < len(array):
        parts.insert(summarize, "...")
    return "[" + ("\n" * (array.ndim - 1) + " " * (array.ndim > 1)).join(parts) + "]" if array.ndim > 1 else f"[{' '.join(parts)}]"


class Printing:
    """A line with the places of tensors in it, each a zero character. As a queue it is enqueued to in each step of a program.
    `stream`: a file, a function that takes the line, or "file://" with the path of what it is added to."""

    summed = 1
    left = math.inf  # how often it prints

    def __init__(self, line, end="\n", stream=None, summarize=3, number=None):
        self.texts, self.end, self.stream = line.split("\0"), end, stream
        self.settings = (summarize,) if number is None else (summarize, number)

    def show(self, arrays):
        if self.left <= 0:
            return
        self.left -= 1
        line = "".join(text + value for text, value in zip(self.texts, [text_of(each, *self.settings) for each in arrays] + [""]))
        if callable(self.stream):
            self.stream(line)
        elif isinstance(self.stream, str):
            with open(self.stream.removeprefix("file://"), "a", encoding="utf-8") as file:
                file.write(line + self.end)
        else:
            sys.stdout.flush()
            print(line, end=self.end, file=self.stream or sys.stderr, flush=True)

    def receive(self, arrays, replicas):
        for replica in range(replicas):
            self.show([each[replica] for each in arrays] if replicas > 1 else arrays)


def shown(printing, tensors, name):
    """The operation that prints; None where it has been printed."""
    if not any(graph.is_symbolic(each) for each in tensors) and graph.values_at_hand():
        printing.show([each.value for each in tensors])
        return None
    here = graph.current()
    if here.of_tape:
        printing.show([graph.symbolic(each).value for each in tensors])
        return None
    on_device = here.of_program or "IPU" in (here.device or "").upper()
    return here.add("enqueue" if on_device else "print", [graph.symbolic(each) for each in tensors],
                    {"queue": printing, "guards": here.guards}, [], name)


def print_tensor(input, name=""):  # pylint: disable=redefined-builtin
    """ipu.ops.internal_ops.print_tensor: on stderr, in each step, as Poplar prints it."""
    x = graph.convert(input)
    title = name or getattr(x, "name", "print_tensor").partition(":")[0]
    return shown(Printing(f"{title}: \0", summarize=1000, number=lambda value: f"{value:.7f}"), [x], "print_tensor")


def print_2(*inputs, output_stream=None, sep=" ", end="\n", summarize=3, name=None):
    """tf.print."""
    tensors = []

    def text(given, within=False):
        if hasattr(given, "tensor_of_variable") or isinstance(given, (graph.Tensor, np.ndarray, np.generic)):
            tensors.append(graph.convert(given))
            return "\0"
        if isinstance(given, dict):
            return "{" + ", ".join(f"{key!r}: {text(value, True)}" for key, value in given.items()) + "}"
        if isinstance(given, (list, tuple)):
            parts = ", ".join(text(each, True) for each in given)
            return f"[{parts}]" if isinstance(given, list) else f"({parts})"
        return repr(given) if within and isinstance(given, str) else str(given)
    streams = {"stdout": sys.stdout, "stderr": sys.stderr}
    stream = streams.get(output_stream, output_stream) if isinstance(output_stream, str) else output_stream
    if isinstance(stream, str) and not stream.startswith("file://") or not (
            stream is None or isinstance(stream, str) or callable(stream) or hasattr(stream, "write")):
        raise ValueError(f'Unknown output stream, output_stream must be sys.stdout, sys.stderr, a function of tf.logging or "file://…", got: '
                         f"{output_stream!r}")
    return shown(Printing(sep.join(text(each) for each in inputs), end, stream, summarize), tensors, name or "print")


def print_1(input_, data, message=None, first_n=None, summarize=None, name=None):
    """tf.Print of TensorFlow 1: the tensor itself, which prints when it is made."""
    from . import elementary as operations
    line = (message or "") + "".join("[\0]" if graph.convert(each).dims == () else "\0" for each in data)
    to_print = Printing(line, summarize=summarize or 3)
    if first_n is not None and first_n >= 0:
        to_print.left = first_n
    printing = shown(to_print, [graph.convert(each) for each in data], name or "Print")
    with graph.current().with_(control=(*graph.current().control, *([] if printing is None else [printing]))):
        return operations.identity(input_)


def _as_it_is(x, name=None):
    """remap and remap_deduce: another place on the tiles, which the compiler chooses."""
    from . import elementary as operations
    return operations.identity(x)


def barrier(tensors, insert_barrier_for_gradients=False, name=None):
    """ipu.control_flow_ops.barrier: the tensors, which no operation uses before all of them are there."""
    from . import elementary as operations
    tensors = [graph.convert(each) for each in tensors]
    before = [each.op for each in tensors if graph.is_symbolic(each)]
    with graph.current().with_(control=(*graph.current().control, *before)):
        return [operations.identity(each) for each in tensors]


INTERNAL_OPS = {"print_tensor": print_tensor, "remap": _as_it_is, "remap_deduce": _as_it_is}
