# SPDX-License-Identifier: GPL-3.0-or-later
"""ipu.config: IPUConfig with its attributes and checks, and the older functions that set the same."""
import contextlib
import difflib
import enum
import json
import os

import tilescope_engine as engine

from . import host


class SelectionOrder(enum.Enum):
    AUTO, ZIGZAG, SNAKE, HOOF = range(4)


class DeviceConnectionType(enum.Enum):
    ALWAYS, ON_DEMAND, NEVER, PRE_COMPILE = range(4)


class ExecutionProfileType(enum.Enum):
    NO_PROFILE, DEVICE_PROFILE, IPU_PROFILE, TILE_PROFILE = range(4)


class SchedulingAlgorithm(enum.Enum):
    CHOOSE_BEST, CLUSTERING, POST_ORDER, LOOK_AHEAD, SHORTEST_PATH = range(5)


class MergeRemoteBuffersBehaviour(enum.Enum):
    NO_MERGING, MERGE, IF_BENEFICIAL = range(3)


class StochasticRoundingBehaviour(enum.Enum):
    OFF, ON, REPLICA_IDENTICAL_ONLY = range(3)

    @classmethod
    def from_bool(cls, stochastic_rounding):
        return cls.ON if stochastic_rounding else cls.OFF


NOTHING, TIMES, RESULT = "no effect", "times or memory", "results"
_IPUS = (int, list, tuple)
_OPTIMIZATIONS = {
    "math.fast": (bool, False), "math.dot_strength": (bool, True), "enable_fast_math": (bool, False),
    "prefetch_data_streams": (bool, True), "combine_embedding_lookups": (bool, False),
    "combine_matmuls": (bool, False), "enable_graph_outlining": (bool, True), "merge_infeed_io_copies": (bool, True),
    "maximum_cross_replica_sum_buffer_size": (int, 0), "maximum_reduce_scatter_buffer_size": (int, 0),
    "maximum_inter_ipu_copies_buffer_size": (int, 0), "maximum_reduce_many_buffer_size": (int, 0),
    "maximum_all_gather_buffer_size": (int, 0), "maximum_send_recv_cluster_size": (int, 0),
    "minimum_remote_tensor_size": (int, 128), "enable_gather_simplifier": (bool, True),
    "enable_dynamic_slice_replacement": (bool, True), "triangular_solve_expander_block_size": (int, 0),
    "cholesky_block_size": (int, 0),
    "merge_remote_buffers": (MergeRemoteBuffersBehaviour, MergeRemoteBuffersBehaviour.IF_BENEFICIAL)}
_MERGED = ("maximum_cross_replica_sum_buffer_size", "maximum_reduce_scatter_buffer_size", "maximum_all_gather_buffer_size")
# By dotted name: types, default, what it changes on real IPUs, and whether it is heeded here.
ATTRIBUTES = {
    "auto_select_ipus": (_IPUS, [], RESULT, True), "select_ipus": (_IPUS, [], RESULT, True),
    "allow_recompute": (bool, False, TIMES, True),
    "selection_order": (SelectionOrder, SelectionOrder.AUTO, TIMES, True),
    "serialization_output_folder": (str, "", NOTHING, False),
    "compilation_poplar_options": (dict, {}, NOTHING, False), "gcl_poplar_options": (dict, {}, TIMES, False),
    "convolutions.poplar_options": (dict, {}, TIMES, True), "matmuls.poplar_options": (dict, {}, TIMES, True),
    "matmuls.clear_pass_type": (bool, False, TIMES, True), "slices.poplar_options": (dict, {}, TIMES, False),
    "pooling.poplar_options": (dict, {}, TIMES, False),
    "device_connection.type": (DeviceConnectionType, DeviceConnectionType.ALWAYS, NOTHING, True),
    "device_connection.version": (str, "", RESULT, True),
    "device_connection.enable_remote_buffers": (bool, False, TIMES, False),
    "experimental.always_rearrange_copies_on_the_host": (bool, False, TIMES, False),
    "experimental.enable_remote_buffer_embedding": (bool, False, TIMES, False),
    "experimental.enable_prng_stability": (bool, False, RESULT, False),
    "experimental.multi_replica_distribution.process_index": (int, 0, RESULT, False),
    "experimental.multi_replica_distribution.process_count": (int, 0, RESULT, False),
    "floating_point_behaviour.inv": (bool, False, RESULT, False),
    "floating_point_behaviour.div0": (bool, False, RESULT, False),
    "floating_point_behaviour.oflo": (bool, False, RESULT, False),
    "floating_point_behaviour.esr": (StochasticRoundingBehaviour, StochasticRoundingBehaviour.OFF, RESULT, True),
    "floating_point_behaviour.nanoo": (bool, False, RESULT, False),
    "floating_point_behaviour.set_all": (bool, False, RESULT, True),
    "io_tiles.num_io_tiles": (int, 0, TIMES, True), "io_tiles.place_ops_on_io_tiles": (bool, False, TIMES, True),
    "io_tiles.available_memory_proportion": (float, 0.9, TIMES, True),
    "ipu_model.compile_ipu_code": (bool, True, NOTHING, True), "ipu_model.tiles_per_ipu": (int, 0, TIMES, True),
    "ipu_model.version": (str, "ipu2", TIMES, True), "norms.use_stable_statistics": (bool, False, TIMES, False),
    "norms.experimental.distributed_batch_norm_replica_group_size": (int, 1, RESULT, True),
    "scheduling.algorithm": (SchedulingAlgorithm, SchedulingAlgorithm.CHOOSE_BEST, TIMES, False),
    "scheduling.maximum_scheduler_lookahead_depth": (int, 5, TIMES, False),
    "scheduling.maximum_scheduler_search_space_size": (int, 64, TIMES, False),
    **{f"optimizations.{name}": (kind, default, TIMES, name in _MERGED)
       for name, (kind, default) in _OPTIMIZATIONS.items()}}
_HARMLESS_RESULT = {"floating_point_behaviour.inv", "floating_point_behaviour.div0", "floating_point_behaviour.oflo",
                    "floating_point_behaviour.nanoo", "experimental.enable_prng_stability"}


def _copy(value):
    return value.copy() if isinstance(value, (list, dict)) else value


class _Category:
    """Attributes whose names begin alike; the configuration itself is the one with no beginning."""

    def __init__(self, prefix="", values=None):
        object.__setattr__(self, "_prefix", prefix)
        object.__setattr__(self, "_values", values)

    def _full(self, name):
        return f"{self._prefix}.{name}" if self._prefix else name

    def __getattr__(self, name):
        full = self._full(name)
        if full in ATTRIBUTES:
            return self._values[full]
        if any(known.startswith(full + ".") for known in ATTRIBUTES):
            return _Category(full, self._values)
        raise AttributeError(_unknown(full))

    def __setattr__(self, name, value):
        full = self._full(name)
        if full not in ATTRIBUTES:
            if any(known.startswith(full + ".") for known in ATTRIBUTES):
                raise Exception(f"{full} is a category and cannot be assigned to.")
            raise ValueError(_unknown(full))
        kinds = ATTRIBUTES[full][0]
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        if type(value) not in kinds:
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"Trying to set {full} to {value!r} of type {type(value).__name__}, but it must be of "
                            f"type {wanted}.")
        if full == "optimizations.enable_fast_math":
            host.log("WARNING", "optimizations.enable_fast_math has been deprecated: use optimizations.math.fast")
        self._values[full] = value

    def __str__(self):
        return "\n".join(f"{name} = {value!r}" for name, value in self._values.items()
                         if name.startswith(self._prefix))


def _unknown(full):
    near = difflib.get_close_matches(full, ATTRIBUTES, 1)
    return f"'{full}' is not a valid attribute of IPUConfig." + (f" Did you mean '{near[0]}'?" if near else "")


class IPUConfig(_Category):
    """What the IPU system of the script is: see resources/docs, "Scripts"."""

    def __init__(self):
        super().__init__("", {name: _copy(row[1]) for name, row in ATTRIBUTES.items()})

    def configure_ipu_system(self, device="cpu"):
        configure_ipu_system(self, device)

    def get_attribute_metadata(self, name):
        if name not in ATTRIBUTES:
            raise ValueError(_unknown(name))
        kind, default = ATTRIBUTES[name][:2]
        return type("AttributeMetadata", (), {"name": name, "type": str(kind), "default": default})()

    def to_dict(self):
        return {name: value.value if isinstance(value, enum.Enum) else value for name, value in self._values.items()}

    def to_json(self):
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, values):
        made = cls()
        for name, value in values.items():
            kind = ATTRIBUTES[name][0] if name in ATTRIBUTES else None
            made._values[name] = kind(value) if isinstance(kind, type) and issubclass(kind, enum.Enum) else value
        return made

    @classmethod
    def from_json(cls, text):
        return cls.from_dict(json.loads(text))

    def __deepcopy__(self, memo):
        made = IPUConfig()
        made._values.update({name: _copy(value) for name, value in self._values.items()})
        return made

    def __repr__(self):
        return "IPUConfig:\n" + "\n".join("  " + line for line in str(self).splitlines())


_present = None
_attached = False
_changes = 0


def configure_ipu_system(config, device="cpu", reset_configuration=True):
    global _present, _attached, _changes
    if not isinstance(config, IPUConfig):
        raise TypeError(f"configure_ipu_system() expects an IPUConfig, got {type(config).__name__}")
    _check(config._values)
    new = config.to_dict()
    if _present is not None and new != _present.to_dict():
        host.log("WARNING", "Resetting existing IPU configuration before applying new configuration")
        _attached = False
        _changes += 1
    import copy
    _present = copy.deepcopy(config)
    engine.profile_ipus(host.run())


def reset_ipu_configuration():
    global _present, _attached, _changes
    _present, _attached, _changes = None, False, _changes + 1


def changes():
    """How often the configuration has become another one: programs are of the one that they are compiled for."""
    return _changes


def is_configured():
    return _present is not None


def get_ipu_config(session=None):
    if _present is None:
        raise RuntimeError("No IPU devices have been configured.")
    return [_present]


def _check(values):
    if values["auto_select_ipus"] not in ([], ()) and values["select_ipus"] not in ([], ()):
        raise Exception("Only one of `auto_select_ipus` and `select_ipus` can be set.")
    chosen = values["select_ipus"]
    if isinstance(chosen, (list, tuple)) and len(set(chosen)) != len(chosen):
        raise ValueError("All device indices in `select_ipus` must be unique.")
    if values["io_tiles.place_ops_on_io_tiles"] and values["io_tiles.num_io_tiles"] == 0:
        raise ValueError("io_tiles.place_ops_on_io_tiles is True, and io_tiles.num_io_tiles is 0.")
    if not 0 <= values["io_tiles.num_io_tiles"] <= 192:
        raise ValueError(f"io_tiles.num_io_tiles must be between 0 and 192, got {values['io_tiles.num_io_tiles']}.")
    if values["io_tiles.num_io_tiles"] > 0 and values["norms.experimental.distributed_batch_norm_replica_group_size"] > 1:
        raise ValueError("norms.experimental.distributed_batch_norm_replica_group_size is not supported with I/O tiles.")
    if values["norms.experimental.distributed_batch_norm_replica_group_size"] < 1:
        raise ValueError("norms.experimental.distributed_batch_norm_replica_group_size must be at least 1.")
    kind = values["device_connection.type"]
    if kind in (DeviceConnectionType.PRE_COMPILE, DeviceConnectionType.NEVER) and \
            not values["device_connection.version"]:
        raise ValueError(f"device_connection.version must be set with device_connection.type {kind.name}.")
    for name, value in values.items():
        _, default, changes, heeded = ATTRIBUTES[name]
        if heeded or value == default:
            continue
        if changes == RESULT and name not in _HARMLESS_RESULT:
            from . import failures
            raise failures.refused(f"IPUConfig.{name} = {value!r}", "it changes results, and the simulation has not "
                                   "got it; leave it as it is")
        host.tell_once(f"tilescope: IPUConfig.{name} has no effect here")
    if values["floating_point_behaviour.set_all"]:
        host.tell_once("tilescope: of IPUConfig.floating_point_behaviour.set_all only esr has an effect here")


_across = 0  # by how many IPUs of instances a script's own are multiplied; 0 for instances that run by themselves


def take_across_instances(times):
    """From here on programs are of the replicas of all instances. `times`: instances whose IPUs the script does not count."""
    global _across
    _across = times


@contextlib.contextmanager
def of_one_worker():
    """Within it programs are those of one worker, though a strategy of several workers is there."""
    before = _across
    take_across_instances(0 if before > 1 else before)
    try:
        yield
    finally:
        take_across_instances(before)


def across_instances():
    from . import instances
    return _across > 0 and instances.count() > 1


def ipus():
    """IPUs of each device: [4] for auto_select_ipus = 4."""
    chosen = [] if _present is None else _present._values["auto_select_ipus"]
    given = [chosen] if isinstance(chosen, int) else list(chosen) or [1]
    return [each * max(_across, 1) for each in given]


def ipus_of_device(ipu_device, device="cpu"):
    """ipu.utils.get_num_of_ipus_in_device: those of "/device:IPU:1" and the like."""
    number, every = int(ipu_device.rpartition(":")[2]), ipus()
    if not 0 <= number < len(every):
        raise ValueError(f"{ipu_device} is none of the {len(every)} devices that are configured")
    return every[number]


def rounding():
    """How float16 is rounded, as it is configured now."""
    if _present is None:
        return StochasticRoundingBehaviour.OFF
    everything = _present._values["floating_point_behaviour.set_all"]
    return StochasticRoundingBehaviour.ON if everything else _present._values["floating_point_behaviour.esr"]


_IO_TILES = ("num_io_tiles", "place_ops_on_io_tiles", "available_memory_proportion")
_NORM_GROUP = "distributed_batch_norm_replica_group_size"


def norms_part():
    """The `ipu_config` of a workload whose batch norms may have the statistics of several replicas."""
    group = 1 if _present is None else _present._values["norms.experimental." + _NORM_GROUP]
    return {"norms": {"experimental": {_NORM_GROUP: group}}} if group > 1 else {}


def refuse_norm_groups(where):
    if norms_part():
        from . import failures
        raise failures.refused(f"IPUConfig.norms.experimental.{_NORM_GROUP} in {where}",
                               "set it where a Keras model's fit trains, or leave it at 1")


PLANNED = {"availableMemoryProportion", "partialsType", "gatherConvOutput", "gatherOutput"}  # of PopLibs' options, those that change plans here


def planning(options):
    """What a dictionary of PopLibs' options says of how products are planned, as a workload's rule has it."""
    rule = {}
    if "availableMemoryProportion" in options:
        rule["available_memory_proportion"] = float(options["availableMemoryProportion"])
    if "partialsType" in options:
        rule["partials_type"] = {"half": "float16", "float": "float32"}.get(options["partialsType"],
                                                                             options["partialsType"])
    for name in ("gatherConvOutput", "gatherOutput"):
        if name in options:
            rule["gather_output"] = str(options[name]).lower() == "true"
    return rule


def workload_part(products=(), rounds=None):
    """`system` and `ipu_config` of a workload, as they are now; `products`: further rules, which prevail. `rounds`: how a scope
    says that float16 is rounded."""
    values = {name: row[1] for name, row in ATTRIBUTES.items()} if _present is None else _present._values
    config = {}
    for name in ("auto_select_ipus", "select_ipus"):
        given = values[name]
        if given not in ([], ()):
            config[name] = given if isinstance(given, int) else list(given)
    if _across > 1:
        config["auto_select_ipus"] = ipus()[0]
    config["allow_recompute"] = values["allow_recompute"]
    config["selection_order"] = values["selection_order"].name
    config["optimizations"] = {name: values["optimizations." + name] for name in _MERGED}
    if values["io_tiles.num_io_tiles"] > 0:
        config["io_tiles"] = {name: values["io_tiles." + name] for name in _IO_TILES}
    rounds = rounds or rounding()
    if rounds is not StochasticRoundingBehaviour.OFF:
        config["floating_point_behaviour"] = {"esr": rounds.name}
    rules = [{"of": kind, **planning(values[kind + ".poplar_options"])} for kind in ("convolutions", "matmuls")]
    if values["matmuls.clear_pass_type"]:
        rules[-1]["clear_pass_type"] = True
    config["products"] = [rule for rule in rules if len(rule) > 1] + list(products)
    if using_ipu_model() or values["device_connection.version"]:
        model = {"version": values["device_connection.version"] or values["ipu_model.version"],
                 "compile_ipu_code": values["ipu_model.compile_ipu_code"]}
        tiles = values["ipu_model.tiles_per_ipu"] or int(flags().get("ipu_model_tiles", 0))
        config["ipu_model"] = {**model, **({"tiles_per_ipu": tiles} if tiles > 0 else {})}
    selected = config.get("select_ipus")
    system = host.system_for(sum(ipus())) if selected is None else host.options["system"] or "server16"
    return {"system": system, "ipu_config": config}


def flags():
    """TF_POPLAR_FLAGS by name; a flag without a value is "true"."""
    from . import poplar_flags
    return poplar_flags.read(os.environ.get("TF_POPLAR_FLAGS", ""))


def using_ipu_model():
    return flags().get("use_ipu_model", "false") == "true"


def tell_attached():
    """What is logged with the first program on a device; the engine says which it is."""
    global _attached
    if _attached:
        return
    _attached = True
    if _present is None:
        host.log("INFO", "No IPU device was configured, a device with a single IPU is created")
