# SPDX-License-Identifier: GPL-3.0-or-later
"""Which TensorFlow a script is written for: `import tensorflow as tf` means another set of names in version 1.15."""
import ast
import functools
import os

from . import names


def _parsed(path):
    try:
        with open(path, encoding="utf-8") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return None  # Python says so when it runs it


def _files(script):
    """The script, and what it imports from beside it or from the folder above, which scripts put on their path."""
    found, rest = {}, [script]
    beside = os.path.dirname(os.path.abspath(script))
    while rest:
        path = rest.pop()
        tree = None if path in found else _parsed(path)
        if tree is None:
            continue
        found[path] = tree
        for node in ast.walk(tree):
            imported = [each.name for each in node.names] if isinstance(node, ast.Import) else \
                [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            rest += [os.path.join(folder, *each.split(".")) + ".py" for each in imported
                     for folder in (beside, os.path.dirname(beside))]
    return found.values()


def _chains(tree, aliases):
    """What follows tensorflow's name, as "train.AdamOptimizer"."""
    for node in ast.walk(tree):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name) and node.id in aliases:
            yield parts[::-1]


def _has(module, chain):
    for i, name in enumerate(chain):
        inner = f"{module}.{name}"
        if not names.is_there(inner):
            return name in names.names_in(module)
        module = inner
    return True


@functools.cache
def _tried(path):
    """The lines of a file within `try`."""
    tree = _parsed(path)
    return {line for node in ast.walk(tree) if isinstance(node, ast.Try) for part in node.body
            for line in range(part.lineno, part.end_lineno + 1)} if tree else set()


def only_asks(frame):
    """Whether a frame is of importlib.util.find_spec(): who asks whether a module is there imports nothing."""
    while frame is not None and "importlib" in frame.f_code.co_filename and frame.f_code.co_name != "find_spec":
        frame = frame.f_back
    return frame is not None and "importlib" in frame.f_code.co_filename and frame.f_globals.get("__name__") == "importlib.util"


def can_do_without(frame):
    """Whether what a frame imports is within a `try`, where Python's own frames are left out."""
    while frame is not None and ("importlib" in frame.f_code.co_filename or os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__)):
        frame = frame.f_back
    return frame is not None and frame.f_lineno in _tried(frame.f_code.co_filename)


def _imports_contrib(tree):
    """Whether it needs what only version 1.15 has: an import that it does without is none."""
    tried = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Try) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        imported = [each.name for each in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        if id(node) not in tried and any((each + ".").startswith("tensorflow.contrib.") for each in imported):
            return True
    return False


def first_of_version_1(script):
    """The first name in the order of the alphabet that only version 1.15 has where the script looks for it; "" for none."""
    of_1 = set()
    for tree in _files(script):
        if _imports_contrib(tree):
            of_1.add("contrib")
        aliases = {each.asname or "tensorflow" for node in ast.walk(tree) if isinstance(node, ast.Import)
                   for each in node.names if each.name == "tensorflow"}
        for chain in _chains(tree, aliases):
            if not _has("tensorflow", chain) and _has("tensorflow.compat.v1", chain):
                of_1.add(".".join(chain))
    return min(of_1, default="")


def makes_graphs(script):
    """Whether a script is of version 1.15 by `import tensorflow.compat.v1 as tf` alone, with sessions."""
    imported, sessions = set(), False
    for tree in _files(script):
        aliases = set()
        for node in ast.walk(tree):
            for each in node.names if isinstance(node, ast.Import) else []:
                imported.add(each.name)
                if each.name == "tensorflow.compat.v1":
                    aliases.add(each.asname)
        sessions = sessions or any(chain[0] == "Session" for chain in _chains(tree, aliases))
    return sessions and "tensorflow" not in imported


def take_version_1():
    """From here on `tensorflow` has the names of `tensorflow.compat.v1`, and makes graphs."""
    from .tensors import graph
    for module, table in names.tables().items():
        if module.startswith("tensorflow.compat.v1"):
            names.module("tensorflow" + module[len("tensorflow.compat.v1"):], table)
    names.module("tensorflow", __version__="1.15.5")
    graph.disable_v2()
