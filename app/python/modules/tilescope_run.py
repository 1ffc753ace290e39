# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a script as `tilescope run` asks: Tilescope's modules stand in the place of TensorFlow in this process."""
import json
import os
import signal
import sys

HERE = os.path.dirname(os.path.realpath(__file__))


def stop(number, frame):
    raise KeyboardInterrupt


def without_numpy():
    print(f"tilescope: {sys.executable} has no NumPy, which scripts need; install Debian's python3-numpy", file=sys.stderr)
    return 5


def main():
    options = json.loads(os.environ.pop("TILESCOPE_RUN"))
    script, arguments = sys.argv[1], sys.argv[2:]
    sys.path[0] = HERE
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(1, beside)
    sys.path.append(os.path.join(beside, "package"))  # of a build; an installation has it where Python looks
    try:
        import numpy  # noqa: F401  pylint: disable=unused-import
    except ModuleNotFoundError:
        sys.exit(without_numpy())
    from tilescope_front import failures, host, poplar_flags, standins
    from tilescope_front import instances

    if poplar_flags.at_start("help"):
        print(poplar_flags.help_text())
        sys.exit(0)
    instances.begin(options, os.path.abspath(__file__), script, arguments)
    host.begin(options, script, poplar_flags.at_start)
    host.set_clock()
    standins.install(script)
    sys.path[:2] = [os.path.dirname(os.path.abspath(script))]
    sys.argv = [script] + arguments
    signal.signal(signal.SIGTERM, stop)
    sys.exit(instances.end(failures.run_as_main(script)))


if __name__ == "__main__":
    main()
