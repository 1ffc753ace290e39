# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.preprocessing's data sets of folders of images and texts, and of series."""
import os

import numpy as np

import tilescope_engine as engine

from .. import dtypes, failures
from ..data.pipelines import Dataset
from ..operations import image as image_operations

_CHANNELS = {"rgb": 3, "grayscale": 1}


def _channels(color_mode):
    if color_mode not in _CHANNELS:
        raise failures.refused(f"color_mode={color_mode!r}", "use 'rgb' or 'grayscale'")
    return _CHANNELS[color_mode]


def load_img(path, grayscale=False, color_mode="rgb", target_size=None, interpolation="nearest"):
    """The image of a PNG or JPEG file; img_to_array gives its numbers."""
    values = engine.read_image(os.fspath(path), 1 if grayscale else _channels(color_mode))
    if target_size is not None:
        values = np.asarray(image_operations.resized(values, target_size, interpolation, True).value)
    return values


def img_to_array(img, data_format=None, dtype="float32"):
    array = np.asarray(img, dtype)
    array = array[..., None] if array.ndim == 2 else array
    return array.transpose(2, 0, 1) if data_format == "channels_first" else array


def _files_of(directory, endings):
    names = (os.path.join(folder, name) for folder, _, files in sorted(os.walk(directory)) for name in sorted(files))
    return [name for name in names if name.lower().endswith(endings)]


def labelled(directory, labels, class_names, endings=(".png", ".jpg", ".jpeg")):
    """(files, class of each or None, names of the classes)"""
    if labels is None:
        return _files_of(directory, endings), None, None
    found = sorted(each for each in os.listdir(directory) if os.path.isdir(os.path.join(directory, each)))
    if class_names is not None and set(class_names) != set(found):
        raise ValueError("The `class_names` passed did not match the names of the subdirectories of the target directory. "
                         f"Expected: {found}, but received: {list(class_names)}")
    classes = list(class_names or found)
    of_each = [_files_of(os.path.join(directory, name), endings) for name in classes]
    files = [name for names in of_each for name in names]
    if labels != "inferred":
        if len(labels) != len(files):
            raise ValueError(f"Expected the lengths of `labels` to match the number of files in the target directory. "
                             f"len(labels) is {len(labels)} while we found {len(files)} files in {directory}.")
        return files, np.asarray(labels), classes
    return files, np.repeat(np.arange(len(classes), dtype=np.int32), [len(each) for each in of_each]), classes


def split(files, labels, share, subset, seed, shuffle):
    """What is for training or for validation: the last of them, as Keras has it."""
    if share and not (0 < share < 1):
        raise ValueError(f"`validation_split` must be between 0 and 1, received: {share}")
    if bool(share) != (subset is not None):
        raise ValueError("`validation_split` and `subset` must be given together.")
    if share and shuffle and seed is None:
        raise ValueError("If using `validation_split` and shuffling the data, you must provide a `seed` argument, to make sure "
                         "that there is no overlap between the training and validation subset.")
    if shuffle:
        order = np.arange(len(files))
        np.random.RandomState(0 if seed is None else seed).shuffle(order)
        files, labels = [files[i] for i in order], None if labels is None else labels[order]
    if not share:
        return files, labels
    kept = int(share * len(files))
    part = {"training": slice(None, len(files) - kept), "validation": slice(len(files) - kept, None)}
    if subset not in part:
        raise ValueError(f'`subset` must be either "training" or "validation", received: {subset}')
    return files[part[subset]], None if labels is None else labels[part[subset]]


def as_labels(classes, mode, count):
    if mode == "int":
        return classes.astype(np.int32)
    if mode == "categorical":
        return np.eye(count, dtype=np.float32)[classes]
    if mode == "binary":
        if count != 2:
            raise ValueError(f'When passing `label_mode="binary"`, there must be exactly 2 class_names. Received: {count}')
        return classes.astype(np.float32)[:, None]
    raise ValueError(f'`label_mode` argument must be one of "int", "categorical", "binary", or None. Received: {mode}')


def image_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, color_mode="rgb",
                                 batch_size=32, image_size=(256, 256), shuffle=True, seed=None, validation_split=None,
                                 subset=None, interpolation="bilinear", follow_links=False, crop_to_aspect_ratio=False):
    """Batches of (images float32 [batch, height, width, channels] of 0 to 255, labels) of a folder with one folder for each
    class."""
    if crop_to_aspect_ratio:
        raise failures.refused("image_dataset_from_directory(crop_to_aspect_ratio=True)", "cut the images beforehand")
    channels = _channels(color_mode)
    files, classes, names = labelled(directory, labels if label_mode is not None else None, class_names)
    if not files:
        raise ValueError(f"No images found in directory {directory}. Allowed formats: ('.jpeg', '.jpg', '.png')")
    if names is not None:
        print(f"Found {len(files)} files belonging to {len(names)} classes.")
    files, classes = split(files, classes, validation_split, subset, seed, shuffle)
    given = None if classes is None else as_labels(classes, label_mode, len(names))

    def image(path):
        values = engine.read_image(path, channels)
        return np.asarray(image_operations.resized(values, image_size, interpolation, True).value, np.float32)

    def make():
        for number, path in enumerate(files):
            yield [image(path)] + ([] if given is None else [given[number]])
    specs = [dtypes.TensorSpec((*image_size, channels), "float32")]
    if given is not None:
        specs.append(dtypes.TensorSpec(given.shape[1:], given.dtype))
    made = Dataset(make, specs[0] if given is None else tuple(specs), len(files), specs=specs)
    if shuffle:
        made = made.shuffle((batch_size or 128) * 8, seed)
    if batch_size is not None:
        made = made.batch(batch_size)
    made.class_names, made.file_paths = names, files
    return made


def text_dataset_from_directory(directory, labels="inferred", label_mode="int", class_names=None, batch_size=32,
                                max_length=None, shuffle=True, seed=None, validation_split=None, subset=None,
                                follow_links=False):
    """Batches of (texts, labels) of a folder with one folder of .txt files for each class."""
    files, classes, found = labelled(directory, labels if label_mode is not None else None, class_names, (".txt",))
    if not files:
        raise ValueError(f"No text files found in directory {directory}. Allowed format: .txt")
    if found is not None:
        print(f"Found {len(files)} files belonging to {len(found)} classes.")
    files, classes = split(files, classes, validation_split, subset, seed, shuffle)

    def text(path):
        with open(path, "rb") as file:
            return file.read()[:max_length]
    texts = np.array([text(path) for path in files] + [None], object)[:-1]
    made = Dataset.from_tensor_slices(
        texts if classes is None else (texts, as_labels(classes, label_mode, len(found))))
    made = (made.shuffle(len(files), seed) if shuffle else made).batch(batch_size)
    made.class_names, made.file_paths = found, files
    return made


def timeseries_dataset_from_array(data, targets, sequence_length, sequence_stride=1, sampling_rate=1, batch_size=128,
                                  shuffle=False, seed=None, start_index=None, end_index=None):
    """Batches of windows of a series, each with the target at its beginning."""
    begin, end = start_index or 0, len(data) if end_index is None else end_index
    rows = np.asarray(data)[begin:end]
    count = len(rows) - sequence_length * sampling_rate + 1
    starts = np.arange(0, count if targets is None else min(count, len(targets)), sequence_stride)
    if not len(starts):
        raise ValueError(f"The series of {len(rows)} values has no window of {sequence_length} values, {sampling_rate} apart.")
    windows = rows[starts[:, None] + np.arange(sequence_length) * sampling_rate]
    made = Dataset.from_tensor_slices(windows if targets is None else (windows, np.asarray(targets)[begin:][starts]))
    made = made.shuffle(batch_size * 8, seed) if shuffle else made
    return made.batch(batch_size)


SETS = {"image_dataset_from_directory": image_dataset_from_directory,
        "text_dataset_from_directory": text_dataset_from_directory,
        "timeseries_dataset_from_array": timeseries_dataset_from_array}


def add_names():
    from .. import names
    for module in ("tensorflow.keras.preprocessing", "tensorflow.keras.utils"):
        names.module(module, SETS)
    names.module("tensorflow.keras.preprocessing.image", load_img=load_img, img_to_array=img_to_array)
