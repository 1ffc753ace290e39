# SPDX-License-Identifier: GPL-3.0-or-later
"""From nodes of a graph to a device program: each becomes the engine's operator of its name."""
import json
from time import perf_counter

import numpy as np

from . import errors, host
from .graph import GraphTensor

HOST_KINDS = {"placeholder", "argument", "iterator", "dequeue"}


def reachable(roots, inside):
    """The operations that `roots` (tensors and operations) need, as far as `inside` holds, in their order."""
    found, rest = {}, list(roots)
    while rest:
        each = rest.pop()
        op = each.op if isinstance(each, GraphTensor) else each
        if op.number in found or not inside(op):
            continue
        found[op.number] = op
        rest += op.inputs + op.control_inputs + [t for t in op.attributes.get("all", [])]
    return [found[number] for number in sorted(found)]


class Lowering:
    """A graph of the engine while nodes are added to it."""

    def __init__(self, name, seed):
        self.build = host.run().graph(name)
        self.seed = seed
        self.ids = {}
        self.feeds = []  # tensors whose values the host gives
        self.infeeds = []  # (queue, index of the element's part) in the order of the feeds, after those
        self.variables = {}  # number of a value, by variable
        self.enqueues = []
        self.fetches = []
        self.nodes = []  # for the profile, as a workload's small graph has them
        self.trains = False
        self.keras = []
        self.losses = []  # what layers' regularisers add, one number each

    def id_of(self, tensor):
        key = (tensor.op.number, id(tensor.op.graph), tensor.value_index)
        if key not in self.ids:
            self.ids[key] = self.feed(tensor)
        return self.ids[key]

    def feed(self, tensor):
        if tensor.dims is None or None in tensor.dims:
            raise errors.UnimplementedError(message=f"the shape {tensor.shape} of {tensor.name} is not fixed; shapes "
                                            "are static on the IPU: give each extent a number")
        self.feeds.append(tensor)
        return self.build.feed(f"{tensor.op.name}" if tensor.value_index == 0 else tensor.name.replace(":", "_"),
                               engine_type(tensor), list(tensor.dims))

    def variable(self, variable):
        if variable.key not in self.variables:
            self.variables[variable.key] = self.build.variable(
                variable.key, variable.first_values().astype(_numpy_of(variable)), variable.trainable)
        return self.variables[variable.key]

    def add(self, op):
        """One node; its outputs get numbers."""
        handler = getattr(self, "_" + op.kind, None)
        outputs = handler(op) if handler else self._operator(op)
        for index, number in enumerate(outputs or []):
            self.ids[(op.number, id(op.graph), index)] = number

    def _operator(self, op):
        self.build.place("", "", op.shard)
        inputs = [self.id_of(each) for each in op.inputs]
        self.nodes.append({"name": op.name, "op": op.kind, "inputs": [t.op.name for t in op.inputs],
                           **({"shard": op.shard} if op.shard >= 0 else {})})
        return self.build.operation(op.kind, inputs, op.attributes, op.name)

    def _constant(self, op):
        value = op.attributes["value"]
        return [self.build.constant(op.name, value.astype(_numpy_of(op.outputs[0])))]

    def _read(self, op):
        return [self.variable(op.attributes["variable"])]

    def _assign(self, op):
        number = self.id_of(op.inputs[0])
        self.build.place("", "", op.shard)
        made = self.build.operation("identity", [number], {}, op.name)
        self.build.set_next(self.variable(op.attributes["variable"]), made[0])
        return made

    def _group(self, op):
        return []

    def _keras(self, op):
        self.keras.append(op.attributes["model"])
        self.build.place("", "", op.shard)
        outputs, losses = self.build.keras_model(op.attributes["document"], [self.id_of(t) for t in op.inputs],
                                                 op.attributes["training"], self.seed)
        self.losses += losses
        return outputs

    def _compared(self, op):
        self.build.place("", "", op.shard)
        output, labels = (self.id_of(t) for t in op.inputs)
        settings = op.attributes
        return [self.build.compared(settings["name"], settings["metric"], output, labels, settings["from_logits"])]

    def with_losses(self, tensor):
        """The number of a loss with what regularisers add to it."""
        total = self.id_of(tensor)
        self.build.place("", "", tensor.op.shard)
        for loss in self.losses:
            total = self.build.operation("add", [total, loss], {}, "regularised")[0]
        return total

    def _minimize(self, op):
        if self.trains:
            raise errors.UnimplementedError(message="a second optimizer in one program is not there under tilescope "
                                            "run: sum the losses and minimize once")
        self.trains = True
        self.build.train(self.id_of(op.inputs[0]), json.dumps(op.attributes["optimizer"]))
        return []

    def _enqueue(self, op):
        self.enqueues.append((op.attributes["queue"], len(self.fetches), len(op.inputs)))
        for each in op.inputs:
            self.fetch(each)
        return []

    def fetch(self, tensor):
        """Makes a tensor one of the results, and gives its place among them."""
        number = self.result_of(tensor)
        self.build.fetch(f"{tensor.op.name}_{len(self.fetches)}" if self.fetches else tensor.op.name, number)
        self.fetches.append(tensor)
        return len(self.fetches) - 1

    def result_of(self, tensor):
        """The number of a tensor that may be a result: of an operation."""
        number = self.id_of(tensor)
        if tensor.op.kind in HOST_KINDS | {"read", "constant"}:
            self.build.place("", "", tensor.op.shard)
            number = self.build.operation("identity", [number], {}, tensor.op.name + "/result")[0]
        return number

    def document(self, name, config):
        graph = {"nodes": self.nodes, "fetches": [t.op.name for t in self.fetches] or ["nothing"]}
        return json.dumps({"name": name, "seed": self.seed, "graph": graph, **config})


def engine_type(tensor):
    name = tensor.dtype.name
    return {"float64": "float32", "int64": "int32", "uint8": "int32", "int8": "int32"}.get(name, name)


def _numpy_of(tensor):
    return np.dtype(engine_type(tensor))


class DeviceProgram:
    """A compiled program and how to run it once: arrays in, arrays out."""

    def __init__(self, lowering, weights, steps, name, states=(), accumulation=1, pipeline=""):
        from . import ipu_config
        self.lowering, self.weights, self.steps = lowering, weights, steps
        self.states = list(states)  # (variable name, array that it starts with in every run)
        self.number = 0
        self.runs = 0
        ipu_config.tell_attached()
        document = lowering.document(name, ipu_config.workload_part())
        self.program = host.loaded(host.run().load_graph(lowering.build, document, steps, accumulation, pipeline,
                                                         weights=weights))

    def run(self, arrays, states=()):
        """One engine run: the results of its last step, and its simulated seconds."""
        begun = perf_counter()
        for (name, _), value in zip(self.states, states):
            self.weights.set(name, value)
        for _ in range(self.steps if self.program.computes else 0):
            fed = list(arrays)
            for queue in {id(q): q for q, _ in self.lowering.infeeds}.values():
                element = queue.next_element()
                fed += [element[i] for q, i in self.lowering.infeeds if q is queue]
            self.program.step(self.number, fed)
            self.number += 1
            for queue, first, count in self.lowering.enqueues:
                queue.receive([self.program.fetched(first + i) for i in range(count)])
        seconds = self.program.end_execution(0, self.runs * self.steps, self.steps, [])
        self.runs += 1
        host.passed(perf_counter() - begun, seconds)
        return [self.program.fetched(i) for i in range(len(self.lowering.fetches))]
