# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of one program whose layers have the same names, as clone_model() and load_model() make them: of all but the first one the layers have
names there that begin with the model's."""
import json


def refused(name):
    return ValueError(f"two models or layers of one program have weights of the name {name}: give their layers other names, as by making the second one as the "
                      "first one was, and not by clone_model() or load_model()")


def check_own(variable, read):
    """Errors: ValueError where one of those that are read, of layers of the script's own as well, is another one of that name."""
    if any(each.key == variable.key and each is not variable and hasattr(each, "of_layer") and each.of_layer is not variable.of_layer for each in read):
        raise refused(variable.key)


class Prefixes:
    """What the names of a model's layers begin with in a program."""

    def __init__(self):
        self.of = {}  # models

    def __call__(self, model):
        if not hasattr(model, "store"):
            return ""
        if model not in self.of:
            self.of[model] = self._new(model) if any(self._clash(model, other) for other in self.of) else ""
        return self.of[model]

    def _new(self, model):
        number = sum(other.name == model.name for other in self.of)
        return f"{model.name}_{number}." if number else f"{model.name}."

    @staticmethod
    def _clash(model, other):
        """Whether some weights have the same name. Errors: ValueError where others are the same."""
        names = {row[0] for row in model.variables_list()} & {row[0] for row in other.variables_list()}
        apart = [name for name in sorted(names) if not model.store.is_shared(name, other.store)]
        if apart and len(apart) < len(names):
            raise refused(apart[0])
        return bool(apart)

    def begin(self, operations):
        """Gives models that one of these updates the first names. Errors: ValueError where some of their weights are the same, and others are not."""
        for op in operations:
            variables = op.attributes["variables"] if op.kind == "minimize" else []
            for model in [each.attributes["model"] for each in operations if each.kind == "keras"] if variables is None else [
                    each.model for each in variables if hasattr(each, "model")]:
                self(model)

    def key_of(self, variable):
        """By which a program knows a variable."""
        return self(variable.model) + variable.key if hasattr(variable, "model") else variable.key

    def document_of(self, op):
        """The text of a layer, or a model, that is called."""
        prefix = self(op.attributes["model"])
        return _renamed(op.attributes["document"], prefix) if prefix else op.attributes["document"]


def _renamed(document, prefix):
    """A model's text with names of layers that begin so."""
    made = json.loads(document)
    names = {layer["name"] for layer in made["config"]["layers"]}

    def referring(node):
        if isinstance(node, dict):
            return {key: referring(each) for key, each in node.items()}
        if isinstance(node, list) and len(node) > 2 and isinstance(node[0], str) and node[0] in names:
            return [prefix + node[0], *map(referring, node[1:])]
        return list(map(referring, node)) if isinstance(node, list) else node
    for layer in made["config"]["layers"]:
        layer["name"] = layer["config"]["name"] = prefix + layer["name"]
        layer["inbound_nodes"] = referring(layer["inbound_nodes"])
    for ends in ("input_layers", "output_layers"):
        made["config"][ends] = referring(made["config"][ends])
    return json.dumps(made)
