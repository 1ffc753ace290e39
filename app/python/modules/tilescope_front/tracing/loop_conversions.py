# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of functions that are converted (conversions.py): `break` and `continue` become names that say whether what follows them
counts, as AutoGraph has it, and a `while` makes its steps where the device decides whether they count."""
import ast
import itertools

from . import device_loops, found_loops
from .. import failures
from ..operations import control_flow
from ..tensors import graph, known_values

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


def _unless(ended, test):
    """The condition of a loop that a `break` may have ended: that is no bound of its own."""
    made = ast.BoolOp(ast.And(), [_none_of([ended]), test])
    made.of_end = True
    return made


_BLOCKS = {ast.If: ("body", "orelse"), ast.With: ("body",), ast.Try: ("body", "orelse")}


def _without_ends(statements, names):
    """Statements with names that are set in the place of `break` and `continue`; None where one of those is in a block of another
    kind than `if`, `with` and `try`, or in `finally`."""
    made = []
    for number, each in enumerate(statements):
        if isinstance(each, (ast.Break, ast.Continue)):
            return [*made, _sets(names[type(each)], ast.Constant(True), each)]
        ends = {type(end) for end in own_ends([each])}
        if not ends:
            made.append(each)
            continue
        block, rest = _block_without_ends(each, names), _without_ends(statements[number + 1:], names)
        if block is None or rest is None:
            return None
        return [*made, block, *_if_none({kind: names[kind] for kind in names if kind in ends}, rest, each)]
    return made


def _if_none(names, statements, place):
    """Statements that count where none of the names holds: (kind, name) of what they follow."""
    if not statements:
        return []
    made = ast.copy_location(ast.If(_none_of(list(names.values())), statements, []), place)
    made.after = names
    return [made]


def left_at_once(statements, leaves, again):
    """Statements of a `while` that go on after a `break` as if it were not taken: `leaves` makes of an expression, whether it is not,
    one that takes the values of the loop where it is. So a counter stays known. `again`: whether the step then begins anew."""
    for number, each in enumerate(statements):
        if ast.Break in getattr(each, "after", ()):
            names = dict(each.after)
            ends = [ast.If(again, [ast.Continue()], [ast.Break()])]
            end = ast.copy_location(ast.If(leaves(_none_of([names.pop(ast.Break)])), ends, []), each)
            rest = left_at_once(each.body, leaves, again)
            return [*statements[:number], end, *(_if_none(names, rest, each) if names else rest)]
    return statements


def _block_without_ends(block, names):
    """The same of one statement that holds others; None where that cannot be."""
    if type(block) not in _BLOCKS or any(own_ends(getattr(block, "finalbody", ()))):
        return None
    fields = {name: _without_ends(getattr(block, name), names) for name in _BLOCKS[type(block)]}
    if isinstance(block, ast.Try):
        handlers = [_without_ends(each.body, names) for each in block.handlers]
        if None in handlers:
            return None
        fields["handlers"] = [ast.copy_location(ast.ExceptHandler(each.type, each.name, body), each) for each, body in zip(block.handlers, handlers)]
        ends = {type(end) for end in own_ends(block.body)}
        if ends and fields["orelse"]:
            fields["orelse"] = _if_none({kind: names[kind] for kind in names if kind in ends}, fields["orelse"], block)
    if None in fields.values():
        return None
    return ast.copy_location(type(block)(**{**{name: getattr(block, name) for name in block._fields}, **fields}), block)


def returns(node):
    """Whether a statement holds a `return` of its own function."""
    return isinstance(node, ast.Return) or not isinstance(node, FUNCTIONS) and any(map(returns, ast.iter_child_nodes(node)))


def _always_return(statements):
    last = statements[-1] if statements else None
    return isinstance(last, (ast.Return, ast.Raise)) or isinstance(last, ast.With) and _always_return(last.body) or (
        isinstance(last, ast.If) and _always_return(last.body) and _always_return(last.orelse))


class Returns:
    """Takes `return` out of loops, `with` and `try`, of a function: it gives a name the value, and ends the loop around it, or the block."""

    def __init__(self, value, nothing, function):
        """`value`: the name; `nothing`: what it has before; `function`: its definition."""
        self.value, self.nothing, self.function, self.ended = value, nothing, function, "__tilescope_has_returned__"

    def without(self, body, all_in_loop):
        """The statements of the function; None where that cannot be. `all_in_loop`: as if all of it were a loop of one step."""
        made = self._in_step(body) if all_in_loop else self._of(body, False)
        if made is None:
            return None
        if all_in_loop and not _always_return(body):
            made = [*made, self._at(ast.If(self._has_ended(), [self._return()], [])), self._at(ast.Return(ast.Constant(None)))]
        elif all_in_loop:
            made = [*made, self._return()]
        return [_sets(self.ended, ast.Constant(False), self.function), _sets(self.value, self.nothing, self.function), *made]

    def _at(self, node):
        return ast.copy_location(node, self.function)

    def _has_ended(self):
        return ast.Name(self.ended, ast.Load())

    def _return(self):
        return self._at(ast.Return(ast.Name(self.value, ast.Load())))

    def _in_step(self, statements):
        """Statements that are in no loop, as in one of one step."""
        made = self._of(statements, True)
        return None if made is None else _without_ends(made, dict.fromkeys((ast.Break, ast.Continue), self.ended))

    def _of(self, statements, in_loop):
        made = []
        for each in statements:
            if isinstance(each, ast.Return) and in_loop:
                value = each.value or ast.Constant(None)
                return [*made, _sets(self.value, value, each), _sets(self.ended, ast.Constant(True), each), ast.copy_location(ast.Break(), each)]
            block = [each] if isinstance(each, ast.Return) or not returns(each) else self._block(each, in_loop)
            if block is None:
                return None
            made += block
        return made

    def _block(self, block, in_loop):
        """The same of one statement that holds others."""
        is_loop = isinstance(block, LOOPS)
        if not is_loop and (type(block) not in _BLOCKS or any(map(returns, getattr(block, "finalbody", ())))):
            return None
        if not is_loop and not isinstance(block, ast.If) and not in_loop:
            made = self._in_step([block])
            return None if made is None else [*made, ast.copy_location(ast.If(self._has_ended(), [self._return()], []), block)]
        if is_loop and block.orelse:
            return None
        returns_always = isinstance(block, ast.While) and isinstance(block.test, ast.Constant) and bool(block.test.value) and not any(
            isinstance(each, ast.Break) for each in own_ends(block.body))
        parts = [(block, name, in_loop or is_loop) for name in ("body", "orelse") if hasattr(block, name)]
        for part, name, within in [*parts, *((each, "body", in_loop) for each in getattr(block, "handlers", ()))]:
            made = self._of(getattr(part, name), within)
            if made is None:
                return None
            setattr(part, name, made)
        if not is_loop:
            return [block]
        end = ast.copy_location(ast.Break(), block) if in_loop else self._return()
        return [block, end] if returns_always else [block, ast.copy_location(ast.If(self._has_ended(), [end], []), block)]


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
        loop.test = _none_of([ended]) if always else _unless(ended, loop.test)
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

    def __init__(self, names, most, endless, chosen, unset, check):
        """`endless`: whether only a `break` ends it."""
        self.names, self.most, self.endless, self.is_bounded = names, None if most is None else control_flow.most_steps(most), endless, False
        self.chosen, self.unset, self.check = chosen, unset, check
        self.steps = control_flow.Steps(WHILE, _REMEDY, most is not None)
        self.open, self.before, self.of_device = None, None, None
        self.first, self.begins_again = None, False  # what there was before the first step, where that may begin again as one of the device

    def stops(self, frame, test):
        """Whether it ends here, by its condition, before the next step."""
        if self.of_device is not None:
            self._end_of_device(frame, test)
            return True
        is_first = not self.steps.taken and not self.steps.before and self.most is None and found_loops.may_be(graph.current())
        if self._may_begin_again() and self._is_found(test):
            self._forget_step(frame)
            test = graph.symbolic(True)  # as it was before
        if self.begins_again or is_first and not self.endless and self._is_found(test):
            self.before, self.begins_again = (dict(frame.f_locals), device_loops.held_by(frame)), False
            self.of_device = found_loops.OfStatement(frame, self.names, control_flow.condition(graph.symbolic(test)))
            return False
        self.is_bounded = not self.endless and (control_flow.known_truth(test) is not None or control_flow.has_bound(test))
        self.first = (len(graph.current().operations_), dict(frame.f_locals), device_loops.held_by(frame)) if is_first and self.endless else None
        return self._ends(frame, test, True)

    @staticmethod
    def _is_found(test):
        """Whether a condition follows from what the steps compute alone: then the device repeats them as often as the host finds before."""
        if control_flow.known_truth(test) is not None or control_flow.has_bound(test):
            return False
        for each in control_flow.parts_of(graph.symbolic(test)):
            known_values.ask_for(each)
        return True

    def _end_of_device(self, frame, test):
        bound, held = self.before
        self.check(frame, self.names, {**bound, **self.of_device.packed}, held)
        if not self.of_device.end(frame, test, self.unset, self.chosen):
            raise self._refused()

    def _refused(self):
        return failures.refused(f"{WHILE} whose number of steps the device decides", _REMEDY)

    def leaves(self, frame, test):
        """Whether it ends within a step: `test` says whether it goes on."""
        if self.of_device is not None:
            if not self.of_device.goes_on(frame, test, self.unset):
                raise self._refused()
            return False
        if self._may_begin_again() and self._is_found(test):
            self._forget_step(frame)
            return True
        return self._ends(frame, test, False)

    def again(self):
        """Whether the step begins anew, after what leaves() says."""
        return self.begins_again

    def _may_begin_again(self):
        return self.first is not None and self.steps.taken == 1 and not self.steps.before

    def _forget_step(self, frame):
        """What the first step has made so far: the device repeats what it makes when it begins again."""
        begun, bound, held = self.first
        self.check(frame, self.names, bound, held)
        operations = graph.current().operations_
        if any(each.kind in found_loops.OTHERS for each in operations[begun:]):
            raise self._refused()
        del operations[begun:]
        self.begins_again = True
        device_loops.give(frame, {name: bound[name] if name in bound else self.unset(name) for name in self.names})

    def _ends(self, frame, test, is_step):
        if self.before is not None:
            self.check(frame, self.names, *self.before)
        found = frame.f_locals
        values = {name: found[name] if name in found else self.unset(name) for name in self.names}
        self.leave()
        within = not is_step or self.most is None or self.steps.taken < self.most
        if within and self.steps.goes_on(test, values, is_step, self.is_bounded):
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
        if self.of_device is not None:
            self.of_device.close(*failure)
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
