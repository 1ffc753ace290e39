# SPDX-License-Identifier: GPL-3.0-or-later
"""How arrays and data sets are dealt out to Keras' loops; keras.datasets and keras.utils."""
import itertools

import numpy as np

import tilescope_engine as engine

from . import calls as keras_calls, input_spec as keras_spec
from .. import failures
from ..tensors import graph
from ..data.pipelines import INFINITE, UNKNOWN, Dataset
from ..dtypes import TensorSpec, as_dtype
from .outputs import check_keys
from ..structure import flatten, map_structure, pack_like


def by_name(given, keys):
    """The parts of a dictionary in the order of a model's inputs or outputs; what has other keys, as it is."""
    if isinstance(given, dict) and keys is not None and set(keys) <= set(given):
        return [given[key] for key in keys] if len(keys) > 1 else given[keys[0]]
    return given


def labels_by_name(given, keys):
    """Labels in the order of a model's outputs, of which a dictionary may leave out those without a loss. Errors: ValueError
    for names that are no output's."""
    if not isinstance(given, dict) or keys is None:
        return given
    check_keys(given, keys)
    return [given[key] for key in keys] if len(given) == len(keys) else given


def weights_by_output(given, keys, outputs):
    """The weights of samples in the order of a model's outputs, of which None has those that all have: one part for all outputs, or
    one for each. Errors: ValueError for other numbers of them, and for names that are no output's."""
    if isinstance(given, dict):
        check_keys(given, keys or [], "sample_weight")
        return [given.get(key) for key in keys]
    given = list(given)
    if len(given) not in (1, outputs):
        raise ValueError(f"sample_weight has {len(given)} arrays, and the model {outputs} outputs: give one for each, or one array for "
                         "all.")
    return given


def column_of(values, place):
    """An array with one entry for each sample, or ValueError that says what it is instead."""
    array = np.asarray(values)
    if array.ndim and (array.dtype.kind in "US" or array.dtype.kind == "O" and array.size and isinstance(array.flat[0], (str, bytes))):
        raise failures.refused("texts as the data of a model", "the layers of a program have no texts: call TextVectorization or StringLookup on them, as "
                               "in Dataset.map(), and give the model the numbers")
    if array.ndim == 0 or array.dtype.kind not in "biuf":
        shown = repr(array.tolist()) if array.ndim == 0 else f"an array of {array.dtype.name}"
        raise ValueError(f"Failed to find data adapter that can handle {place}: {shown}. Give an array, a tensor or a list of "
                         "numbers, with one entry for each sample.")
    return array


class Sequence:
    """keras.utils.Sequence: batches by their number."""

    def __getitem__(self, index):
        raise NotImplementedError

    def __len__(self):
        raise NotImplementedError

    def on_epoch_end(self):
        """After each pass over the batches."""

    def __iter__(self):
        return (self[i] for i in range(len(self)))


def _floats_as_keras(value):
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype == np.float64 else array


def _tuples(value):
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def dataset_of(sequence, model, shuffle):
    """The batches of a Sequence as a data set, which is told where a pass ends; of one size on the IPU."""
    first = map_structure(_floats_as_keras, _tuples(sequence[0]))
    open_ = () if model.on_ipu else (None,)
    specs = map_structure(lambda each: TensorSpec((open_ or each.shape[:1]) + each.shape[1:], as_dtype(each.dtype)), first)
    passes = itertools.count()

    def batches():
        count = len(sequence)
        order = engine.sample_order(count, bool(shuffle), model.seed, next(passes))
        for number, index in enumerate(order):
            batch = _tuples(sequence[int(index)])
            if number == count - 1:
                sequence.on_epoch_end()
            yield batch
    made = Dataset.from_generator(batches, output_signature=specs)
    made._length = len(sequence)
    return made


class Feeder:
    """The batches of a call of fit, evaluate or predict; `steps` of all replicas in an epoch."""

    def __init__(self, x, y, batch_size, steps, epochs, shuffle, model, function, sample_weight=None,
                 class_weight=None):
        self.sample_weight, self.class_weight = sample_weight, class_weight
        self.on_ipu, self.shuffle, self.seed, self.passes = model.on_ipu, shuffle, model.seed, 0
        self.is_even = model.on_ipu and model.extended  # Keras for IPUs takes batches of one size alone
        self.running, self.dataset, self.name = None, None, model.name
        self.own_step = model.has_own_step({"fit": "train"}.get(function, function))
        self.wanted = [] if model.subclassed or self.own_step else [each.shape for each in model.inputs or []]
        if isinstance(x, Sequence):
            if y is not None or sample_weight is not None:
                raise ValueError(f"`{'y' if y is not None else 'sample_weight'}` argument is not supported when using "
                                 "`keras.utils.Sequence` as input.")
            x = dataset_of(x, model, shuffle and function == "fit")
        if isinstance(x, Dataset):
            for name, given in (("y", y), ("sample_weight", sample_weight)):
                if given is not None:
                    raise ValueError(f"`{name}` argument is not supported when using dataset as input.")
            self._take_dataset(x, steps, epochs, model, function == "predict" and not self.own_step)
        elif hasattr(x, "__next__") and not self.is_even:
            self._take_generator(x, steps, model, function == "predict" and not self.own_step)
        elif hasattr(x, "__next__") or (callable(x) and y is None):
            raise ValueError("The shape of the data of a generator must be known: use "
                             "tf.data.Dataset.from_generator() with an output_signature.")
        else:
            self._take_arrays(x, y, failures.count_of("batch_size", batch_size) or 32, steps, model, function)

    def _take_arrays(self, x, y, batch_size, steps, model, function):
        x, y = by_name(x, model.input_keys()), labels_by_name(y, model.output_keys())
        x = x if isinstance(x, dict) or _is_several(x) else np.asarray(x)
        inputs = flatten(x)
        labels = [] if y is None else flatten(y) if isinstance(y, dict) or _is_several(y) else [y]
        inputs = self._fitted([column_of(each, "x") for each in inputs])
        labels = [column_of(each, "y") for each in labels]
        if not labels and model.loss is not None and function != "predict" and not self.own_step:
            raise ValueError(f"{function}() compares with labels, and there is no `y`: give it, or a data set of (x, y).")
        self._describe(x, len(inputs), labels, y if isinstance(y, dict) or _is_several(y) else 0)
        self.columns = inputs + labels + [column_of(each, "sample_weight") for each in self._weights(labels, model, len(inputs[0]))]
        n = len(self.columns[0])
        if any(len(each) != n for each in self.columns):
            sizes = ", ".join(str(len(each)) for each in self.columns)
            raise ValueError(f"Data cardinality is ambiguous: {sizes}. Make sure all arrays contain the same number of "
                             "samples.")
        if self.is_even and n % batch_size:
            remedy = f"Keep {n // batch_size * batch_size} samples, or change `batch_size` in" if n > batch_size else f"Give `batch_size={n}` to"
            raise ValueError(f"The number of samples ({n}) must be a multiple of the batch size ({batch_size}): the "
                             f"last batch would be a partial one, which is not supported on the IPU. {remedy} {function}().")
        self.n, self.batch = n, batch_size
        self.steps = steps or -(-n // batch_size)
        self.sample_shapes = [each.shape[1:] for each in self.columns]
        self.sample_dtypes = [each.dtype for each in self.columns]
        self.running = self._batches()

    def _fitted(self, columns):
        """Inputs as a model of connected layers takes them."""
        keras_spec.check_shapes(self.name, [(None, *np.shape(each)[1:]) for each in columns], self.wanted)
        return [keras_calls.fitted_array(each, shape) for each, shape in zip(columns, self.wanted)] + columns[len(self.wanted):]

    def _batches(self):
        """Batch after batch, over passes of the data that follow each other."""
        while True:
            order = engine.sample_order(self.n, bool(self.shuffle), self.seed, self.passes)
            self.passes += 1
            for first in range(0, self.n, self.batch):
                chosen = order[first:first + self.batch] if self.shuffle else slice(first, first + self.batch)
                yield [each[chosen] for each in self.columns]

    def _take_generator(self, generator, steps, model, inputs_alone):
        """Of a model of the host: what a generator yields, batch after batch."""
        if steps is None:
            raise ValueError("When passing a generator, please specify the number of steps: `steps_per_epoch` of fit(), `steps` of "
                             "evaluate() and predict().")
        first = next(generator)
        parts = tuple(first) if isinstance(first, (tuple, list)) else (first,)
        specs = map_structure(lambda each: TensorSpec([None, *np.shape(each)[1:]], np.asarray(each).dtype), parts)
        made = Dataset.from_generator(lambda: (tuple(each) if isinstance(each, (tuple, list)) else (each,)
                                               for each in itertools.chain([first], generator)), output_signature=specs)
        self._take_dataset(made, steps, 1, model, inputs_alone)

    def _take_dataset(self, dataset, steps, epochs, model, inputs_alone):
        length = dataset._length
        if steps is None and length == INFINITE:
            raise ValueError("When passing an infinitely repeating dataset, please specify a `steps_per_epoch` value so "
                             "that epoch level callbacks continue to work.")
        if steps is None and length == UNKNOWN:
            if self.on_ipu:
                raise ValueError("The size of the dataset is unknown: specify the number of steps.")
            length = sum(1 for _ in dataset.arrays())
        if steps is not None and 0 <= length < steps:
            raise ValueError(f"The dataset contains {length} batches, but {steps} steps were asked for.")
        if steps is not None and 0 <= length < steps * epochs and steps != length:
            raise ValueError(f"The dataset contains {length} batches, and {epochs} epochs of {steps} steps need "
                             f"{epochs * steps}: use `repeat()`.")
        if self.is_even and any(not spec.shape.is_fully_defined() for spec in dataset.flat_specs()):
            raise ValueError("The shape of the dataset's elements must be known on the IPU: use "
                             "`batch(size, drop_remainder=True)`.")
        self.steps = steps or length
        self.again = steps is None or steps == length
        self.dataset = dataset
        parts = dataset._structure if isinstance(dataset._structure, tuple) else (dataset._structure,)
        numbers = iter(range(len(flatten(parts))))
        parts = pack_like(parts, [next(numbers) for _ in flatten(parts)])  # where the columns are in an element
        parts = [by_name(parts[0], model.input_keys()), *(labels_by_name(each, model.output_keys()) for each in parts[1:2]), *parts[2:]]
        parts = parts[:1] if inputs_alone else parts
        several = len(parts) > 2 and isinstance(parts[2], (dict, list, tuple))
        if several:
            parts = [*parts[:2], weights_by_output(parts[2], model.output_keys(), len(flatten(parts[1])))]
        if self.class_weight is not None and len(flatten(parts[1:2])) > 1:
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        self.order = flatten(list(parts))
        self._describe(parts[0], len(flatten(parts[0])), flatten(parts[1:2]), *parts[1:2])
        self.weighted = len(parts) > 2 or self.class_weight is not None
        first = next(self._elements())
        self.batch = len(first[0])
        self.sample_shapes = [np.asarray(each).shape[1:] for each in first]
        self.sample_dtypes = [np.asarray(each).dtype for each in first]

    def _describe(self, structure, inputs, labels, label_structure=0):
        """What the columns are: inputs, labels, weights of samples."""
        self.input_structure, self.inputs, self.labels, self.label_structure = structure, inputs, len(labels), label_structure

    def _weights(self, labels, model, samples):
        """The columns with the weights of samples, where there are any: one for all outputs, or one for each."""
        given = self.sample_weight
        several = isinstance(given, dict) or _is_several(given) or (isinstance(given, (list, tuple)) and None in given)
        weights = [] if given is None else weights_by_output(given, model.output_keys(), len(labels)) if several else [given]
        weights = [np.ones(samples, np.float32) if each is None else np.asarray(each, np.float32) for each in weights]
        if self.class_weight is not None and len(labels) > 1:
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        if self.class_weight is not None:
            of_classes = weights_of_classes(labels[0], self.class_weight)
            weights = [weights[0] * of_classes] if weights else [of_classes]
        self.weighted = bool(weights)
        return weights

    def _elements(self):
        for element in self.dataset.arrays():
            samples = len(element[self.order[0]])
            element = [np.ones(samples, np.float32) if number is None else element[number] for number in self.order]
            if self.class_weight is not None:
                element = list(element) + [weights_of_classes(element[self.inputs], self.class_weight)]
            yield self._fitted(element)

    def epoch(self):
        """The batches of the next epoch."""
        if self.dataset is not None and (self.running is None or self.again):
            self.running = self._elements()
        return self.running


def _is_several(given):
    """Whether a list is one of arrays, and none of numbers."""
    leaves = flatten(given) if isinstance(given, (list, tuple)) else []
    return bool(leaves) and np.ndim(leaves[0]) > 0


def weights_of_classes(labels, weights):
    """The weight of each sample by its class; labels are classes or one-hot."""
    labels = np.asarray(labels)
    classes = labels.argmax(-1) if labels.ndim > 1 and labels.shape[-1] > 1 else labels.reshape(-1).astype(int)
    return np.array([weights.get(int(each), 1.0) for each in classes], np.float32)


def split_off(x, y, weights, share):
    """The last `share` of arrays, nested or None, is for validation."""
    at = int(len(flatten(x)[0]) * (1 - share))

    def cut(part, given):
        if given is None:
            return None
        several = isinstance(given, (dict, tuple)) or (isinstance(given, list) and np.ndim(given[0]) > 0)
        return map_structure(lambda each: np.asarray(each)[part], given) if several else np.asarray(given)[part]
    parts = (slice(None, at), slice(at, None))
    train, validation = (tuple(cut(part, each) for each in (x, y, weights)) for part in parts)
    return train, validation


def is_validated(epoch, validation_freq):
    """Whether fit() evaluates after an epoch, of which the first is 1."""
    return epoch % validation_freq == 0 if isinstance(validation_freq, int) else epoch in validation_freq


def validations(after, epochs, validation_freq):
    """How often fit() evaluates after an epoch, up to the last of `epochs`."""
    if isinstance(validation_freq, int):
        return epochs // validation_freq - after // validation_freq
    return sum(after < each <= epochs for each in set(validation_freq))


def to_categorical(y, num_classes=None, dtype="float32"):
    y = np.asarray(y, int)
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    classes = num_classes or int(y.max()) + 1
    return np.eye(classes, dtype=dtype)[y.reshape(-1)].reshape(shape + (classes,))


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    length = maxlen or max(len(each) for each in sequences)
    padded = np.full((len(sequences), length), value, dtype)
    for row, each in zip(padded, sequences):
        kept = list(each)[-length:] if truncating == "pre" else list(each)[:length]
        if kept and padding == "pre":
            row[-len(kept):] = kept
        elif kept:
            row[:len(kept)] = kept
    return padded


def take(iterator, count):
    return list(itertools.islice(iterator, count))


def eager(values):
    return graph.EagerTensor(values)


def normalize(x, axis=-1, order=2):
    """keras.utils.normalize: an array whose rows along an axis are of length 1."""
    length = np.atleast_1d(np.linalg.norm(x, order, axis))
    length[length == 0] = 1
    return x / np.expand_dims(length, axis)
