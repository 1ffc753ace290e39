# SPDX-License-Identifier: GPL-3.0-or-later
"""`if`, `while` and what is like them in functions of tf.function that run as one program, by their source: what AutoGraph makes of
them in TensorFlow. All branches of an `if` on a tensor are computed, one after the other, and of what they give names of the
function one is taken, as of tf.cond; what Python knows it decides as ever. A statement whose branches do more than give names
values stays as it is, and GraphTensor refuses it."""
import __future__
import ast
import copy
import functools
import inspect
import linecache
import sys
import types

from . import device_loops, loop_conversions
from ..tensors import graph
from .. import failures
from ..operations import control_flow, elementary as operations
from ..operations.control_flow import condition, known_truth
from .device_loops import LATER, TAKEN
from ..structure import flatten, flatten_up_to, pack_like
from .unset import NotYet, Unset as _Unset, read

_TOOLS, _RETURNED, _MADE = "__tilescope_tools__", "__tilescope_returned__", "__tilescope_made__"
_FUNCTIONS = loop_conversions.FUNCTIONS
_LEAVES = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Raise)  # what a branch may not do, but to end a loop around it
_IF = "an `if` on a tensor"
_UNSET, _CHOICE = object(), "`… if … else …`"
_converts = True  # but while a function runs that stays as it is
_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_PATTERNS = {"MatchAs": "name", "MatchStar": "name", "MatchMapping": "rest"}  # of `match`, by where they have names (from Python 3.10 on)
_STATES = (ast.Delete, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, *_FUNCTIONS[:2], ast.ClassDef)


def _within(nodes):
    """What nodes hold, without what functions within them do."""
    for each in nodes:
        yield each
        if not isinstance(each, _FUNCTIONS):
            yield from _within(ast.iter_child_nodes(each))


def _gives_names(statements):
    """Whether statements do nothing that both branches may not do: they give names values, and call functions."""
    return not any(loop_conversions.own_ends(statements)) and not any(isinstance(each, (*_LEAVES, *_STATES)) or (
        isinstance(each, (ast.Attribute, ast.Subscript)) and isinstance(each.ctx, ast.Store)) for each in _within(statements))


def _chain(node):
    """An `if`, and those that follow it by `elif`."""
    yield node
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and not any(
            isinstance(each, (ast.NamedExpr, *_LEAVES)) for each in _within([node.orelse[0].test])):
        yield from _chain(node.orelse[0])


def _returns_last(statements):
    return bool(statements) and isinstance(statements[-1], (ast.Return, ast.Raise))


def _name_set_by(node):
    """The name that a part of a statement gives a value; None where it gives none."""
    if isinstance(node, ast.Name):
        return node.id if isinstance(node.ctx, ast.Store) else None
    return getattr(node, _PATTERNS.get(type(node).__name__, ""), None)


def _names_of(statements):
    return sorted({*map(_name_set_by, _within(statements))} - {None, TAKEN})


def _tool(name, *arguments):
    return ast.Call(ast.Attribute(ast.Name(_TOOLS, ast.Load()), name, ast.Load()), list(arguments), [])


def _later(expression):
    return ast.Lambda(ast.arguments([], [], ast.arg(LATER), [], [], None, []), expression)


class _Converter(ast.NodeTransformer):
    """Of a function and those within it."""

    def visit_FunctionDef(self, node):
        node.body = self._with_one_return(node)
        return self.generic_visit(node)

    def _with_one_return(self, node):
        """Statements of a function whose `return`s end branches, or loops, with one at the end; as they are where one stands elsewhere."""
        body = node.body
        if not any(isinstance(each, (ast.If, *loop_conversions.LOOPS)) and loop_conversions.returns(each) for each in _within(body)):
            return body
        returns = loop_conversions.Returns(_RETURNED, _tool("not_yet"), node)
        made = None
        for of_loop in (False, True):
            flat = returns.without(copy.deepcopy(body), of_loop) if made is None else None
            made = made or (None if flat is None else self._until_return(flat))
        return body if made is None else [*made, ast.copy_location(ast.Return(ast.Name(_RETURNED, ast.Load())), body[-1])]

    def _until_return(self, statements):
        """The same, with what is returned as the value of a name; None where that cannot be."""
        for number, each in enumerate(statements):
            if isinstance(each, ast.Return):
                return [*statements[:number], self._returned(each, each.value)]
            if not any(isinstance(e, ast.Return) for e in _within([each])):
                continue
            if not isinstance(each, ast.If):
                return None
            rest = statements[number + 1:]
            if rest and not _returns_last(each.body) and not _returns_last(each.orelse):
                return None
            branches = [self._until_return(part + ([] if _returns_last(part) else rest)) for part in (each.body, each.orelse)]
            return None if None in branches else [*statements[:number], ast.copy_location(ast.If(each.test, *branches), each)]
        return [*statements, self._returned(statements[-1] if statements else ast.Pass(lineno=1, col_offset=0), None)]

    @staticmethod
    def _returned(place, value):
        return ast.copy_location(ast.Assign([ast.Name(_RETURNED, ast.Store())], value or ast.Constant(None)), place)

    def visit_If(self, node):
        """Becomes a `for` over the numbers of the branches that are made, one with all that follow it by `elif`: Python takes no more than
        20 of them, one in another."""
        simple = _gives_names(node.body + node.orelse)
        chain = list(_chain(node)) if simple else [node]
        for each in chain:
            each.test, each.body = self.visit(each.test), self._visited(each.body)
        chain[-1].orelse = self._visited(chain[-1].orelse)
        if not simple:
            return node
        first, *rest = [each.test for each in chain]
        for number, each in enumerate(chain):
            each.test = ast.copy_location(ast.Compare(ast.Name(TAKEN, ast.Load()), [ast.Eq()], [ast.Constant(number)]), each)
        names = ast.Constant(tuple(_names_of(node.body + node.orelse)))
        branches = _tool("branches", names, first, *map(_later, rest))
        return ast.copy_location(ast.For(ast.Name(TAKEN, ast.Store()), branches, [node], []), node)

    def _visited(self, statements):
        made = []
        for each in statements:
            new = self.visit(each)
            made += new if isinstance(new, list) else [new]
        return made

    def visit_For(self, node):
        *before, loop = loop_conversions.without_ends(node, lambda name: _tool("holds", name))
        return [*before, self.generic_visit(loop)]

    def visit_While(self, node):
        """A `while` becomes a `for` over its steps, each of which asks first whether it is one."""
        endless = isinstance(node.test, ast.Constant)
        *before, loop = loop_conversions.without_ends(node, lambda name: _tool("holds", name))
        simple, most = not loop.orelse and _gives_names(loop.body), loop_conversions.most_of(loop)
        running = f"__tilescope_loop_{node.lineno}_{node.col_offset}__"
        if simple:
            loop.body = loop_conversions.left_at_once(loop.body, lambda test: _tool("leaves", ast.Name(running, ast.Load()), test),
                                                      _tool("again", ast.Name(running, ast.Load())))
        self.generic_visit(loop)
        if not simple:
            loop.test = ast.copy_location(_tool("goes_on", loop.test), loop.test)
            return [*before, loop]
        steps = _tool("steps", ast.Constant(tuple(_names_of([loop]))), most or ast.Constant(None), ast.Constant(endless))
        ends = ast.If(_tool("stops", ast.Name(running, ast.Load()), loop.test), [ast.Break()], [])
        return [*before, ast.copy_location(ast.For(ast.Name(running, ast.Store()), steps, [ends, *loop.body], []), loop)]

    def visit_IfExp(self, node):
        self.generic_visit(node)
        if any(isinstance(each, (ast.NamedExpr, *_LEAVES)) for each in _within([node])):
            return node
        return ast.copy_location(_tool("choice", node.test, _later(node.body), _later(node.orelse)), node)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        if any(isinstance(each, (ast.NamedExpr, *_LEAVES)) for each in _within([node])):
            return node
        kind = "not_ended" if hasattr(node, "of_end") else "all_of" if isinstance(node.op, ast.And) else "any_of"
        return ast.copy_location(_tool(kind, *map(_later, node.values)), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return ast.copy_location(_tool("negated", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_Call(self, node):
        """Functions of the script that are called are converted, too."""
        self.generic_visit(node)
        node.func = ast.copy_location(_tool("called", node.func), node.func)
        return node

    def visit_Name(self, node):
        return ast.copy_location(_tool("read", node), node) if isinstance(node.ctx, ast.Load) else node

    def visit_AugAssign(self, node):
        """`x += 1`, which reads the name."""
        self.generic_visit(node)
        name = node.target
        reads = [ast.Expr(_tool("read", ast.Name(name.id, ast.Load())))] if isinstance(name, ast.Name) else []
        return [*(ast.copy_location(each, node) for each in reads), node]

    def visit_ClassDef(self, node):
        return node

    visit_MatchValue = visit_MatchMapping = visit_MatchClass = visit_ClassDef  # whose names may not be calls


def _definition(code):
    """What a function was made by, in the tree of its file; None where that is not at hand, or may be one of several."""
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return None
    found = [each for each in ast.walk(tree) if (isinstance(each, ast.FunctionDef) and each.name == code.co_name and min(
        [each.lineno, *(mark.lineno for mark in each.decorator_list)]) == code.co_firstlineno) or (
            isinstance(each, ast.Lambda) and code.co_name == "<lambda>" and each.lineno == code.co_firstlineno)]
    return found[0] if len(found) == 1 else None


@functools.lru_cache(maxsize=None)
def _code_of(code):
    """The instructions of a function with its branches made into operations; None where they stay as they are."""
    node = None if code.co_flags & _LATER or {"__class__", _TOOLS} & {*code.co_freevars} else _definition(code)
    if node is None or any(name.startswith("__") and not name.endswith("__") for name in _all_names(node)):
        return None  # names of a class's own
    node.args.defaults, node.args.kw_defaults = [], [None for _ in node.args.kwonlyargs]  # those that it has are handed on
    if isinstance(node, ast.Lambda):
        made = ast.copy_location(ast.Return(_Converter().visit(node)), node)
    else:
        node.decorator_list, made = [], _Converter().visit(node)
        made.name = _MADE  # as its own name is one of those that it finds, where it calls itself
    takes = ast.arguments([], [ast.arg(name) for name in (*code.co_freevars, _TOOLS)], None, [], [], None, [])
    around = ast.copy_location(ast.FunctionDef("around", takes, [made], [], lineno=1), node)
    try:
        made = compile(ast.fix_missing_locations(ast.Module([around], [])), code.co_filename, "exec", dont_inherit=True,
                       flags=code.co_flags & __future__.annotations.compiler_flag)
    except SyntaxError:  # too many blocks, one in another
        return None
    made = _function_in(_function_in(made, "around"), "<lambda>" if isinstance(node, ast.Lambda) else _MADE)
    return made.replace(co_name=code.co_name)


def _all_names(node):
    for each in ast.walk(node):
        yield from (getattr(each, field) for field in ("id", "attr", "arg") if isinstance(getattr(each, field, None), str))


def _function_in(code, name):
    return next(each for each in code.co_consts if isinstance(each, types.CodeType) and each.co_name == name)


def converted(function):
    """A function of the script with the branches that it has made into operations; any other as it is."""
    if isinstance(function, types.MethodType):
        made = converted(function.__func__)
        return function if made is function.__func__ else types.MethodType(made, function.__self__)
    call = getattr(type(function), "__call__", None)  # of an object of the script
    if isinstance(call, types.FunctionType):
        made = converted(call)
        return function if made is call else types.MethodType(made, function)
    if not isinstance(function, types.FunctionType) or not _converts or not failures.is_of_script(function.__code__.co_filename):
        return function
    code = _code_of(function.__code__)
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()), **{_TOOLS: types.CellType(_Tools)})
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, tuple(cells[name] for name in code.co_freevars))
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def do_not_convert(func=None):
    """tf.autograph.experimental's: a function that stays as it is, with all that it calls."""
    if func is None:
        return do_not_convert
    if isinstance(func, types.MethodType):
        return types.MethodType(do_not_convert(func.__func__), func.__self__)
    if hasattr(func, "python_function"):  # of tf.function
        made = copy.copy(func)
        made.python_function = do_not_convert(func.python_function)
        return made

    @functools.wraps(func)
    def as_it_is(*args, **kwargs):
        global _converts
        before, _converts = _converts, False
        try:
            return func(*args, **kwargs)
        finally:
            _converts = before
    return as_it_is


def _read(test):
    return graph.convert(test) if hasattr(test, "tensor_of_variable") else test


def _own_names(frame, names):
    """Those of a function itself, without those of comprehensions."""
    own = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars, *frame.f_code.co_freevars}
    return [name for name in names if name in own]


def _check_given(frame, names, bound, held, where=f"a branch of {_IF}", why="both branches are computed"):
    """That statements that may not count have only given names values. `bound`: what names of the function had before them."""
    for name in frame.f_locals.keys() - {*names, TAKEN}:
        if frame.f_locals[name] is not bound.get(name, _UNSET):
            raise failures.refused(f"'{name}', which a function that {where} calls sets,", f"{why}; let it give the value, and set the name "
                                   "there")
    _check_unchanged(held, where, why)


def _check_unchanged(held, where=f"a branch of {_IF}", why="both branches are computed"):
    """That nothing that is seen from elsewhere has changed."""
    if device_loops.has_changed(held):
        raise failures.refused(f"a list, a dictionary, an attribute or a global name that {where} changes", f"{why}; give names of the "
                               "function values there")


def _branches(number, tests, frame, names):
    """The numbers of the branches to make from one on: that of the first test that Python knows to hold, or those that the device chooses
    from, one after the other. Then the names have what the one that is taken has given them."""
    known, test = False, None
    while known is False and number < len(tests):
        test = _read(tests[number]())
        known = known_truth(test)
        number += known is False
    if known is not None:
        yield number
        return
    test = condition(test)
    bound, held, given = dict(frame.f_locals), device_loops.held_by(frame), []
    for taken in (True, False):
        with control_flow.branch(test, taken, _IF):
            if taken:
                yield number
            else:
                yield from _branches(number + 1, tests, frame, names)
        found = frame.f_locals
        given.append([found[name] if name in found else _Unset(name) for name in names])
        _check_given(frame, names, bound, held)
        if taken:
            device_loops.give(frame, {name: bound[name] if name in bound else _Unset(name) for name in names})
    control_flow.tell_of_both(_IF)
    chosen = {name: _chosen(name, test, *each) for name, each in zip(names, zip(*given))}
    for name in chosen.keys() & {*frame.f_code.co_freevars}:  # of a function around it
        read(chosen[name])
    device_loops.give(frame, chosen)


def _chosen(name, test, a, b, statement="if", where=(f"one branch of {_IF}", "the other")):
    """What a name has after an `if`, of what its branches gave it; or after a loop, of a step and of those before it. An Unset where
    they do not match, which may never be read."""
    for each in (a, b):
        if a is b or isinstance(each, _Unset):
            return each
    a, b = (each.like(other) if isinstance(each, NotYet) else each for each, other in ((a, b), (b, a)))
    if a is b:
        return a
    what = "what the function returns" if name == _RETURNED else name if name == _CHOICE else f"'{name}'"
    leaves, others = flatten(a), flatten_up_to(a, b)
    if others is None or len(flatten(b)) != len(leaves) or not all(device_loops.is_value(each) or each is other for each, other in zip(leaves + others, others + leaves)):
        return _Unset(name, TypeError(
            f"{what} is {device_loops.described(a)} in {where[0]}, but {device_loops.described(b)} in {where[1]}: give it tensors of the "
            "same dtypes and shapes in both"))
    try:
        return pack_like(a, [each if each is other else control_flow.taken(test, each, other, f"the `{statement}` that gives {what} a value")
                             for each, other in zip(leaves, others)])
    except (TypeError, ValueError) as error:
        return _Unset(name, error)


class _Tools:
    """What the source of a function calls once it is converted."""

    called, read, not_yet = staticmethod(converted), staticmethod(read), NotYet

    @staticmethod
    def branches(names, test, *others):
        """The numbers of the branches that are made of an `if`: of one, or of several, one after the other."""
        frame = sys._getframe(1)
        return _branches(0, [lambda: test, *others], frame, _own_names(frame, names))

    @staticmethod
    def steps(names, most, endless):
        """What stands for each step of a `while`; `stops` says before each whether there is one."""
        step = f"a step of {loop_conversions.WHILE}"
        return loop_conversions.steps(loop_conversions.While(
            _own_names(sys._getframe(1), names), most, endless, functools.partial(_chosen, statement="while", where=(step, "what is before it")), _Unset,
            functools.partial(_check_given, where=step, why="steps that do not count are computed, too")))

    @staticmethod
    def stops(loop, test):
        return loop.stops(sys._getframe(1), test)

    @staticmethod
    def leaves(loop, test):
        return loop.leaves(sys._getframe(1), test)

    @staticmethod
    def again(loop):
        return loop.again()

    @staticmethod
    def goes_on(test):
        """Of a `while` whose body does more than give names values."""
        known = known_truth(_read(test))
        if known is None:
            raise failures.refused("a `while` on a tensor whose body does more than give names values", "make it a loop over tf.range, and "
                                   "choose with tf.where what counts")
        return known

    @staticmethod
    def holds(test):
        """Of a `for` that a `break` may have ended."""
        known = known_truth(_read(test))
        if known is None:
            control_flow.tell_of_all_steps("a `for`")
        return known is True

    @staticmethod
    def choice(test, one, other):
        test = _read(test)
        known = known_truth(test)
        if known is not None:
            return one() if known else other()
        test, held = condition(test), device_loops.held_by(sys._getframe(1))
        made = [control_flow._branch(part, test, taken, _IF) for part, taken in ((one, True), (other, False))]
        _check_unchanged(held)
        control_flow.tell_of_both(_IF)
        return read(_chosen(_CHOICE, test, *made))

    @staticmethod
    def all_of(*parts):
        return _joined(parts, operations.logical_and, True)

    @staticmethod
    def not_ended(*parts):
        return _joined(parts, operations.logical_and, True, first_bounds=False)

    @staticmethod
    def any_of(*parts):
        return _joined(parts, operations.logical_or, False)

    @staticmethod
    def negated(test):
        test = _read(test)
        known = known_truth(test)
        return operations.MATH["logical_not"](condition(test)) if known is None else not known


def _guarded_part(part, test, goes_on):
    """What a further part of `and` or `or` gives, which counts where the parts before it say so."""
    held = device_loops.held_by(sys._getframe(3))
    made = control_flow._branch(lambda: _read(part()), test, goes_on, "`and` or `or` on tensors")
    _check_unchanged(held, "a part of `and` or `or` on tensors", "all parts are computed")
    return made


def _joined(parts, together, goes_on, first_bounds=True):
    """`and`, which goes on while what it has is true, or `or`. `first_bounds`: whether the first part may end a loop, where it is known."""
    made, has_bound = parts[0](), False
    for number, part in enumerate(parts[1:]):
        test = _read(made)
        known = known_truth(test)
        if known is not None and known is not goes_on:
            return made
        has_bound = has_bound or known is not None and (first_bounds or number > 0)
        other = _read(part()) if known is not None else _guarded_part(part, condition(test), goes_on)
        if known is not None:
            made = other
        elif known_truth(other) is None:
            made = together(condition(test), condition(other))
        elif known_truth(other) is goes_on:
            has_bound = True
        else:
            return other
    if has_bound and goes_on and graph.is_symbolic(made):  # a part is known, as that of a counter
        made = operations.identity(made)
        made.has_bound = True
    return made
