# SPDX-License-Identifier: GPL-3.0-or-later
"""How a script ends, and what a person is told: one line for what is not there, and never our own frames."""
import ast
import difflib
import dis
import inspect
import linecache
import os
import runpy
import sys
import sysconfig
import traceback

import numpy as np

import tilescope_engine as engine

from . import host, names

OURS = os.path.dirname(os.path.realpath(__file__))
LIBRARIES = tuple(sysconfig.get_path(each) for each in ("stdlib", "purelib")) + (os.path.dirname(np.__path__[0]), "<")
ASK = "ask for it where Tilescope's issues are kept"
MISTAKE = "where that is right the mistake is Tilescope's: report it where its issues are kept"
_last_missing = None


class NotThere(AttributeError):
    """A name, an argument or a setting that the modules do not have, or what cannot go on: one line says it."""


class ModuleNotThere(ModuleNotFoundError):
    """The same of a module, which a script may be able to do without."""


def asked(line):
    """The line with where to ask for what it says is not there."""
    return f"{line}; {ASK}"


def _nearest(owner, last, known, elsewhere):
    """What is nearest to `last` of what `owner` has, or of the same name elsewhere; else what the owner has."""
    begun = sorted((each for each in known if len(last) > 3 and each.startswith(last)), key=len)
    below = {each.lower(): each for each in reversed(known)}
    near = begun or [below[each] for each in difflib.get_close_matches(last.lower(), below, 1)]
    if near:
        return f"{owner + '.' if owner else ''}{near[0]}"
    if elsewhere:
        return min(elsewhere, key=lambda each: (len(each), each))
    shown = difflib.get_close_matches(last, known, 3, 0.5) if owner and len(known) > 8 else known
    rest = len(known) - len(shown)
    more = (f" and {rest} more" if shown else f"{rest} names") if rest else ""
    return f"{owner}, which has {', '.join(shown)}{more}" if known else owner


def not_there(name, known, kind=""):
    """The error for `name`, with the nearest of the names that are there."""
    global _last_missing
    owner, _, last = name.rpartition(".")
    near = _nearest(owner, last, [str(each) for each in known], names.elsewhere(name) if owner and not kind else [])
    hint = f"; the nearest that is there is {near.removeprefix(', which has ')}" if near else ""
    _last_missing = asked(f"{kind + ' ' if kind else ''}{name} is not there under tilescope run{hint}")
    return NotThere(_last_missing)


def refused(name, reason):
    """The error for what is there in IPU TensorFlow and cannot be here, with its reason and what to do instead."""
    global _last_missing
    _last_missing = asked(f"{name} is not there under tilescope run: {reason}")
    return NotThere(_last_missing)


def no_file(line):
    """The error for data that are not where a script looks for them."""
    return NotThere(line)


def refused_module(name, reason):
    return ModuleNotThere(str(refused(name, reason)), name=name)


def check_arguments(function, given, known):
    """That all the names among these arguments are known."""
    for name in given:
        if name not in known:
            raise not_there(name, known, f"the argument of {names.full_name_of(function)}:")


def count_of(name, value):
    """A whole number above 0 as such, also where it is a tensor of the host; None where nothing is given."""
    if value is None:
        return None
    if not hasattr(value, "__index__") or int(value) < 1:
        raise ValueError(f"Expected `{name}` to be a positive integer, but got {value} instead.")
    return int(value)


def without_effect(function, given, known):
    """Tells of arguments that are accepted and have no effect; those that are not known are refused."""
    check_arguments(f"{function}()", given, [*known, *(names.arguments_of(function) or [])])
    for name in given:
        host.tell_once(f"tilescope: {function}({name}=…) has no effect here")


def _is_ours(filename):
    real = os.path.realpath(filename)
    return real.startswith(os.path.dirname(OURS)) or filename.startswith("<frozen")


def is_of_script(filename):
    """Whether a file is the script's own: none of ours, and of no library."""
    return not _is_ours(filename) and not filename.startswith(LIBRARIES)


def _frames_of_script(error):
    return [f for f in traceback.extract_tb(error.__traceback__) if not _is_ours(f.filename)
            and os.path.basename(f.filename) != "runpy.py" and not f.filename.startswith("<")]


def _place(error):
    frames = [each for each in _frames_of_script(error) if not each.filename.startswith(LIBRARIES)]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""


def _source(frame):
    """What of the source text a frame is at."""
    lines = [linecache.getline(frame.filename, number).encode() for number in range(frame.lineno, (frame.end_lineno or frame.lineno) + 1)]
    if frame.colno is None or not any(lines):
        return ""
    lines[-1] = lines[-1][:frame.end_colno]
    lines[0] = lines[0][frame.colno:]
    return b"".join(lines).decode()


def _steps(error):
    """The frames that an error came up through: each as it ran, with what is told of it."""
    return list(zip(_tracebacks(error), traceback.extract_tb(error.__traceback__)))


def _tracebacks(error):
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def _last_of_script(steps):
    """The number of the last of these frames that is the script's; -1 for none."""
    return max((i for i, (_, told) in enumerate(steps) if is_of_script(told.filename)), default=-1)


def _called(told, frame):
    """What the script called where a frame is, if names alone say what that is; None for what would have to run again."""
    try:
        node = ast.parse(_source(told).strip(), mode="eval").body
    except SyntaxError:
        return None
    node, path = getattr(node, "func", None), []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    found = _value_in(frame, node.id) if isinstance(node, ast.Name) else None
    for name in path:
        found = getattr(found, name, None)
    return found


def _value_in(frame, name):
    return frame.f_locals.get(name, frame.f_globals.get(name))


def _names_at(told, frame):
    """The names of the expression that a frame is at, in its order."""
    first, last = (told.lineno, told.colno), (told.end_lineno, told.end_colno)
    if None in first + last:
        return []
    return [each.argval for each in dis.get_instructions(frame.f_code) if isinstance(each.argval, str) and None not in each.positions
            and first <= (each.positions.lineno, each.positions.col_offset)
            and (each.positions.end_lineno, each.positions.end_col_offset) <= last]


def _refusals_of(function, given):
    """For each of these names that a function has no argument of: Python's own error for it. The function does not run."""
    parameters = inspect.signature(function, follow_wrapped=False).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    for name in given - set(parameters):
        try:
            function(**{name: None})
        except TypeError as error:
            yield name, error


def _unexpected_argument(error):
    """The line for a call of one of our functions with an argument that it has not: of what may be called there, the one of which
    Python says the same where it is given no more than that."""
    calls = [each for each in _steps(error) if not _is_ours(each[1].filename)]
    if not calls:
        return None
    frame, told = calls[-1][0].tb_frame, calls[-1][1]
    values = {name: _value_in(frame, name) for name in _names_at(told, frame)}
    given = {name for value in (*frame.f_code.co_consts, *values.values()) if isinstance(value, (tuple, dict)) for name in value if isinstance(name, str)}
    for called in (_called(told, frame), *values.values(), *(each for name in values for each in names.called(name))):
        for function in names.functions_within(called):
            for name, refusal in _refusals_of(function, given):
                if refusal.args != error.args:
                    continue
                if not names.is_of_ours(function):
                    return None
                return str(not_there(name, names.arguments_of_object(called), f"the argument of {names.full_name(called)}():"))
    return None


def _is_raised(step):
    """Whether a frame is at a `raise`: not at what Python, or what it calls, found wrong."""
    return dis.opname[step.tb_frame.f_code.co_code[step.tb_lasti]] == "RAISE_VARARGS"


def _accident(error):
    """The line for an error of Python or NumPy within ours that none of our lines raises: what the script called, and what went
    wrong there. Nothing tells whether the script or ours is wrong, so the line says both. None for what comes up in the script, or
    is raised for it to see."""
    steps = _steps(error)
    called = _last_of_script(steps)
    within = [step for step, told in steps[called + 1:] if _is_ours(told.filename)]
    if called < 0 or not within or (within[-1] is steps[-1][0] and _is_raised(within[-1])):
        return None
    first, *more = _source(steps[called][1]).splitlines() or [""]
    text = first.strip() + "…" if more else first
    return f"{text}: {str(error) or type(error).__name__}; check what is given to it; {MISTAKE}"


def _missing_attribute(error):
    """The line for an attribute that an object of ours has not; None for an object of the script's own, and for an error that says
    what is wrong by itself: it is of no object (which Python adds where it has no name), or of a property."""
    owner = getattr(error, "obj", None)
    kind = owner if isinstance(owner, type) else type(owner)
    if any(error.name in vars(base) for base in kind.__mro__):
        return None
    own = not kind.__module__.startswith("tilescope_front")
    if not error.name or not any(base.__module__.startswith("tilescope_front") for base in kind.__mro__):
        return None
    ours = {each for base in kind.__mro__ if base.__module__.startswith("tilescope_front") for each in vars(base)}
    known = [each for each in (sorted(ours) if own else dir(owner)) if not (each.startswith("_") or each.endswith("_"))]
    if own and not difflib.get_close_matches(error.name, known, 1, 0.8):
        return None
    return str(not_there(f"{kind.__name__ if own else names.name_of(kind)}.{error.name}", known))


def _line_of(error):
    if isinstance(error, engine.Error):
        line = str(error).removeprefix(host.options["script"] + ": ")
        return asked(line) if error.kind == "not_supported" else line
    if isinstance(error, (NotThere, ModuleNotThere)):
        return str(error)
    if isinstance(error, ImportError) and _last_missing and not isinstance(error, ModuleNotFoundError):
        return _last_missing if names.is_ours(error.name or "") else None
    if isinstance(error, ModuleNotFoundError):
        if names.is_ours(error.name or ""):
            return str(not_there(error.name, names.modules_beside(error.name)))
    line = None
    if isinstance(error, TypeError):
        line = _unexpected_argument(error)
    elif isinstance(error, AttributeError):
        line = _missing_attribute(error)
    return line or (_accident(error) if isinstance(error, (TypeError, ValueError, LookupError, AttributeError)) else None)


def _tell(error):
    """Tells of an error that ended the script, and gives the exit code."""
    line = _line_of(error)
    if line is not None:
        host.tell(f"tilescope: {_place(error)}{line}")
        return getattr(error, "exit_code", 3), line
    sys.stdout.flush()
    frames = _frames_of_script(error)
    print("Traceback (most recent call last):", file=sys.stderr)
    print("".join(traceback.format_list(frames)), end="", file=sys.stderr)
    text = "".join(traceback.format_exception_only(type(error), error))
    print(text, end="", file=sys.stderr, flush=True)
    return 1, text.strip().splitlines()[-1]


def _status_of(error):
    kind = getattr(error, "kind", "")
    return "out_of_memory" if kind == "out_of_memory" else "failed"


def _no_profile():
    output = host.options["output"]
    return "no profile was written" + (f", {output} is of an earlier run" if os.path.exists(output) else "")


def run_as_main(script):
    """Runs a script as Python does, ends the profile, and gives the exit code."""
    code, status, line = 0, "complete", ""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        if isinstance(ended.code, str):
            host.tell(ended.code)
        if code != 0:
            status, line = "failed", f"the script ended with exit code {code}"
    except KeyboardInterrupt:
        code, status, line = 130, "cancelled", ""
        if "instance" not in host.options:  # the first instance says it
            host.tell("tilescope: cancelled; " + ("the profile holds what was recorded until then" if host.run().has_profile else _no_profile()))
    except BaseException as error:  # pylint: disable=broad-except
        code, line = _tell(error)
        status = _status_of(error)
    sys.stdout.flush()
    if status == "complete" and not host.run().has_profile and "instance" not in host.options:
        host.tell(f"tilescope: note: the script ran no program: {_no_profile()}")
    try:
        host.run().finish(status, line)
    except engine.Error as error:
        host.tell(f"tilescope: {error}")
        code = code or error.exit_code
    return code
