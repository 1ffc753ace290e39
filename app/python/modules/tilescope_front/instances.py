# SPDX-License-Identifier: GPL-3.0-or-later
"""Several instances of a script, as poprun starts them: processes that run the same script, each with data of its own. Each
of them computes all replicas: what an instance feeds its own replicas goes to the others, too, so that all have the same
weights. The first one records the profile."""
import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from multiprocessing.connection import Connection

from . import failures

_index, _count, _links, _children = 0, 1, [], []


def index():
    return _index


def count():
    return _count


def begin(options, runner, script, arguments):
    """Takes its place among the instances; the first one starts the others."""
    global _index, _count
    _count = options.get("instances", 0) or 1
    options["replicas"] = options.get("replicas", 0) or (_count if _count > 1 else 0)
    if options["replicas"] % _count:
        print(f"tilescope: --num-replicas {options['replicas']} is not a multiple of --num-instances {_count}: use "
              f"{options['replicas'] // _count * _count or _count}", file=sys.stderr)
        sys.exit(2)
    if "instance" in options:
        _index = options["instance"]
        _links.append(Connection(options.pop("link")))
    else:
        _start_others(options, runner, script, arguments)


def _start_others(options, runner, script, arguments):
    if _count == 1:
        return
    folder = tempfile.mkdtemp(prefix="tilescope")  # of profiles that say what the first one says
    atexit.register(shutil.rmtree, folder, True)
    for number in range(1, _count):
        ours, theirs = socket.socketpair()
        told = {**options, "instance": number, "link": theirs.fileno(), "progress": "none",
                "output": os.path.join(folder, f"{number}.tilescope")}
        _children.append(subprocess.Popen(
            [os.path.realpath("/proc/self/exe"), runner, script, *arguments], pass_fds=[theirs.fileno()],
            env={**os.environ, "TILESCOPE_RUN": json.dumps(told)}))
        theirs.close()
        _links.append(Connection(ours.detach()))


def _cannot_go_on(line):
    """The first instance says it."""
    if _index:
        sys.exit(3)
    raise failures.NotThere(line)


def of_all(value, what):
    """What each instance has, by its number. `what` it is must be the same everywhere, for they wait for each other."""
    if _count == 1:
        return [value]
    try:
        if _index:
            _links[0].send((what, value))
            got = _links[0].recv()
        else:
            got = [(what, value)] + [link.recv() for link in _links]
            for link in _links:
                link.send(got)
    except (EOFError, OSError):
        _cannot_go_on("another instance of the script has ended before this one")
    if len({each for each, _ in got}) > 1:
        _cannot_go_on("the instances wait for each other: " +
                      "; ".join(f"instance {i} is at {each}" for i, (each, _) in enumerate(got)))
    return [each for _, each in got]


def of_replicas(values, what):
    """The values of all replicas, of those of this instance."""
    return [each for part in of_all(values, what) for each in part]


def own_part(replicas):
    """The replicas of this instance: (first, number of them)."""
    own = replicas // _count
    return _index * own, own


def end(code):
    """Waits for the others; the exit code of the first that failed."""
    for link in _links:
        link.close()
    for child in _children:
        try:
            other = child.wait(60)
        except subprocess.TimeoutExpired:
            child.terminate()
            other = child.wait()
        code = code or abs(other)
    return code
