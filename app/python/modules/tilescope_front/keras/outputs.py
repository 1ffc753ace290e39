# SPDX-License-Identifier: GPL-3.0-or-later
"""How outputs of models are nested and named, and what compile() and labels say of each of them."""
from ..structure import flatten, pack_like


def paths_of(form, before=()):
    """Of each part of nested outputs, the keys and numbers that lead to it."""
    if isinstance(form, dict):
        return [path for key in sorted(form) for path in paths_of(form[key], (*before, key))]
    if isinstance(form, (list, tuple)):
        return [path for number, part in enumerate(form) for path in paths_of(part, (*before, number))]
    return [before]


def _pseudo_name(path):
    """As Keras names an output that a model's own call() gives."""
    if not path:
        return "output_1"
    parts = [each + 1 if isinstance(each, int) else each for each in path]
    return ("output_" if isinstance(parts[0], int) else "") + "_".join(map(str, parts))


def _unique(names):
    made, counts = [], {}
    for name in names:
        proposed = name
        while proposed in made:
            proposed = f"{name}_{counts.setdefault(name, 1)}"
            counts[name] += 1
        made.append(proposed)
    return made


def form_of(outputs):
    """The form of nested outputs, with their numbers."""
    return pack_like(outputs, list(range(len(flatten(outputs)))))


def names_of(model, form):
    """As losses and metrics of several outputs are shown. `form`: of what the script's own call() gives."""
    if model.subclassed:
        return [_pseudo_name(path) for path in paths_of(form)]
    return _unique([t.layer.name for t in model.outputs])


def keys_of(model, form):
    """As labels, losses, metrics and weights name the outputs: the keys of a dictionary, else their names."""
    form = form if model.subclassed else model.output
    names = names_of(model, form)
    return sorted(form) if isinstance(form, dict) and len(form) == len(names) else names


def check_keys(given, keys, what=""):
    """Errors: ValueError for names that are no output's."""
    if set(given) - set(keys):
        raise ValueError(f"Found unexpected keys {what and f'in {what} '}that do not correspond to any Model output: "
                         f"{list(given)}. Expected: {list(keys)}")


def by_output(given, keys, what):
    """Settings of outputs, one for each: given as one, a list, or by their names."""
    if isinstance(given, dict):
        check_keys(given, keys)
        return [given.get(key) for key in keys]
    if isinstance(given, (list, tuple)):
        if len(given) > len(keys):
            raise ValueError(f"`{what}` has {len(given)} entries, and the model has {len(keys)} outputs: {list(keys)}")
        return list(given) + [None] * (len(keys) - len(given))
    return [given] * len(keys)


def labels_of(given, keys, losses):
    """The labels of each output, None where there are none: nested in any way, by name, or of those with losses alone."""
    if isinstance(given, dict):
        check_keys(given, keys)
        return [given.get(key) for key in keys]
    labels = flatten(given)
    if len(labels) == len(keys):
        return labels
    rest = iter(labels)
    return [None if loss is None else next(rest, None) for loss in losses]


def check_metrics(outputs, keys):
    """That metrics are of outputs that there are, each None, a name or a number."""
    check_keys({each: None for each in outputs if isinstance(each, str)}, keys)
    most = max((each + 1 for each in outputs if isinstance(each, int)), default=0)
    if most > len(keys):
        raise ValueError(f"`metrics` has {most} entries, and the model has {len(keys)} outputs: {list(keys)}")


class Outputs:
    """What a model says of its outputs."""

    form_ = None  # of what its own call() has given last

    @property
    def output_names(self):
        """As losses and metrics of several outputs are named; None while only a call will tell."""
        return None if (self.subclassed and self.form_ is None) or not (self.subclassed or self.outputs) else names_of(self, self.form_)

    def output_keys(self):
        return keys_of(self, self.form_) if self.output_names is not None else None

    def in_form(self, values, form=None):
        """Values of its outputs as a call gives them: one, a list, or nested as the outputs were given. `form`: of what a step or
        a call of the script's own gives."""
        if form is None and not self.subclassed and isinstance(getattr(self, "output", None), dict):
            form = self.output
        if form is not None:
            return pack_like(form, values)
        return values[0] if len(values) == 1 else values
