# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints resources/docs/script-names.md: what scripts find, made from the modules themselves."""
import ast
import enum
import inspect
import os

import pva
import tilescope
from tilescope_front import names
from tilescope_front import ipu_config

ALIASES = {"keras": "tensorflow.keras", "tensorflow.compat.v1.keras": "tensorflow.keras",
           "tensorflow.python.keras": "tensorflow.keras"}
WIDTH = 120


def wrapped(words):
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) + 2 > WIDTH:
            lines.append(line + ",")
            line = ""
        line += (", " if line else "") + word
    return "\n".join(lines + [line])


print("""# Names that scripts find

What stands in the place of TensorFlow under `tilescope run`, module by module (page *scripts*). A name that is not
here ends a script with one line that names the nearest that is. `keras`, `tensorflow.compat.v1.keras` and
`tensorflow.python.keras` are `tensorflow.keras`.
""")
table = names.table()
print(f"{sum(len(row) for name, row in table.items() if name.split('.')[0] == 'tensorflow')} names in all.")
shown = {}  # modules by what they have: one list where it is the same
for module, row in table.items():
    if row and not any(module == alias or module.startswith(alias + ".") for alias in ALIASES):
        shown.setdefault(tuple(row), []).append(module)
for row, modules in shown.items():
    print(f"\n## {modules[0]}\n\n{wrapped([f'`{name}`' for name in row])}.")
    if modules[1:]:
        print("\nThe same names: " + wrapped([f"`{module}`" for module in modules[1:]]) + ".")


def constants(kind):
    """The members of an enumeration, or the constants of a class that has nothing else."""
    if issubclass(kind, enum.Enum):
        return list(kind.__members__)
    own = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
    plain = kind.__bases__ == (object,) and not any(callable(each) or hasattr(each, "__get__") for each in own.values())
    return sorted(own) if plain and all(name[0].isupper() for name in own) else []


print("""
## Enumerations and constants

| name | members |
| --- | --- |""")
kinds = {value for module in names._modules.values() for value in module.values() if isinstance(value, type)}
for name, kind in sorted((names.name_of(kind), kind) for kind in kinds if constants(kind)):
    print(f"| `{name}` | {', '.join(f'`{each}`' for each in constants(kind))} |")
print("""
## IPUConfig

| attribute | default | changes on IPUs | here |
| --- | --- | --- | --- |""")
for name, (_, default, changes, heeded) in sorted(ipu_config.ATTRIBUTES.items()):
    here = "heeded" if heeded else "refused where it is set" if changes == ipu_config.RESULT and \
        name not in ipu_config._HARMLESS_RESULT else "accepted, without effect"
    shown = default.name if hasattr(default, "name") else default
    print(f"| `{name}` | {shown} | {changes} | {here} |")


def members(kind):
    """The public names that a class of a stub file declares."""
    found = [each.target.id if isinstance(each, ast.AnnAssign) else each.name for each in kind.body
             if isinstance(each, (ast.AnnAssign, ast.FunctionDef))]
    return [name for name in found if not name.startswith("_")]


print("""
## tilescope, for notebooks and scripts of one's own

| name | what it has |
| --- | --- |""")
for name in sorted(tilescope.__all__):
    made = getattr(tilescope, name)
    fields = [each for each in getattr(made, "__annotations__", ()) if not each.startswith("_") and isinstance(made, type)]
    own = fields + [each for each in dir(made) if not each.startswith("_") and each not in dir(Exception) + fields] \
        if isinstance(made, type) else list(inspect.signature(made).parameters)
    print(f"| `{name}` | {', '.join(f'`{each}`' for each in own)} |")
print("""
## pva

| class or function | attributes and methods, or arguments |
| --- | --- |""")
with open(os.path.join(os.path.dirname(pva.__file__), "__init__.pyi"), encoding="utf-8") as stub:
    for each in ast.parse(stub.read()).body:
        if isinstance(each, ast.ClassDef) and members(each):
            print(f"| `{each.name}` | {', '.join(f'`{name}`' for name in members(each))} |")
        elif isinstance(each, ast.FunctionDef):
            print(f"| `{each.name}` | {', '.join(f'`{argument.arg}`' for argument in each.args.args)} |")
