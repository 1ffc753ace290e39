# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.preprocessing.image.ImageDataGenerator: batches of images that change at random on the host, by NumPy's numbers in Keras' order."""
import os

import numpy as np

from . import folders
from .. import failures, names
from ..configured import bind, signature_of
from .data import Sequence

_PARAMETERS = ("featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False, samplewise_std_normalization=False, "
               "zca_whitening=False, zca_epsilon=1e-06, rotation_range=0, width_shift_range=0.0, height_shift_range=0.0, brightness_range=None, "
               "shear_range=0.0, zoom_range=0.0, channel_shift_range=0.0, fill_mode='nearest', cval=0.0, horizontal_flip=False, vertical_flip=False, "
               "rescale=None, preprocessing_function=None, data_format=None, validation_split=0.0, dtype=None, interpolation_order=1")
_REFUSED = {"zca_whitening": "whiten the images beforehand, with NumPy", "brightness_range": "use tf.image.random_brightness in Dataset.map()",
            "rotation_range": "use keras.layers.RandomRotation in the model", "zoom_range": "use keras.layers.RandomZoom in the model",
            "shear_range": "change the images in Dataset.map()", "channel_shift_range": "use tf.image.random_hue in Dataset.map()"}
_TINY = 1e-6


class ImageDataGenerator:
    """How images change: scaled, centred, shifted and flipped."""

    def __init__(self, *args, **kwargs):
        given = bind("ImageDataGenerator", signature_of(_PARAMETERS), args, kwargs)
        for name, remedy in _REFUSED.items():
            if given[name] not in (0, None, False, (1, 1), [1, 1]):
                raise failures.refused(f"keras.preprocessing.image.ImageDataGenerator({name}={given[name]!r})", remedy)
        if given["data_format"] not in (None, "channels_last"):
            raise failures.refused("ImageDataGenerator(data_format='channels_first')", "give images with the channels last")
        if given["fill_mode"] not in ("nearest", "constant"):
            raise failures.refused(f"ImageDataGenerator(fill_mode='{given['fill_mode']}')", "use nearest or constant")
        self.__dict__.update(given)
        self.mean, self.std = None, None

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Takes mean and deviation of images."""
        x = np.asarray(x, np.float32)
        if self.featurewise_center:
            self.mean = x.mean((0, 1, 2)).reshape(1, 1, -1)
            x = x - self.mean
        if self.featurewise_std_normalization:
            self.std = x.std((0, 1, 2)).reshape(1, 1, -1)

    def standardize(self, x):
        x = np.asarray(x, np.float32)
        if self.preprocessing_function:
            x = np.asarray(self.preprocessing_function(x), np.float32)
        if self.rescale:
            x = x * np.float32(self.rescale)
        if self.samplewise_center:
            x = x - x.mean(keepdims=True)
        if self.samplewise_std_normalization:
            x = x / (x.std(keepdims=True) + _TINY)
        for wanted, known, how in ((self.featurewise_center, self.mean, lambda x: x - self.mean),
                                   (self.featurewise_std_normalization, self.std, lambda x: x / (self.std + _TINY))):
            if wanted and known is None:
                raise ValueError("This ImageDataGenerator specifies `featurewise_center` or `featurewise_std_normalization`, but it hasn't been fit "
                                 "on any training data. Fit it first by calling `.fit(numpy_data)`.")
            x = how(x) if wanted else x
        return x.astype(np.float32)

    @staticmethod
    def _shift(given, extent):
        if not np.any(given):
            return 0.0
        if isinstance(given, (list, tuple, np.ndarray, int)) and not isinstance(given, bool):
            moved = np.random.choice(given) * np.random.choice([-1, 1])
        else:
            moved = np.random.uniform(-given, given)
        return moved * extent if np.max(given) < 1 else moved

    def get_random_transform(self, img_shape, seed=None):
        """What changes one image, in the order in which Keras draws it."""
        if seed is not None:
            np.random.seed(seed)
        down, right = self._shift(self.height_shift_range, img_shape[0]), self._shift(self.width_shift_range, img_shape[1])
        flips = [(np.random.random() < 0.5) * bool(wanted) for wanted in (self.horizontal_flip, self.vertical_flip)]
        return {"theta": 0, "tx": down, "ty": right, "shear": 0, "zx": 1, "zy": 1, "flip_horizontal": flips[0], "flip_vertical": flips[1]}

    def apply_transform(self, x, transform_parameters):
        for axis, name in enumerate(("tx", "ty")):
            x = self._moved(np.asarray(x, np.float32), transform_parameters.get(name, 0), axis)
        x = x[:, ::-1] if transform_parameters.get("flip_horizontal") else x
        return x[::-1] if transform_parameters.get("flip_vertical") else x

    def _moved(self, x, by, axis):
        """Each place has what is `by` further, between two of them a mean; beyond the edge what fill_mode says."""
        if not by:
            return x
        places = np.arange(x.shape[axis]) + by
        low = np.floor(places).astype(int)
        share = (places - low).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
        taken = [np.take(x, np.clip(each, 0, x.shape[axis] - 1), axis) for each in (low, low + 1)]
        made = taken[0] * (1 - share) + taken[1] * share
        if self.fill_mode == "constant":
            outside = (places < 0) | (places > x.shape[axis] - 1)
            made = np.where(outside.reshape(share.shape), self.cval, made)
        return made.astype(np.float32)

    def random_transform(self, x, seed=None):
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def _part(self, count, subset):
        if subset not in (None, "training", "validation"):
            raise ValueError(f'Invalid subset name: {subset};expected "training" or "validation"')
        cut = int(count * self.validation_split) if subset else 0
        return slice(None, cut) if subset == "validation" else slice(cut, None)

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, save_to_dir=None, save_prefix="", save_format="png",
             subset=None):
        images = np.asarray(x)
        if images.ndim != 4:
            raise ValueError(f"Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape {images.shape}")
        if y is not None and len(y) != len(images):
            raise ValueError(f"`x` (images tensor) and `y` (labels) should have the same length. Found: x.shape = {images.shape}, y.shape = "
                             f"{np.shape(y)}")
        part = self._part(len(images), subset)
        columns = [None if each is None else np.asarray(each)[part] for each in (y, sample_weight)]
        images = images[part]
        return Iterator(self, len(images), lambda i: images[i], [each for each in columns if each is not None], batch_size, shuffle, seed)

    def flow_from_directory(self, directory, target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical", batch_size=32,
                            shuffle=True, seed=None, save_to_dir=None, save_prefix="", save_format="png", follow_links=False, subset=None,
                            interpolation="nearest"):
        _, _, known = folders.labelled(directory, "inferred", classes)
        files, numbers = [], []
        for number, name in enumerate(known):
            found = folders.labelled(os.path.join(directory, name), None, None)[0]
            found = found[self._part(len(found), subset)]
            files += found
            numbers += [number] * len(found)
        print(f"Found {len(files)} images belonging to {len(known)} classes.")
        numbers = np.array(numbers, np.int32)
        labels = {"categorical": lambda: np.eye(len(known), dtype=np.float32)[numbers], "binary": lambda: numbers.astype(np.float32),
                  "sparse": lambda: numbers.astype(np.float32), None: lambda: None}
        if class_mode not in labels:
            raise ValueError(f"Invalid class_mode: {class_mode}; expected one of: {list(labels)}")
        column = labels[class_mode]()

        def image(i):
            return folders.img_to_array(folders.load_img(files[i], color_mode=color_mode, target_size=target_size,
                                                                           interpolation=interpolation))
        made = Iterator(self, len(files), image, [] if column is None else [column], batch_size, shuffle, seed)
        made.classes, made.class_indices, made.num_classes = numbers, {name: i for i, name in enumerate(known)}, len(known)
        made.filenames, made.filepaths = [os.path.relpath(each, directory) for each in files], files
        return made


class Iterator(Sequence):
    """Batches of images, with labels and weights where there are any."""

    def __init__(self, generator, n, image, columns, batch_size, shuffle, seed):
        self.generator, self.n, self.samples, self.image, self.columns = generator, n, n, image, columns
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.batch_index, self.total_batches_seen, self.index_array = 0, 0, None

    def _order(self):
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def __len__(self):
        return -(-self.n // self.batch_size)

    def on_epoch_end(self):
        self._order()

    def reset(self):
        self.batch_index = 0

    def __iter__(self):
        return self

    def _begin(self):
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, idx):
        if idx >= len(self):
            raise ValueError(f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}")
        self._begin()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._order()
        return self._batch(self.index_array[idx * self.batch_size:(idx + 1) * self.batch_size])

    def __next__(self):
        self._begin()
        if self.batch_index == 0:
            self._order()
        first = self.batch_index * self.batch_size
        self.batch_index = self.batch_index + 1 if self.n > first + self.batch_size else 0
        self.total_batches_seen += 1
        return self._batch(self.index_array[first:first + self.batch_size])

    next = __next__

    def _batch(self, chosen):
        images = []
        for i in chosen:
            image = np.asarray(self.image(i), np.float32)
            images.append(self.generator.standardize(self.generator.apply_transform(image, self.generator.get_random_transform(image.shape))))
        made = [np.stack(images), *(each[chosen] for each in self.columns)]
        return made[0] if len(made) == 1 else tuple(made)


def add_names():
    names.module("tensorflow.keras.preprocessing.image", ImageDataGenerator=ImageDataGenerator, Iterator=Iterator, NumpyArrayIterator=Iterator,
                 DirectoryIterator=Iterator)
