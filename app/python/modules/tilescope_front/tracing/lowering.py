# SPDX-License-Identifier: GPL-3.0-or-later
"""From nodes of a graph to a device program: each becomes the engine's operator of its name."""
import json
from time import perf_counter

import numpy as np

from . import device_states, gradients, like_named
from ..tensors import draws, open_shapes
from .. import errors, host, instances
from ..tensors.graph import GraphTensor, for_engine, typed
from ..operations import constraints, ctc

OF_SESSIONS = {"placeholder", "iterator", "between_instances"}
_MOVES = {"read", "constant", "assign", "identity", "group"}  # which round nothing
HOST_KINDS = OF_SESSIONS | {"argument", "dequeue", "over_replicas"}


def reachable(roots, inside, of_values=False):
    """The operations that `roots` (tensors and operations) need, as far as `inside` holds, in their order; `of_values`: but for those
    that only come before."""
    found, rest = {}, list(roots)
    while rest:
        each = rest.pop()
        op = each.op if isinstance(each, GraphTensor) else each
        if op.number in found or not inside(op):
            continue
        found[op.number] = op
        rest += op.inputs + ([] if of_values else op.control_inputs) + [t for t in op.attributes.get("all", [])]
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
        self.assigned = {}  # number of what the step has assigned so far, by variable
        self.assigned_by_steps = {}  # (the variable, operations that assign to it) by its key, where each step does, not an update
        self.read = {}  # the variables themselves
        self.enqueues = []  # (queue, place of the first fetch, number of them, place of whether they count or None)
        self.taken = {}  # place of whether a step takes an element of a queue, by that
        self.fetches = []
        self.nodes = []  # for the profile, as a workload's small graph has them
        self.exchange, self.exchange_of_updates = gradients.Exchange(), None  # of the updates that have been lowered
        self.shape_of = None  # what a tensor of open shape is fed with
        self.replicas = 1  # which the device has room for
        self.fed_apart = False  # whether each of them is fed with values of its own
        self.of_many = self.accumulates = False  # whether a model's updates are of several micro-batches or replicas; of the former
        self.meeting = 1  # replicas that exchange values within a step
        self.trains = self.meets = self.differentiates = False
        self.updating = []  # (optimiser, batches of an update)
        self.updated = []  # (optimiser, names of variables)
        self.stage_ipus = []  # of a pipeline's stages, which are its shards; else shards are IPUs
        self.recompute_piecewise = False  # of its stages, from their checkpoints
        self.offload_activations = False  # what waits in their stashes
        self.products = []  # rules for how the products of single stages are planned
        self.keras, self.prefixes = [], like_named.Prefixes()  # the models, and what their names begin with
        self.unconnected = {}  # what a gradient is by that the loss does not depend on, by the key of the gradient
        self.kept_graphs = []  # of functions that were traced while it was made
        self.roundings = set()  # what scopes say of operations with float16: True, False, or None where they say nothing
        self.handed_on = []  # (name, tensor): what a step leaves for the next one, beside variables
        self.zeroed = []  # (name, value) of variables that each run begins with
        self.losses = []  # (layer or model, what its regularisers add: one number)
        self.swaps_engine = False  # as another program raises a counter of its steps

    _fifo, _execution_counter = device_states.lower_fifo, device_states.lower_counter

    def make_room(self, operations):
        """Counts the replicas of what these operations, which will be added, are on that the device has room for."""
        from .. import ipu_config
        ipus = 1
        while ipus <= max((self.ipu_of(op.shard) for op in operations), default=0):
            ipus *= 2
        self.differentiates = any(op.kind in ("gradients", "minimize") for op in operations)
        self.prefixes.begin(operations)
        wrong = any(each < 0 for each in self.stage_ipus)  # which the engine tells of
        self.replicas = self.meeting = 1 if wrong else max(ipu_config.ipus()[0] // ipus, 1)

    def refuse_own_weights(self):
        """Variables that each of several replicas changes by itself."""
        from .. import failures
        if self.trains:
            raise failures.refused(f"an update on {self.replicas} replicas by an optimizer that does not exchange their gradients",
                                   "each would have weights of its own: put it into ipu.optimizers.CrossReplicaOptimizer, or "
                                   "choose one IPU")

    def refuse_own_values(self):
        """Variables that replicas assign values of their own to in steps in which they meet: those have the values of one."""
        from .. import failures
        kept = [(f"an assignment to {name}", "assign", assignments) for name, (_, assignments) in self.assigned_by_steps.items()]
        for what, take, leaves in [*kept, *((f"a loop that hands on {name}", "hand on", [tensor]) for name, tensor in self.handed_on)]:
            led = reachable(leaves, lambda op: op.kind != "of_replica_group" or op.attributes["kind"] == "group_index", True)
            if any(op.kind in ("dequeue", "of_replica_group") for op in led):
                raise failures.refused(f"{what} on {self.replicas} replicas, in a step in which they exchange values",
                                       f"each would have a value of its own: {take} what all of them have, or enqueue it to an outfeed queue")

    def override(self):
        """How scopes say that all of the program is rounded; None where they say nothing."""
        from .. import failures, ipu_config
        kinds = ipu_config.StochasticRoundingBehaviour
        said = {ipu_config.rounding() if each is None else kinds.from_bool(each) for each in self.roundings}
        if len(said) > 1:
            raise failures.refused("ipu.scopes.stochastic_rounding() around a part of a program", "the simulation rounds all of a program "
                                   "alike; put all of it into the scope, or set floating_point_behaviour.esr")
        return said.pop() if said - {ipu_config.rounding()} else None

    def ipu_of(self, shard):
        return self.stage_ipus[shard] if 0 <= shard < len(self.stage_ipus) else shard

    def id_of(self, tensor):
        key = (tensor.op.number, id(tensor.op.graph), tensor.value_index)
        if key not in self.ids and tensor.op.kind == "gradients":
            self._differentiate(tensor.op)
        elif key not in self.ids:
            self.ids[key] = self.feed(tensor)
        if key in self.unconnected:
            raise errors.InvalidArgumentError(message=f"the loss does not depend on {self.unconnected[key].name}, whose gradient is used: "
                                              "leave it out")
        return self.ids[key]

    def is_connected(self, gradient):
        """Whether the loss depends on what this is the gradient by, as it came; one that was changed is taken to be."""
        if gradient.op.kind != "gradients":
            return True
        key = (gradient.op.number, id(gradient.op.graph), gradient.value_index)
        if key not in self.ids:
            self._differentiate(gradient.op)
        return key not in self.unconnected

    def take_feed(self, tensor):
        """What was to be fed comes from elsewhere."""
        del self.feeds[next(i for i, each in enumerate(self.feeds) if each is tensor)]

    def feed(self, tensor):
        dims = tensor.dims
        if (dims is None or None in dims) and self.shape_of is not None:
            dims = self.shape_of(tensor)  # for the shapes that are fed there is a program of its own
        if dims is None or None in dims:
            raise errors.UnimplementedError(message=f"the shape {tensor.shape} of {tensor.name} is not fixed; shapes "
                                            "are static on the IPU: give each extent a number")
        self.feeds.append(tensor)
        return self.build.feed(f"{tensor.op.name}" if tensor.value_index == 0 else tensor.name.replace(":", "_"),
                               tensor.dtype.in_engine, list(dims))

    def variable(self, variable):
        key = self.prefixes.key_of(variable)
        if key not in self.variables and hasattr(variable, "model"):  # of a layer, which may have been there
            self.keras.append(variable.model)
            self.variables[key] = self.build.variable_named(self.name_of(variable))
            if self.variables[key] >= 0:
                return self.variables[key]
            del self.variables[key]
        elif not hasattr(variable, "model"):
            like_named.check_own(variable, self.read)
            self.read[variable] = None
        if key not in self.variables:
            self.variables[key] = self.build.variable(key, variable.first_values().astype(_numpy_of(variable)), variable.is_trained)
            constraints.constrain(self.build, self.variables[key], getattr(variable, "constraint", None))
        return self.variables[key]

    def add(self, op):
        """One node; its outputs get numbers."""
        if op.kind == "minimize" or op.kind not in _MOVES and any(each.dtype.name == "float16" for each in op.outputs):
            self.roundings.add(op.rounding)
        if "optimizer" in op.attributes:
            self.updating.append((op.attributes["optimizer"], op.attributes["exchange"].accumulation))
        handler = getattr(self, "_" + op.kind, None)
        outputs = handler(op) if handler else self._operator(op)
        for index, number in enumerate(outputs or []):
            self.ids[(op.number, id(op.graph), index)] = number

    def _operator(self, op):
        self.build.place("", "", op.shard, host=op.of_host)
        inputs = [self.id_of(each) for each in op.inputs]
        self.nodes.append({"name": op.name, "op": op.kind, "inputs": [t.op.name for t in op.inputs],
                           **({"shard": self.ipu_of(op.shard)} if op.shard >= 0 else {})})
        settled = open_shapes.settle(op.kind, op.attributes, self.build.type(inputs[0])[1]) if inputs else op.attributes
        return self.build.operation(op.kind, inputs, settled, op.name)

    def _shape(self, op):
        extents = self.build.type(self.id_of(op.inputs[0]))[1]
        return [self.build.constant(op.name, np.asarray(extents, _numpy_of(op.outputs[0])))]

    def _constant(self, op):
        return [self.build.constant(op.name, for_engine(op.attributes["value"]).astype(_numpy_of(op.outputs[0])))]

    def _read(self, op):
        variable = op.attributes["variable"]
        number = self.variable(variable)
        if op.attributes.get("ordered") and self.prefixes.key_of(variable) in self.assigned:
            number = self.assigned[self.prefixes.key_of(variable)]  # a gradient by what it is now does not go on to what it was made of
            floats = op.outputs[0].dtype.is_floating
            return [self.build.operation("stop_gradient", [number], {}, op.name)[0] if floats else number]
        return [self.build.now(number)]

    def _assign(self, op):
        number = self.id_of(op.inputs[0])
        if "of_update" in op.attributes:
            number = gradients.lower_assigned(self, op, number)
        self.build.place("", "", op.shard)
        made = self.copied(number, op.name)
        variable = op.attributes["variable"]
        self.build.set_next(self.variable(variable), made)
        if "of_update" not in op.attributes:
            self.assigned_by_steps.setdefault(self.name_of(variable), (variable, []))[1].append(op)
        self.assigned[self.prefixes.key_of(variable)] = made
        return [made]

    def _identity(self, op):
        number = self.id_of(op.inputs[0])
        if "is_taken" in op.attributes:
            return [self._of_branch(op, number)]
        if op.outputs[0].dtype.is_floating:
            return self._operator(op)
        return [self.build.operation("reshape", [number], {"shape": list(op.outputs[0].dims)}, op.name)[0]]

    def _of_branch(self, op, number):
        """What a branch of tf.cond sees of what is around it: the same, whose gradient is 0 where the branch is not taken."""
        if not self.differentiates:
            return number
        self.build.place("", "", op.shard)
        holds = self.id_of(op.attributes["all"][0])
        fixed = self.build.operation("stop_gradient", [number], {}, op.name)[0] if "otherwise" not in op.attributes else \
            self.build.constant(op.name + "/otherwise", np.asarray(op.attributes["otherwise"], self.build.type(number)[0]))
        return self.where(holds, *((number, fixed) if op.attributes["is_taken"] else (fixed, number)), op.name)

    def _update_count(self, op):
        return [self.build.update_count(op.attributes["name"])]

    def _of_replica_group(self, op):
        """Within a step, of what the replicas of a group have; they compute side by side then."""
        kind, group = op.attributes["kind"], op.attributes["group"] or self.meeting
        if self.meeting % group:
            raise errors.InvalidArgumentError(message=f"replica_group_size {group} does not divide the {self.meeting} replicas")
        self.meets = self.meets or group > 1
        self.build.place("", "", op.shard)
        given = [self.id_of(each) for each in op.inputs]
        if kind in ("times_replicas", "per_replicas"):
            factor = group if kind == "times_replicas" else 1 / group
            times = self.build.constant(op.name + "/replicas", np.asarray(factor, self.build.type(given[0])[0]))
            return [self.build.operation("multiply", [*given, times], {}, op.name)[0]]
        if group == 1 and kind == "group_mean":
            return [self.copied(given[0], op.name)]
        return self.build.operation(kind, given, {"group": group}, op.name)

    def _group(self, op):
        return []

    def _keras(self, op):
        self._check_order(op)
        self.keras.append(op.attributes["model"])
        self.build.place("", "", op.shard)
        inputs, counted = [self.id_of(t) for t in op.inputs], op.attributes.get("counts")
        before = {} if counted is None else dict(self.build.next_values())
        outputs, losses = self.build.keras_model(self.prefixes.document_of(op), inputs, op.attributes["training"], self.seed)
        for variable, number in self.build.next_values() if counted is not None else ():
            if before.get(variable) != number:  # of a norm, which the batch of a branch that is not taken leaves as it was
                self.build.place("", "", op.shard)
                self.build.set_next(variable, self.where(self.id_of(counted), number, before.get(variable, variable), "counted"))
        self.losses += [(op.attributes.get("layer") or op.attributes["model"], each) for each in losses]
        return outputs

    def _check_order(self, op):
        """That what a step has assigned to a weight of layers is not needed by them in the same step."""
        layer, model = op.attributes.get("layer"), op.attributes["model"]
        prefix = self.prefixes(model)
        lost = [key for key in self.assigned if model is not None and key.startswith(prefix) and key[len(prefix):] in model.store.names() and (
            layer is None or key.startswith(f"{prefix}{layer.name}/"))]
        if lost and op.graph.in_order:
            from .. import failures
            raise failures.refused(f"a call of {(layer or model).name} after the same step has assigned to {lost[0]}",
                                   "assign at the end of the step")

    def _compared(self, op):
        self.build.place("", "", op.shard)
        output, labels = (self.id_of(t) for t in op.inputs)
        settings = op.attributes
        return [self.build.compared(settings["name"], settings["metric"], output, labels, settings["from_logits"])]

    def _ctc_loss(self, op):
        return ctc.lower(self, op)

    def _regularised(self, op):
        """A loss with what the regularisers of the layers that came before, or of those of one model, add to it."""
        total = self.id_of(op.inputs[0])
        self.build.place("", "", op.shard)
        parts = op.attributes.get("parts")
        for owner, loss in self.losses:
            if parts is None or id(owner) in parts:
                if self.build.type(loss)[0] != self.build.type(total)[0]:  # of float16, of a layer's activity
                    loss = self.build.operation("cast", [loss], {"dtype": self.build.type(total)[0]}, op.name)[0]
                total = self.build.operation("add", [total, loss], {}, op.name)[0]
        return [total]

    def _gradients(self, op):
        """Nothing yet: most gradients are the update's alone, which the engine differentiates by itself."""
        return []

    def _differentiate(self, op):
        loss, given = self.id_of(op.inputs[0]), op.attributes["sources"]
        known = [i for i, each in enumerate(given) if self._is_made(each)]
        sources = [self.variable_number(given[i]) for i in known]
        reached = self.build.gradients(loss, [self.build.now(each) for each in sources])
        if min(reached, default=0) < 0:  # of a loss from before an update
            reached = [now if now >= 0 else before for now, before in zip(reached, self.build.gradients(loss, sources))]
        numbers = dict(zip(known, reached))
        for index, source in enumerate(given):
            number = numbers.get(index, -1)
            if number < 0 and op.attributes["missing"] == "zeros":
                made = op.outputs[index]
                number = self.build.constant("no_gradient", np.zeros(made.dims, made.dtype.in_engine))
            if number < 0:
                self.unconnected[(op.number, id(op.graph), index)] = source
            self.ids[(op.number, id(op.graph), index)] = number

    def _is_made(self, source):
        """Whether a source is in the program before the loss is differentiated; a tensor that is not has no part in it."""
        return not isinstance(source, GraphTensor) or source.op.kind == "gradients" or \
            (source.op.number, id(source.op.graph), source.value_index) in self.ids

    def _watched(self, op):
        return [self.build.variable(op.name, op.attributes["value"].astype(_numpy_of(op.outputs[0])), False)]

    def source_number(self, source):
        """The same; -1 for what the graph does not have."""
        if source is None or isinstance(source, GraphTensor):
            return -1 if source is None else self.ids.get((source.op.number, id(source.op.graph), source.value_index), -1)
        return self.build.variable_named(self.name_of(source))

    def name_of(self, variable):
        """The name that a variable has in the program: where layers of models are called one by one, it begins with theirs alone."""
        key = self.prefixes.key_of(variable)
        if hasattr(variable, "model") and self.build.variable_named(key) < 0:
            return self.prefixes(variable.model) + variable.model.name_of_traced(variable.key)
        return key

    def variable_number(self, source):
        """The number of what is differentiated by: a variable, a weight of a Keras model, or a tensor."""
        if isinstance(source, GraphTensor):
            return self.id_of(source)
        if hasattr(source, "first_values") and not hasattr(source, "model"):
            return self.variable(source)
        return self.variable(source)

    def _minimize(self, op):
        self.trains = True
        op.attributes["lower"](self, op)
        return []

    def _metric_result(self, op):
        from .. import failures
        raise failures.refused(f"{op.attributes['metric'].name}.result() in what a step computes", "the host works it out: return "
                               "it as a value of the step, and compute with the tensors that the metric is updated with")

    def _enqueue(self, op):
        queue, first, counted = op.attributes["queue"], len(self.fetches), op.attributes.get("counts")
        if counted is not None and queue.summed > 1:
            from .. import failures
            raise failures.refused("enqueue() in a branch on a tensor, to a queue that adds up its micro-batches", "enqueue 0 where the "
                                   "branch is not taken")
        for each in op.inputs:
            self.fetch(each, queue.summed > 1)
        self.enqueues.append((queue, first, len(op.inputs), None if counted is None else self.fetch(counted)))
        return []

    def fetch(self, tensor, summed=False):
        """Makes a tensor, or its sum over the steps of an update, one of the results, and gives its place among them."""
        number = self.result_of(tensor)
        if summed:
            number = self.build.accumulated(number, f"{tensor.op.name}/accumulated")
        self.build.fetch(f"{tensor.op.name}_{len(self.fetches)}" if self.fetches else tensor.op.name, number)
        self.fetches.append(tensor)
        return len(self.fetches) - 1

    def result_of(self, tensor):
        """The number of a tensor that may be a result: of an operation."""
        if "of_update" in tensor.op.attributes and gradients.is_of_many(self, tensor.op.attributes["of_update"][0]):
            raise gradients.refused_to_read(tensor.op.attributes["variable"].key)
        number = self.id_of(tensor)
        if self.build.is_view(number):
            self.build.place("", "", tensor.op.shard)
            number = self.copied(number, tensor.op.name + "/result")
        return number

    def copied(self, number, name):
        """A value of its own; the engine's identity is one of floats, and the greater of a number and itself is that."""
        dtype, _ = self.build.type(number)
        if dtype.startswith("float"):
            return self.build.operation("identity", [number], {}, name)[0]
        return self.build.operation("logical_or" if dtype == "bool" else "maximum", [number, number], {}, name)[0]

    def where(self, condition, one, other, name):
        """One number where a truth value holds, else another one."""
        dims = list(self.build.type(one)[1])
        if dims:
            condition = self.build.operation("broadcast_to", [condition], {"shape": dims}, name)[0]
        return self.build.operation("select", [condition, one, other], {}, name)[0]

    def document(self, name, config):
        graph = {"nodes": self.nodes, "fetches": [t.op.name for t in self.fetches] or ["nothing"]}
        counter = {"compile": {**config.get("compile", {}), "global_step": "ipu"}} if self.swaps_engine else {}
        return json.dumps({"name": name, "seed": self.seed, "graph": graph, **config, **counter})


def _numpy_of(tensor):
    return np.dtype(tensor.dtype.in_engine)


class DeviceProgram:
    """A compiled program and how to run it once: arrays in, arrays out."""

    def __init__(self, lowering, weights, steps, name, states=(), accumulation=1, pipeline="", of_host=False, joins=False):
        """`joins`: whether it is of the engine run that another program has begun, which the host starts once."""
        from .. import ipu_config
        accumulation = max(accumulation, lowering.exchange.accumulation)
        self.lowering, self.weights, self.steps = lowering, weights, steps
        self.replicas = 1 if of_host else lowering.replicas
        self.alike = 1  # replicas that have the same data, of which one is computed
        if not lowering.exchange.replicated and not lowering.infeeds and not lowering.meets and not lowering.fed_apart:
            self.replicas, self.alike = 1, self.replicas
        elif self.replicas > 1 and not lowering.exchange.replicated:
            lowering.refuse_own_weights()
        if lowering.meets and self.replicas > 1:
            lowering.refuse_own_values()
        across = ipu_config.across_instances() and self.replicas > 1
        self.first, self.own = instances.own_part(self.replicas) if across else (0, self.replicas)
        self.name, self.of_all = name, []
        if steps % accumulation:
            raise errors.InvalidArgumentError(message=f"a loop of {steps} steps is no multiple of the {accumulation} "
                                              "steps whose gradients are accumulated for an update")
        self.states = list(states)  # (name of a variable that is set before every run, what says with which value)
        self.differ = self.replicas > 1 and not lowering.meets  # what steps leave; replicas that meet have the same
        self.of_each = [(name, variable) for name, (variable, _) in lowering.assigned_by_steps.items()] if self.differ else []  # replica its own
        self.handed = [name for name, _ in [*self.states, *lowering.zeroed, *self.of_each]]  # what a replica leaves for its next step
        if lowering.taken and self.replicas > 1:
            from .. import failures
            raise failures.refused(f"a branch on a tensor that takes elements of data sets, on {self.replicas} replicas", "take them before it")
        self.ahead = {}  # (queue, its element, or that there was none) of a step that may take none, by the place of whether it does
        self.number, self.resets = 0, 0  # of the next step; how often the device's seed had been set by then
        self.of_update = 0 if of_host else accumulation * self.replicas
        self.runs = 0
        if of_host:
            config = {"device": "cpu"}
        else:
            ipu_config.tell_attached()
            ipu_config.refuse_norm_groups("a program of the script's own")
            config = ipu_config.workload_part(lowering.products, lowering.override())
            if joins:
                config["ipu_config"].setdefault("ipu_model", {})["host_execution_us"] = 0
        if not lowering.fetches:  # what it does is all that is wanted
            none = lowering.build.constant("nothing", np.zeros((), np.float32))
            lowering.build.fetch("nothing", lowering.build.operation("identity", [none], {}, "nothing")[0])
        document = lowering.document(name, {**config, **lowering.exchange.workload_part(accumulation)})
        before = weights.names()
        self.program = host.loaded(host.run().load_graph(lowering.build, document, steps * self.replicas, accumulation,
                                                         pipeline, lowering.stage_ipus, lowering.recompute_piecewise,
                                                         self.replicas, weights=weights, dealt_out=set(self.handed),
                                                         offload_activations=lowering.offload_activations))
        for model in dict.fromkeys(each for each in lowering.keras if each is not None):
            model.initialise_own(weights, before)
        for optimizer, names in lowering.updated:
            optimizer._updates_in(weights, names)

    def adopt(self):
        """Takes the values of the host's variables that it reads to where it has them."""
        for variable in self.lowering.read:
            if hasattr(variable, "adopt"):
                variable.adopt(self.weights)

    def run(self, arrays, states=(), others=()):
        """One engine run: the results of its last step, on the first replica of this instance. `others`: (arrays, states) of the other
        replicas, where those are not the first one's."""
        begun = perf_counter()
        if self.of_update and self.resets != draws.resets():
            self.number, self.resets = draws.first_step(self.of_update), draws.resets()
        own = self._before(states, others)
        arrays = [arrays, *(each for each, _ in others)] if others else [arrays] * self.replicas
        self._set_states(own[0])
        results = []
        for step in range(self.steps if self.program.computes else 0):
            received, self.of_all = [], []
            fed = self._fed_of_all(arrays)
            for replica in range(self.replicas):
                if self.differ:
                    self._set_states(own[replica])
                self.program.step(self.number, fed[replica])
                self.number += 1
                if (replica + 1) % self.program.lanes:
                    continue  # replicas that meet compute with the last of their group
                for lane in range(self.program.lanes):
                    self.program.show(lane)
                    received.append([self._enqueued(*each) for each in self.lowering.enqueues])
                    if step + 1 == self.steps:
                        self.of_all.append(self._results())
                if self.differ:
                    own[replica] = [self.weights.get(name) for name in self.handed]
            self._put_back()
            self._give(received[self.first:self.first + self.own])
            self.program.under_way(0, 1, (step + 1) * self.replicas, self.steps * self.replicas)
        if not self.program.computes:
            self._give_unknown()
            self.of_all = [self._results() for _ in range(self.replicas)]
        self._keep_of_each(own)
        results = self.of_all[self.first] if self.of_all else []
        steps = self.steps * self.replicas
        seconds = self.program.end_execution(0, self.runs * steps, steps, [])
        self.runs += 1
        for optimizer, batches in self.lowering.updating:
            optimizer._has_updated(self.steps // batches)
        host.passed(perf_counter() - begun, seconds)
        return results or self._results()

    def _before(self, states, others):
        """What each replica has of what is handed on, before a run: a variable is what it was there after the last one, where nothing else has set it."""
        zeroed = [first for _, first in self.lowering.zeroed]
        own = [[*given, *zeroed] for given in ([states, *(each for _, each in others)] if others else [states] * self.replicas)]
        for name, variable in self.of_each:
            now, kept = self.weights.get(name), variable.__dict__.get("of_replicas", ())
            kept = kept if len(kept) == self.replicas and np.array_equal(kept[self.first], now) else [now] * self.replicas
            for values, value in zip(own, kept):
                values.append(value)
        return own

    def _keep_of_each(self, own):
        """The host sees what variables are on its first replica."""
        for number, (name, variable) in enumerate(self.of_each, len(self.handed) - len(self.of_each)):
            variable.__dict__["of_replicas"] = [values[number] for values in own]
            self.weights.set(name, own[self.first][number])

    def _give_unknown(self):
        """What an estimate gives for the steps that it does not compute."""
        unknown = [self._enqueued(*each[:3]) for each in self.lowering.enqueues]
        for _ in range(self.steps):
            self._give([unknown] * self.own)

    def _results(self):
        return [typed(self.program.fetched(i), each) for i, each in enumerate(self.lowering.fetches)]

    def _set_states(self, values):
        for name, value in zip(self.handed, values):
            self.weights.set(name, value)

    def _fed_of_all(self, arrays):
        """What a step is fed with, for each replica. `arrays`: beside elements of data sets."""
        fed = [self._fed(each) for each in arrays[self.first:self.first + self.own]]
        return fed if self.own == self.replicas else instances.of_replicas(fed, f"a step of {self.name}")

    def _fed(self, arrays):
        fed = list(arrays)
        for queue in {id(q): q for q, _ in self.lowering.infeeds}.values():
            element = self._element_of(queue)
            fed += [np.asarray(element[i]) for q, i in self.lowering.infeeds if q is queue]
        return [for_engine(np.asarray(each)) if np.asarray(each).dtype.itemsize == 8 else each for each in fed]

    def _element_of(self, queue):
        """What a step is fed with from a queue; zeros at its end, where the step may turn out to take none."""
        place = self.lowering.taken.get(queue)
        if place is None:
            return queue.next_element()
        try:
            element, end = queue.next_element(), None
        except (errors.OutOfRangeError, RuntimeError) as error:  # the latter of an infeed queue
            element, end = [np.zeros(spec.shape.dims_, spec.dtype.as_numpy_dtype) for spec in queue.dataset.flat_specs()], error
        self.ahead[place] = queue, element, end
        return element

    def _put_back(self):
        """Gives elements back to their queues that the step has not taken after all. Errors: OutOfRangeError where it has, and there was none."""
        for place, (queue, element, end) in self.ahead.items():
            if not self.program.fetched(place):
                queue.put_back([element] if end is None else [])
            elif end is not None:
                raise end

    def _enqueued(self, _, first, count, place=None):
        """What a step has enqueued; None where that does not count."""
        if place is not None and not self.program.fetched(place):
            return None
        return [self.program.fetched(i) for i in range(first, first + count)]

    def _give(self, received):
        """What each replica enqueued in a step, to the outfeed queues: one array each, or one for all replicas."""
        for number, (queue, *_) in enumerate(self.lowering.enqueues):
            give(queue, [row[number] for row in received] * self.alike)


def give(queue, rows):
    """Gives an outfeed queue what each replica has enqueued in a step; None where that does not count."""
    given = [each for each in rows if each is not None]
    if given and len(given) < len(rows):
        raise errors.UnimplementedError(message="an outfeed queue that some replicas enqueue to in a step and others do not is not there under "
                                        "tilescope run: enqueue on all of them")
    if given:
        queue.receive(given[0] if len(given) == 1 else [np.stack(column) for column in zip(*given)], len(given))
