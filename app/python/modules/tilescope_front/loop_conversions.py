# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of functions that are converted (conversions.py): `break` and `continue` become names that say whether what follows them
counts, as AutoGraph has it, and a `while` makes its steps where the device decides whether they count."""
import ast
import itertools

from . import control_flow, device_loops

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
WHILE = "a `while` on a tensor"
_REMEDY = "let a counter end it, too, as in `while i < 10 and …`, or make it a loop over tf.range with a `break`"


def own_ends(nodes):
    """What ends a loop, or one of its steps, of the statements of its body."""
    for each in nodes:
        if isinstance(each, (ast.Break, ast.Continue)):
            yield each
        elif not isinstance(each, (*FUNCTIONS, *LOOPS)):
            yield from own_ends(ast.iter_child_nodes(each))
        elif isinstance(each, LOOPS):
            yield from own_ends(each.orelse)


def _sets(name, value, place):
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), place)


def _none_of(names):
    parts = [ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load())) for name in names]
    return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)


def _without_ends(statements, names):
    """Statements with names that are set in the place of `break` and `continue`; None where one of those is not in an `if`."""
    made = []
    for number, each in enumerate(statements):
        if isinstance(each, (ast.Break, ast.Continue)):
            return [*made, _sets(names[type(each)], ast.Constant(True), each)]
        ends = {type(end) for end in own_ends([each])}
        if not ends:
            made.append(each)
            continue
        parts = [_without_ends(part, names) for part in (each.body, each.orelse, statements[number + 1:])] if isinstance(each, ast.If) else [None]
        if None in parts:
            return None
        made.append(ast.copy_location(ast.If(each.test, parts[0], parts[1]), each))
        if parts[2]:
            made.append(ast.copy_location(ast.If(_none_of([names[kind] for kind in names if kind in ends]), parts[2], []), each))
        return made
    return made


def without_ends(loop, holds):
    """The statements in the place of a loop that have no `break` and `continue` on tensors; `holds`: makes of an expression one
    that says whether it is known to hold."""
    kinds = {type(each) for each in own_ends(loop.body)}
    names = {kind: f"__tilescope_{kind.__name__.lower()}_{loop.lineno}_{loop.col_offset}__" for kind in (ast.Break, ast.Continue)}
    body = None if loop.orelse or not kinds else _without_ends(loop.body, names)
    if body is None:
        return [loop]
    if ast.Continue in kinds:
        body.insert(0, _sets(names[ast.Continue], ast.Constant(False), loop))
    if ast.Break not in kinds:
        loop.body = body
        return [loop]
    ended = names[ast.Break]
    if isinstance(loop, ast.While):
        always = isinstance(loop.test, ast.Constant) and loop.test.value
        loop.test = _none_of([ended]) if always else ast.BoolOp(ast.And(), [_none_of([ended]), loop.test])
        loop.body = body
    else:
        item = f"__tilescope_item_{loop.lineno}_{loop.col_offset}__"
        first = ast.copy_location(ast.Assign([loop.target], ast.Name(item, ast.Load())), loop)
        loop.target = ast.Name(item, ast.Store())
        loop.body = [ast.If(_none_of([ended]), [first, *body], []), ast.If(holds(ast.Name(ended, ast.Load())), [ast.Break()], [])]
    return [_sets(ended, ast.Constant(False), loop), loop]


def most_of(loop):
    """What a loop begins with that says how many steps it has at most: tf.autograph.experimental.set_loop_options."""
    call = loop.body[0].value if isinstance(loop.body[0], ast.Expr) else None
    named = isinstance(call, ast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "set_loop_options"
    return next((each.value for each in call.keywords if each.arg == "maximum_iterations"), None) if named else None


def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None):
    """tf.autograph.experimental's, which the source of a loop is asked for: most_of()."""


class While:
    """A `while` of a function that is running. `chosen`: (name, condition, value if it holds, other) to the value of a name;
    `unset`: what a name is that has none; `check`: (frame, names, bound, held) that a step has only given names values."""

    def __init__(self, names, most, chosen, unset, check):
        self.names, self.most = names, None if most is None else control_flow.most_steps(most)
        self.chosen, self.unset, self.check = chosen, unset, check
        self.steps = control_flow.Steps(WHILE, _REMEDY, most is not None)
        self.open, self.before = None, None

    def stops(self, frame, test):
        """Whether it ends here, by its condition, before the next step."""
        if self.before is not None:
            self.check(frame, self.names, *self.before)
        found = frame.f_locals
        values = {name: found[name] if name in found else self.unset(name) for name in self.names}
        self.leave()
        if (self.most is None or self.steps.taken < self.most) and self.steps.goes_on(test, values):
            if self.steps.alive is not None:
                self.before = self.before or (dict(found), device_loops.held_by(frame))
                self.open = self.steps.step()
                self.open.__enter__()
            return False
        if self.steps.before:
            device_loops.give(frame, self.steps.after(values, lambda test, made, others: {
                name: self.chosen(name, test, made[name], others[name]) for name in self.names}))
        return True

    def leave(self, *failure):
        """Ends the step that is being made."""
        opened, self.open = self.open, None
        if opened is not None:
            opened.__exit__(*(failure or (None, None, None)))


def steps(loop):
    """A While for each step, without end."""
    try:
        yield from itertools.repeat(loop)
    finally:
        try:
            loop.leave(GeneratorExit, GeneratorExit(), None)  # of a step that failed
        except GeneratorExit:
            pass
