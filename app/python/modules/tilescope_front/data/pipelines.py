# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.data: pipelines of NumPy arrays. What is sliced, shuffled, repeated and batched goes by indices, so that a batch
is gathered once."""
import glob
import itertools

import numpy as np

import tilescope_engine as engine

from . import passes as data_passes
from .. import errors, failures
from ..tensors import graph
from ..dtypes import TensorSpec, as_dtype
from ..structure import flatten, flatten_up_to, pack_like

INFINITE, UNKNOWN = -1, -2
AUTOTUNE = -1


def _array(value):
    if isinstance(value, graph.EagerTensor):
        return value.value
    if graph.is_symbolic(value):
        from ..operations import elementary as operations
        return np.asarray(operations.known(value))
    array = graph.as_bytes(np.asarray(value))
    if not isinstance(value, (np.ndarray, np.generic)) and not _holds_arrays(value):
        array = array.astype({"float64": np.float32, "int64": np.int32}.get(array.dtype.name, array.dtype))
    return array


def _holds_arrays(value):
    while isinstance(value, list) and value:
        value = value[0]
    return isinstance(value, (np.ndarray, np.generic))


def _lists_as_tensors(structure):
    """tf.data takes a list for one tensor."""
    if isinstance(structure, dict):
        return {key: _lists_as_tensors(value) for key, value in structure.items()}
    if isinstance(structure, tuple):
        return tuple(_lists_as_tensors(each) for each in structure)
    return _array(structure)


def texts_of(given):
    """The names, or other texts, of a text, a list, a tensor or a data set of them."""
    from ..operations import elementary as operations
    if isinstance(given, Dataset):
        return [text for leaves in given.arrays() for text in texts_of(leaves[0])]
    if isinstance(given, (list, tuple)):
        return [text for each in given for text in texts_of(each)]
    flat = np.ravel(operations.known(given) if hasattr(given, "dims") else np.array(given, object))
    return [each.decode() if isinstance(each, bytes) else str(each) for each in flat]


_NOTHING = {}
_bound = None  # the iterator whose element is being made


class Bound:
    """An iterator of a data set, for which tensors of a graph have the values that they had as it began. `step`: of the
    session, in which it begins."""

    def __init__(self, dataset, step=None):
        self.step = step
        self.fed = {tensor: value for tensor, value in (step.values if step else {}).items()
                    if graph.is_symbolic(tensor) and tensor.op.kind == "placeholder"} or _NOTHING
        self.elements = dataset.arrays()

    def __iter__(self):
        return self

    def __next__(self):
        global _bound
        before, _bound = _bound, self
        try:
            return next(self.elements)
        finally:
            _bound = before

    def value(self, tensor):
        if not graph.is_symbolic(tensor):
            return tensor.value
        if self.step is None:
            raise failures.refused(f"a data set over {tensor.name}, which a session computes, outside of a session", "take an "
                                   "iterator or a queue of it, and run its initializer")
        return self.step.value(tensor)


def _of_session(name, value):
    """A number of a data set, as a function: one that a session feeds or computes is that of the iterator that runs; while
    graphs are made it is 1. None of a number that is known."""
    from ..operations import elementary as operations
    if not graph.is_symbolic(value) or operations.known_or_none(value) is not None:
        return None
    check = failures.count_of if name in ("batch_size", "buffer_size") else lambda _, number: number  # counts may be 0, or -1 for all
    return lambda: check(name, int(_bound.value(value))) if _bound is not None else 1


def _later(dataset):
    """What makes the elements of a data set that is made as its first element is asked for."""
    def make():
        yield from dataset()._make()
    return make


def _over_graph(tensors, sliced):
    """A data set over tensors of a graph, which are computed as its iterators begin: placeholders, random numbers. None where
    there are no such tensors."""
    from ..operations import elementary as operations
    leaves = flatten(tensors)
    if not any(graph.is_symbolic(each) and operations.known_or_none(each) is None for each in leaves):
        return None
    leaves = [graph.convert(each) for each in leaves]
    if any(each.dims is None for each in leaves):
        raise ValueError("A data set over a placeholder without a rank: give it a shape, whose extents may be None.")
    specs = [TensorSpec(each.dims[sliced:], each.dtype) for each in leaves]

    def make():
        if _bound is None:  # while graphs are made only shapes and types are asked for
            yield from itertools.repeat([np.zeros([d or 1 for d in s.shape], s.dtype.as_numpy_dtype) for s in specs])
        arrays = [_bound.value(each) for each in leaves]
        yield from (list(row) for row in zip(*arrays)) if sliced else [arrays]
    return Dataset(make, pack_like(tensors, specs), (leaves[0].dims[0] or UNKNOWN) if sliced else 1, specs=specs)


def shapes_like(structure, shapes):
    """The shapes of the parts of elements, which are nested as the parts are."""
    if isinstance(structure, (tuple, list)):
        if not isinstance(shapes, (tuple, list)) or len(shapes) != len(structure):
            raise ValueError(f"The shapes {shapes} are not nested as the {len(structure)} parts of elements are: give one for each.")
        return [leaf for part, each in zip(structure, shapes) for leaf in shapes_like(part, each)]
    if isinstance(structure, dict):
        if not isinstance(shapes, dict) or set(shapes) != set(structure):
            raise ValueError(f"The shapes {shapes} are not nested as the parts of elements are: give a dictionary of "
                             f"{', '.join(sorted(structure))}.")
        return [leaf for key in sorted(structure) for leaf in shapes_like(structure[key], shapes[key])]
    return [shapes]


def _of_type(value, spec):
    """What a generator yields as an array of that type and shape."""
    array = np.asarray(value, spec.dtype.as_numpy_dtype)
    wanted = spec.shape.dims_
    if wanted is not None and (len(wanted) != array.ndim or any(d not in (None, n) for d, n in zip(wanted, array.shape))):
        raise TypeError(f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was expected.")
    return array


def _seed():
    seed = graph.current().seed
    return 1 if seed is None else seed


def _batch_of(column):
    for i, each in enumerate(column):
        if np.shape(each) != np.shape(column[0]):
            raise errors.InvalidArgumentError(message="Cannot batch tensors with different shapes in component 0. First element had "
                                              f"shape {list(np.shape(column[0]))} and element {i} had shape {list(np.shape(each))}.")
    return np.stack(column)


class Dataset:
    """Elements one after the other. `make` gives an iterator of flat lists; `rows`: (arrays, function that gives an
    iterator of indices), where elements are rows of arrays."""

    def __init__(self, make, structure, length, rows=None, open_batch=False, specs=None):
        self._make, self._structure, self._length = make, structure, length
        self._rows, self._open_batch, self._specs = rows, open_batch, specs

    # Sources.

    @staticmethod
    def from_tensors(tensors, name=None):
        fed = _over_graph(tensors, False)
        if fed is not None:
            return fed
        structure = _lists_as_tensors(tensors)
        leaves = flatten(structure)
        return Dataset(lambda: iter([leaves]), structure, 1)

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        fed = _over_graph(tensors, True)
        if fed is not None:
            return fed
        structure = _lists_as_tensors(tensors)
        arrays = flatten(structure)
        sizes = {len(a) for a in arrays}
        if len(sizes) != 1:
            raise ValueError(f"Dimensions {' and '.join(map(str, sorted(sizes)))} are not compatible")
        return _of_rows(arrays, lambda: range(len(arrays[0])), structure, len(arrays[0]))

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        specs = output_signature
        if specs is None:
            types = flatten(output_types)
            shapes = [None] * len(types) if output_shapes is None else shapes_like(output_types, output_shapes)
            specs = pack_like(output_types, [TensorSpec(s, t) for t, s in zip(types, shapes)])
        flat = flatten(specs)

        def begin():
            for element in generator(*(args or ())):
                leaves = flatten_up_to(specs, element)
                if leaves is None:
                    raise TypeError(f"`generator` yielded an element that did not match the expected structure. The expected "
                                    f"structure was {specs}, but the yielded element was {element}.")
                yield [_of_type(leaf, spec) for leaf, spec in zip(leaves, flat)]
        return Dataset(data_passes.of_generator(begin), specs, UNKNOWN, specs=flat)

    @staticmethod
    def range(*args, output_type="int64", name=None):
        values = np.arange(*args).astype(as_dtype(output_type).as_numpy_dtype)
        return Dataset.from_tensor_slices(values)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        """The names of the files that patterns fit."""
        found = sorted(path for pattern in texts_of(file_pattern) for path in glob.glob(pattern))
        if not found:
            raise ValueError(f"No files matched pattern: {', '.join(texts_of(file_pattern))}")
        made = Dataset.from_tensor_slices(np.array([each.encode() for each in found], object))
        return made if shuffle is False else made.shuffle(len(found), seed)

    @staticmethod
    def zip(datasets, name=None):
        parts = flatten(datasets)
        lengths = [d._length for d in parts if d._length != INFINITE]
        length = UNKNOWN if UNKNOWN in lengths else min(lengths) if lengths else INFINITE

        def make():
            for elements in zip(*[d._make() for d in parts]):
                yield [leaf for each in elements for leaf in each]
        return Dataset(make, pack_like(datasets, [d._structure for d in parts]), length,
                       open_batch=any(d._open_batch for d in parts))

    # Transformations.

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        sized = _of_session("batch_size", batch_size)
        if sized is not None:
            made = self._like(_later(lambda: self.batch(sized(), drop_remainder)), UNKNOWN)
            made._open_batch, made._specs = True, [TensorSpec([None] + list(s.shape.dims_ or []), s.dtype) for s in self.flat_specs()]
            return made
        size = failures.count_of("batch_size", "None" if batch_size is None else batch_size)

        def of_rows():
            arrays, indices = self._rows
            order = iter(indices())
            while True:
                chunk = np.fromiter(itertools.islice(order, size), np.int64)
                if len(chunk) == 0 or (drop_remainder and len(chunk) < size):
                    return
                yield [a[chunk] for a in arrays]

        def of_elements():
            for chunk in data_passes.chunks(self._make(), size, drop_remainder):
                yield [_batch_of(column) for column in zip(*chunk)]

        length = self._length if self._length < 0 else self._length // size if drop_remainder else -(-self._length // size)
        specs = None if self._specs is None else [
            TensorSpec([size if drop_remainder else None] + list(s.shape.dims_ or []), s.dtype) for s in self._specs]
        return Dataset(of_rows if self._rows else of_elements, self._structure, length,
                       open_batch=not drop_remainder, specs=specs)

    def repeat(self, count=None, name=None):
        counted = _of_session("count", count)
        if counted is not None:
            return self._like(_later(lambda: self.repeat(counted())), UNKNOWN)
        count = -1 if count is None else int(count)
        length = INFINITE if count < 0 and self._length != 0 else self._length * count if self._length >= 0 else \
            self._length

        def over(source):
            passes = itertools.count() if count < 0 else range(count)
            return lambda: (each for _ in passes_of(passes) for each in source())

        def passes_of(passes):
            return itertools.count() if count < 0 else iter(range(count))
        if self._rows:
            return _of_rows(self._rows[0], over(self._rows[1]), self._structure, length)
        return self._like(over(self._make), length)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        passes, own = itertools.count(), _seed() if seed is None else int(seed)

        def number():
            return 0 if reshuffle_each_iteration is False else next(passes)
        counted = _of_session("buffer_size", buffer_size)
        if counted is not None:
            return self._like(_later(lambda: self._shuffled(counted(), own, number)), self._length)
        return self._shuffled(failures.count_of("buffer_size", buffer_size), own, number)

    def _shuffled(self, buffer_size, own, number):
        """In the order of a seed; `number` gives that of the pass that begins."""
        def whole_order():
            order = np.fromiter(self._rows[1](), np.int64)
            return iter(order[engine.sample_order(len(order), True, own, number())])
        if self._rows and 0 <= self._length <= buffer_size:
            return _of_rows(self._rows[0], whole_order, self._structure, self._length)
        if self._rows:
            return _of_rows(self._rows[0], lambda: _buffered(self._rows[1](), buffer_size, own, number()),
                            self._structure, self._length)
        return self._like(lambda: _buffered(self._make(), buffer_size, own, number()), self._length)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        shaped = []

        def apply(leaves):
            result = self._made_of(leaves, map_func)
            result = tuple(result) if isinstance(result, list) else result
            if not shaped:
                shaped.append(result)
            return [_array(leaf) for leaf in flatten(result)]

        made = Dataset(lambda: map(apply, self._make()), None, self._length, open_batch=self._open_batch)
        first = data_passes.first_of(self._make)
        if first is not None:
            apply(first)
            made._structure = shaped[0]
        return made

    def _set_of(self, leaves, function):
        """The data set that a script's function makes of an element."""
        made = self._made_of(leaves, function)
        if not isinstance(made, Dataset):
            raise TypeError(f"`map_func` must return a `Dataset` object. Got {type(made).__name__}: use map() for functions "
                            "that give elements.")
        return made

    def _element(self, leaves):
        """An element as scripts get it: of tensors, and of data sets of the elements of windows."""
        return pack_like(self._structure, [leaf if isinstance(leaf, Dataset) else graph.EagerTensor(leaf) for leaf in leaves])

    def _made_of(self, leaves, function):
        """What a script's function makes of an element."""
        element = self._element(leaves)
        with graph.at_once():
            return function(*element) if isinstance(element, tuple) else function(element)

    def interleave(self, map_func, cycle_length=None, block_length=1, num_parallel_calls=None, deterministic=None, name=None):
        """The elements of the data sets that elements become: `block_length` of each in turn, `cycle_length` of them open at
        a time, of which a new one takes the place of one that has ended."""
        def make():
            sources = (self._set_of(leaves, map_func)._make() for leaves in self._make())
            running = [None] * max(int(cycle_length or 1), 1)
            for at in itertools.cycle(range(len(running))):
                running[at] = running[at] or next(sources, None)
                if running[at] is None and not any(running):
                    return
                for _ in range(block_length if running[at] else 0):
                    element = next(running[at], None)
                    if element is None:
                        running[at] = None
                        break
                    yield element

        first = data_passes.first_of(self._make)
        inner = self if first is None else self._set_of(first, map_func)
        return Dataset(make, inner._structure, UNKNOWN, open_batch=inner._open_batch, specs=inner._specs)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Data sets of `size` elements each, every `stride`-th, of which one begins `shift` elements after the other."""
        size, stride = failures.count_of("size", size), failures.count_of("stride", stride)
        shift = size if shift is None else failures.count_of("shift", shift)
        span = (size - 1) * stride + 1

        def part(column):
            return Dataset(lambda: ([each] for each in column), column[0], len(column))

        def make():
            source, held = self._make(), []
            while True:
                held += itertools.islice(source, span - len(held))
                if not held or (drop_remainder and len(held) < span):
                    return
                yield [part(column) for column in zip(*held[::stride])]
                held, beyond = held[shift:], shift - len(held)
                next(itertools.islice(source, beyond, beyond), None) if beyond > 0 else None

        length = self._length
        if length >= 0:
            length = max((length - span) // shift + 1, 0) if drop_remainder else -(-length // shift)
        return Dataset(make, self._structure, length)

    def flat_map(self, map_func, name=None):
        return self.interleave(map_func, 1, 2**30)

    def reduce(self, initial_state, reduce_func, name=None):
        state = _lists_as_tensors(initial_state)
        for leaves in self._make():
            element = pack_like(self._structure, [graph.EagerTensor(leaf) for leaf in leaves])
            with graph.at_once():
                state = reduce_func(state, element)
        return pack_like(state, [graph.convert(each) for each in flatten(state)])

    def take(self, count, name=None):
        counted = _of_session("count", count)
        if counted is not None:
            return self._like(_later(lambda: self.take(counted())), UNKNOWN)
        count = int(count)
        length = self._length if count < 0 else count if self._length < 0 else min(count, self._length)
        stop = None if count < 0 else count
        if self._rows:
            return _of_rows(self._rows[0], lambda: itertools.islice(self._rows[1](), stop), self._structure, length)
        return self._like(lambda: itertools.islice(self._make(), stop), length)

    def skip(self, count, name=None):
        counted = _of_session("count", count)
        if counted is not None:
            return self._like(_later(lambda: self.skip(counted())), UNKNOWN)
        count = int(count)
        if count < 0:  # all of them
            return self.take(0)
        length = self._length if self._length < 0 else max(self._length - count, 0)
        if self._rows:
            return _of_rows(self._rows[0], lambda: itertools.islice(self._rows[1](), count, None), self._structure,
                            length)
        return self._like(lambda: itertools.islice(self._make(), count, None), length)

    def shard(self, num_shards, index, name=None):
        length = self._length if self._length < 0 else len(range(index, self._length, num_shards))
        if self._rows:
            return _of_rows(self._rows[0], lambda: itertools.islice(self._rows[1](), index, None, num_shards),
                            self._structure, length)
        return self._like(lambda: itertools.islice(self._make(), index, None, num_shards), length)

    def cache(self, filename="", name=None):
        if self._rows:
            frozen = []

            def kept_rows():
                if not frozen:
                    frozen.append(list(self._rows[1]()))
                return iter(frozen[0])
            return _of_rows(self._rows[0], kept_rows, self._structure, self._length)
        of_fed = {}  # by what placeholders were fed with

        def make():
            fed = _bound.fed if _bound else None
            kept = of_fed.setdefault(id(fed), [fed])
            if len(kept) > 1:
                yield from kept[1]
                return
            elements = []
            for each in self._make():
                elements.append(each)
                yield each
            kept.append(elements)
        return self._like(make, self._length)

    def filter(self, predicate, name=None):
        return self._like(lambda: filter(lambda leaves: bool(self._made_of(leaves, predicate)), self._make()), UNKNOWN)

    def unbatch(self, name=None):
        def make():
            for leaves in self._make():
                if any(np.ndim(each) == 0 for each in leaves):
                    raise ValueError("Cannot unbatch an input with scalar components.")
                yield from (list(rows) for rows in zip(*leaves))
        return Dataset(make, self._structure, UNKNOWN)

    def concatenate(self, dataset, name=None):
        length = min(self._length, dataset._length) if min(self._length, dataset._length) < 0 else \
            self._length + dataset._length
        return self._like(lambda: itertools.chain(self._make(), dataset._make()), length)

    def enumerate(self, start=0, name=None):
        return Dataset(lambda: ([np.int64(i)] + leaves for i, leaves in enumerate(self._make(), start)),
                       (0, self._structure), self._length)

    def prefetch(self, buffer_size=None, name=None):
        return self

    def apply(self, transformation_func):
        return transformation_func(self)

    def _like(self, make, length):
        return Dataset(make, self._structure, length, open_batch=self._open_batch, specs=self._specs)

    # Readers.

    def cardinality(self):
        return graph.EagerTensor(np.int64(self._length))

    def __len__(self):
        if self._length < 0:
            raise TypeError("dataset length is infinite." if self._length == INFINITE else "dataset length is unknown.")
        return self._length

    def __bool__(self):
        return True

    @property
    def element_spec(self):
        specs = self.flat_specs()
        return pack_like(self._structure, specs)

    def flat_specs(self):
        if self._specs is None:
            first = data_passes.first_of(self._make) or []
            self._specs = [TensorSpec([None] + list(a.shape[1:]) if self._open_batch else a.shape, a.dtype)
                           for a in map(np.asarray, first)]
        return self._specs

    def element_of(self, kind, attributes, name):
        """An element, as an operation of the graph gives it."""
        types = [(spec.dtype, spec.shape.dims_) for spec in self.flat_specs()]
        return pack_like(self._structure, graph.current().add(kind, [], attributes, types, name).outputs)

    def arrays(self):
        """An iterator of flat lists of arrays."""
        return self._make()

    def __iter__(self):
        from ..tracing.functions import DatasetIterator
        return DatasetIterator(self)

    def as_numpy_iterator(self):
        """Elements of NumPy's arrays and numbers."""
        return (pack_like(self._structure, [each[()] if isinstance(each, np.ndarray) else each for each in leaves])
                for leaves in self._make())

    def make_initializable_iterator(self, shared_name=None):
        return GraphIterator(self, True)

    def make_one_shot_iterator(self):
        return GraphIterator(self, False)


def _of_rows(arrays, indices, structure, length):
    return Dataset(lambda: ([a[i] for a in arrays] for i in indices()), structure, length, rows=(arrays, indices))


def _buffered(source, size, seed, number):
    """A buffer of `size`, of which each output is a uniform pick that the next input replaces."""
    random = np.random.Generator(np.random.Philox(key=[seed, number]))
    source = iter(source)
    buffer = list(itertools.islice(source, int(size)))
    for each in source:
        at = int(random.integers(len(buffer)))
        yield buffer[at]
        buffer[at] = each
    for at in random.permutation(len(buffer)):
        yield buffer[at]


class OfSessions:
    """An iterator of TensorFlow 1: each session has a place of its own in it."""

    needs_start = True

    def next_arrays(self, step):
        if id(step.session) not in self.running:
            if self.needs_start:
                raise errors.FailedPreconditionError(message="GetNext() failed because the iterator has not been "
                                                     "initialized. Ensure that you have run the initializer operation "
                                                     "for this iterator before getting the next element.")
            self.restart(step)
        element = next(self.running[id(step.session)], None)
        if element is None:
            raise errors.OutOfRangeError(message="End of sequence")
        return element


class GraphIterator(OfSessions):
    """That of one data set."""

    def __init__(self, dataset, needs_start):
        self.dataset, self.needs_start, self.running = dataset, needs_start, {}
        self.initializer = graph.current().add("iterator_init", [], {"iterator": self}, [], "MakeIterator")

    def get_next(self, name=None):
        return self.dataset.element_of("iterator", {"iterator": self}, name or "IteratorGetNext")

    def restart(self, step):
        self.running[id(step.session)] = Bound(self.dataset, step)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """What Dataset.apply() takes, as the next two."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def prefetch_to_device(device, buffer_size=None):
    return lambda dataset: dataset


EXPERIMENTAL = {each.__name__: each for each in (shuffle_and_repeat, map_and_batch, prefetch_to_device)}
