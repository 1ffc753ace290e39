# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints resources/docs/script-names.md: what scripts find, made from the modules themselves."""
from tilescope_front import ipu_config, names

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
for module, row in table.items():
    if row and not any(module == alias or module.startswith(alias + ".") for alias in ALIASES):
        print(f"\n## {module}\n\n{wrapped([f'`{name}`' for name in row])}.")
print("""
## IPUConfig

| attribute | default | changes on IPUs | here |
| --- | --- | --- | --- |""")
for name, (_, default, changes, heeded) in sorted(ipu_config.ATTRIBUTES.items()):
    here = "heeded" if heeded else "refused where it is set" if changes == ipu_config.RESULT and \
        name not in ipu_config._HARMLESS_RESULT else "accepted, without effect"
    shown = default.name if hasattr(default, "name") else default
    print(f"| `{name}` | {shown} | {changes} | {here} |")
