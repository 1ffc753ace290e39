# SPDX-License-Identifier: GPL-3.0-or-later
"""TF_POPLAR_FLAGS: --name or --name=value, separated by spaces."""
import functools
import os
import sys

from . import failures, host

HEEDED = {
    "use_ipu_model": "the device is IPUConfig.ipu_model's",
    "ipu_model_tiles": "=N: its tiles, where IPUConfig.ipu_model.tiles_per_ipu says nothing",
    "executable_cache_path": "=DIR: executables are kept in DIR and used again, as with --cache",
    "show_progress_bar": "=true, =false or =auto: bars of compilations on stderr; auto: where it is a terminal"}
ACCEPTED = {"max_compilation_threads", "max_infeed_threads", "while_loop_brute_force_max_trip_count",
            "null_data_feed", "dump_schedule_as_dot", "fallback_scheduler", "enable_hlo_verifier",
            "disable_poplar_version_check", "sync_replica_start", "allow_nans", "use_on_demand",
            "on_demand_device_poll_time", "on_demand_device_timeout", "tensor_map_file_path", "log_cycle_count",
            "use_synthetic_data", "synthetic_data_categories", "synthetic_data_initializer"}


def _words(text):
    for word in text.split():
        name, _, value = word.lstrip("-").partition("=")
        yield name, value or "true"


def help_text():
    lines = ["TF_POPLAR_FLAGS under tilescope run: --NAME or --NAME=VALUE, separated by spaces", ""]
    lines += [f"  --{name:24}{text}" for name, text in HEEDED.items()]
    lines += ["", "Without effect here: " + ", ".join("--" + each for each in sorted(ACCEPTED))]
    return "\n".join(lines)


def at_start(name):
    """The value of a flag that counts before the script begins, or None. Mistakes are told by read()."""
    return dict(_words(os.environ.get("TF_POPLAR_FLAGS", ""))).get(name)


@functools.lru_cache(None)
def read(text):
    found = {}
    for name, value in _words(text):
        if name not in ACCEPTED | set(HEEDED):
            host.tell(f"tilescope: {failures.not_there(name, sorted(ACCEPTED | set(HEEDED)), 'the flag of TF_POPLAR_FLAGS:')}")
            sys.exit(2)
        if name in ACCEPTED:
            host.tell_once(f"tilescope: TF_POPLAR_FLAGS --{name} has no effect here")
        found[name] = value
    return found
