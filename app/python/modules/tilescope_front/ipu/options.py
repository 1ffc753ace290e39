# SPDX-License-Identifier: GPL-3.0-or-later
"""create_ipu_config and the functions around it, as they were before SDK 2.4: each takes the options first and gives
them back. They are an IPUConfig."""
from .. import failures, host, ipu_config
from ..ipu_config import DeviceConnectionType, ExecutionProfileType, IPUConfig, SchedulingAlgorithm, SelectionOrder

_ALGORITHMS = {"": SchedulingAlgorithm.CHOOSE_BEST, "Clustering": SchedulingAlgorithm.CLUSTERING,
               "PostOrder": SchedulingAlgorithm.POST_ORDER, "LookAhead": SchedulingAlgorithm.LOOK_AHEAD,
               "ShortestPath": SchedulingAlgorithm.SHORTEST_PATH}


def _checked(opts, function):
    if not isinstance(opts, IPUConfig):
        raise TypeError(f"{function}() takes the options of create_ipu_config(), got {type(opts).__name__}")
    return opts


def _set(opts, function, values):
    """Sets attributes by dotted name, whatever number they are given as."""
    _checked(opts, function)
    for name, value in values.items():
        kind = ipu_config.ATTRIBUTES[name][0]
        opts._values[name] = kind(value) if kind in (int, bool, float, str) else value
    return opts


def create_ipu_config(profiling=False, enable_ipu_events=False, use_poplar_text_report=False,
                      use_poplar_cbor_report=False, profile_execution=None, enable_poplar_serialized_graph=False,
                      report_every_nth_execution=0, max_report_size=0x10000000, report_directory="",
                      scheduler_selection="", always_rearrange_copies_on_the_host=False, merge_infeed_io_copies=False,
                      disable_graph_outlining=False, max_cross_replica_sum_buffer_size=0,
                      max_inter_ipu_copies_buffer_size=0, max_scheduler_lookahead_depth=5,
                      max_scheduler_search_space_size=64, prefetch_data_streams=True,
                      selection_order=SelectionOrder.AUTO, enable_experimental_remote_buffer_embedding=False,
                      **older):
    if profiling and enable_ipu_events:
        raise Exception("`profiling` and `enable_ipu_events` are mutually exclusive")
    if profile_execution not in (None, False, ExecutionProfileType.NO_PROFILE) and not profiling:
        raise Exception("`profiling` is required when `profile_execution` is set")
    if profiling or enable_ipu_events or use_poplar_text_report:
        host.tell_once("tilescope: create_ipu_config(profiling=…) has no effect here: every run is profiled")
    failures.without_effect("create_ipu_config", older, (
        "report_options", "graph_options", "execution_options", "compilation_options", "force_replicated_mode",
        "enable_matmul_combiner", "max_reduce_scatter_buffer_size", "min_remote_tensor_size", "always_use_host_rearrangement"))
    algorithm = scheduler_selection if isinstance(scheduler_selection, SchedulingAlgorithm) else \
        _ALGORITHMS.get(scheduler_selection)
    if algorithm is None:
        raise TypeError(f"`scheduler_selection` must be one of {', '.join(map(repr, _ALGORITHMS))}")
    return _set(IPUConfig(), "create_ipu_config", {
        "scheduling.algorithm": algorithm, "selection_order": selection_order,
        "scheduling.maximum_scheduler_lookahead_depth": max_scheduler_lookahead_depth,
        "scheduling.maximum_scheduler_search_space_size": max_scheduler_search_space_size,
        "experimental.always_rearrange_copies_on_the_host": always_rearrange_copies_on_the_host,
        "experimental.enable_remote_buffer_embedding": enable_experimental_remote_buffer_embedding,
        # Its default is another than IPUConfig's, and neither has an effect: nothing to tell.
        "optimizations.merge_infeed_io_copies": True,
        "optimizations.enable_graph_outlining": not disable_graph_outlining,
        "optimizations.maximum_cross_replica_sum_buffer_size": max_cross_replica_sum_buffer_size,
        "optimizations.maximum_inter_ipu_copies_buffer_size": max_inter_ipu_copies_buffer_size,
        "optimizations.prefetch_data_streams": prefetch_data_streams})


def _choose(opts, function, name, chosen):
    _checked(opts, function)
    if opts.auto_select_ipus not in ([], ()) or opts.select_ipus not in ([], ()):
        raise Exception("IPU devices have already been configured.")
    setattr(opts, name, chosen)
    return opts


def auto_select_ipus(opts, num_ipus):
    if not isinstance(num_ipus, (int, list, tuple)):
        raise Exception("`num_ipus` must be an integer, list or tuple.")
    return _choose(opts, "auto_select_ipus", "auto_select_ipus", num_ipus)


def select_ipus(opts, indices):
    if not isinstance(indices, (list, tuple)):
        raise Exception("`indices` must be a list or tuple.")
    if len(set(indices)) != len(indices):
        raise Exception("All device indices in `indices` must be unique.")
    return _choose(opts, "select_ipus", "select_ipus", indices)


def set_ipu_connection_type(opts, connection_type=DeviceConnectionType.ALWAYS, ipu_version="",
                            enable_remote_buffers=False):
    version = f"ipu{ipu_version}" if isinstance(ipu_version, int) else ipu_version or ""
    return _set(opts, "set_ipu_connection_type", {
        "device_connection.type": connection_type, "device_connection.version": version,
        "device_connection.enable_remote_buffers": enable_remote_buffers})


def set_optimization_options(opts, combine_embedding_lookups=False, combine_matmuls=False,
                             max_cross_replica_sum_buffer_size=0, max_reduce_scatter_buffer_size=0,
                             max_inter_ipu_copies_buffer_size=0, max_send_recv_cluster_size=0,
                             minimum_remote_tensor_size=128, merge_remote_buffers=None, gather_simplifier=True,
                             triangular_solve_expander_block_size=0, cholesky_block_size=0, enable_fast_math=False):
    return _set(opts, "set_optimization_options", {f"optimizations.{name}": value for name, value in {
        "combine_embedding_lookups": combine_embedding_lookups, "combine_matmuls": combine_matmuls,
        "maximum_cross_replica_sum_buffer_size": max_cross_replica_sum_buffer_size,
        "maximum_reduce_scatter_buffer_size": max_reduce_scatter_buffer_size,
        "maximum_inter_ipu_copies_buffer_size": max_inter_ipu_copies_buffer_size,
        "maximum_send_recv_cluster_size": max_send_recv_cluster_size,
        "minimum_remote_tensor_size": minimum_remote_tensor_size, "enable_gather_simplifier": gather_simplifier,
        "triangular_solve_expander_block_size": triangular_solve_expander_block_size,
        "cholesky_block_size": cholesky_block_size, "math.fast": enable_fast_math}.items()})


def _more_options(attribute, argument):
    """A function that adds to a dictionary of Poplar's options, call after call."""
    def function(opts, options=None, clear_pass_type=False, **named):
        given = named.pop(argument, options) or {}
        if named:
            from .. import failures
            raise failures.not_there(next(iter(named)), [argument], f"the argument of set_{argument}():")
        if not isinstance(given, dict):
            raise Exception(f"`{argument}` must be a dictionary")
        values = _checked(opts, f"set_{argument}")._values
        values[attribute] = {**values[attribute], **given}
        if attribute == "matmuls.poplar_options":
            values["matmuls.clear_pass_type"] = bool(clear_pass_type)
        return opts
    function.__name__ = f"set_{argument}"
    return function


set_convolution_options = _more_options("convolutions.poplar_options", "convolution_options")
set_matmul_options = _more_options("matmuls.poplar_options", "matmul_options")
set_pooling_options = _more_options("pooling.poplar_options", "pooling_options")
set_compilation_options = _more_options("compilation_poplar_options", "compilation_options")
set_gcl_options = _more_options("gcl_poplar_options", "gcl_options")


def set_floating_point_behaviour_options(opts, inv=True, div0=True, oflo=True, esr=True, nanoo=True):
    return _set(opts, "set_floating_point_behaviour_options", {
        "floating_point_behaviour.inv": inv, "floating_point_behaviour.div0": div0,
        "floating_point_behaviour.oflo": oflo, "floating_point_behaviour.nanoo": nanoo,
        "floating_point_behaviour.esr": ipu_config.StochasticRoundingBehaviour.from_bool(esr)})


def set_recomputation_options(opts, allow_recompute=True, allow_stateful_recompute=None):
    return _set(opts, "set_recomputation_options", {"allow_recompute": allow_recompute})


def set_norm_options(opts, use_stable_statistics=False, experimental_distributed_batch_norm_replica_group_size=1):
    return _set(opts, "set_norm_options", {
        "norms.use_stable_statistics": use_stable_statistics,
        "norms.experimental.distributed_batch_norm_replica_group_size":
            experimental_distributed_batch_norm_replica_group_size})


def set_io_tile_options(opts, num_io_tiles, place_ops_on_io_tiles=None, io_tile_available_memory_proportion=0.9):
    return _set(opts, "set_io_tile_options", {
        "io_tiles.num_io_tiles": num_io_tiles, "io_tiles.place_ops_on_io_tiles": bool(place_ops_on_io_tiles),
        "io_tiles.available_memory_proportion": io_tile_available_memory_proportion})


def set_ipu_model_options(opts, compile_ipu_code=True, tiles_per_ipu=None, ipu_model_version="ipu2"):
    return _set(opts, "set_ipu_model_options", {
        "ipu_model.compile_ipu_code": compile_ipu_code, "ipu_model.tiles_per_ipu": tiles_per_ipu or 0,
        "ipu_model.version": ipu_model_version})


def set_serialization_options(opts, output_folder=""):
    return _set(opts, "set_serialization_options", {"serialization_output_folder": output_folder})


def set_experimental_multi_replica_distribution_options(opts, process_count, process_index):
    return _set(opts, "set_experimental_multi_replica_distribution_options", {
        "experimental.multi_replica_distribution.process_count": process_count,
        "experimental.multi_replica_distribution.process_index": process_index})


def _without_effect(name):
    def function(opts, *arguments, **named):
        host.tell_once(f"tilescope: ipu.utils.{name}() has no effect here")
        return _checked(opts, name)
    function.__name__ = name
    return function


FUNCTIONS = {f.__name__: f for f in (
    create_ipu_config, auto_select_ipus, select_ipus, set_ipu_connection_type, set_optimization_options,
    set_convolution_options, set_matmul_options, set_pooling_options, set_compilation_options, set_gcl_options,
    set_floating_point_behaviour_options, set_recomputation_options, set_norm_options, set_io_tile_options,
    set_ipu_model_options, set_serialization_options, set_experimental_multi_replica_distribution_options,
    *map(_without_effect, ("set_report_options", "set_transfer_options", "set_verification_options")))}
