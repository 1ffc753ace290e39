# SPDX-License-Identifier: GPL-3.0-or-later
"""What pva's stub says, beside a profile: each name that it has is there, with a value of the type that it says, and no
public name of a class is left out."""
import ast
import os
import sys

import numpy as np
import pva

PATH = os.path.join(os.path.dirname(pva.__file__), "__init__.pyi")
tree = ast.parse(open(PATH).read())
classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
SIMPLE = {"int": int, "str": str, "bool": bool, "float": (int, float), "np.ndarray": np.ndarray}
seen, failures = set(), []


def members(name):
    """{attribute: annotation} of a class and of what it is derived from."""
    found = {}
    for base in classes[name].bases:
        if isinstance(base, ast.Name) and base.id in classes:
            found.update(members(base.id))
    for each in classes[name].body:
        if isinstance(each, ast.AnnAssign):
            found[each.target.id] = ast.unparse(each.annotation)
        elif isinstance(each, ast.FunctionDef) and any(isinstance(d, ast.Name) for d in each.decorator_list):
            found[each.name] = ast.unparse(each.returns)
        elif isinstance(each, ast.FunctionDef) and not each.name.startswith("__"):
            found[each.name] = "method"
    return found


def check(value, kind, where):
    if kind.startswith("Optional["):
        return value is None or check(value, kind[9:-1], where)
    if kind.startswith("list["):
        if not isinstance(value, list):
            failures.append(f"{where} is no list")
        for each in value[:3] + value[-1:]:
            check(each, kind[5:-1], where + "[]")
    elif kind in SIMPLE:
        if not isinstance(value, SIMPLE[kind]) or (kind == "int" and isinstance(value, bool)):
            failures.append(f"{where} is {type(value).__name__}, not {kind}")
    elif kind in classes and kind not in ("Type", "Instrumentation", "ProgramVisitor", "Categories") and (kind, id(value)) not in seen:
        seen.add((kind, id(value)))
        said = members(kind)
        for name, of_member in said.items():
            if not hasattr(value, name):
                failures.append(f"{where}.{name} is not there")
            elif of_member != "method":
                check(getattr(value, name), of_member, f"{where}.{name}")
        public = {name for name in (*vars(value), *vars(type(value))) if not name.startswith("_")} - {"Type"}
        failures.extend(f"{where}.{name} is not in the stub" for name in sorted(public - set(said)))


report = pva.openReport(sys.argv[1])
check(report, "Report", "report")
check(pva.OperationAnalysis(report), "OperationAnalysis", "operations")
check(pva.openTrace(sys.argv[1]), "Trace", "trace")
check(report.compilation.loweredVariables.forTile(0), "list[LoweredVar]", "lowered")
public = {name for name in vars(pva.ProgramVisitor) if not name.startswith("_")}
print(sorted(set(failures)), public == set(members("ProgramVisitor")),
      set(pva.__all__) - {each.name for each in tree.body if hasattr(each, "name")}, len({kind for kind, _ in seen}) > 30)
