# SPDX-License-Identifier: GPL-3.0-or-later
"""keras.datasets: files of the folder of --data, or what stands in for them, which a line on stderr says."""
import json
import os

import numpy as np

from .. import failures, host


def _stand_in(title, what):
    host.tell_once(f"tilescope: {what} stand in for \"{title}\" (give its folder with --data)")


def _digits(name):
    """Of MNIST's form: the files of a folder of that name."""
    def load_data(path=None):
        parts = []
        for training in (True, False):
            digits, built_in = host.run().load_digits(name, training)
            if built_in:
                _stand_in(name, "built-in synthetic digits")
            parts.append(digits)
        return tuple(parts)
    return load_data


def _folder_of(names, below, archive="unpack the archive with binary files"):
    """The folder that has these files, in that of --data or in `below` in it; None where no folder was named."""
    given = host.options.get("data_folder") or ""
    if not given:
        return None
    for folder in (os.path.join(given, below), given):
        if all(os.path.exists(os.path.join(folder, name)) for name in names):
            return folder
    raise failures.no_file(f"the folder of --data, {given}, has no {os.path.normpath(os.path.join(below, names[0]))}: {archive} there")


def _records(paths, labels, label):
    """Images [n, 32, 32, 3] and labels [n, 1] of CIFAR's binary files. `labels`: bytes before an image; `label`: which."""
    rows = np.concatenate([np.fromfile(path, np.uint8) for path in paths]).reshape(-1, labels + 3072)
    return np.ascontiguousarray(rows[:, labels:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)), rows[:, label:label + 1]


def _digits_as_pictures(training):
    (images, labels), _ = host.run().load_digits("mnist", training)
    images = np.pad(images[:50000], ((0, 0), (2, 2), (2, 2)))
    return np.repeat(images[..., None], 3, axis=-1), labels[:50000, None]


def _cifar(title, below, training, test, labels):
    def load_data(label_mode="fine"):
        folder = _folder_of(training + test, below)
        if folder is None:
            _stand_in(title, "built-in synthetic digits, 32 x 32 x 3,")
            return _digits_as_pictures(True), _digits_as_pictures(False)
        label = 0 if labels == 1 or label_mode == "coarse" else 1
        return tuple(_records([os.path.join(folder, name) for name in names], labels, label)
                     for names in (training, test))
    return load_data


def drawn_reviews(count, words, longest, seed):
    """Sequences of word numbers, of which those of a class are drawn from its half of the words half of the time."""
    random = np.random.Generator(np.random.Philox(seed))
    classes = random.integers(2, size=count)
    reviews = np.empty(count, object)
    half = max((words - 4) // 2, 1)
    for i, kind in enumerate(classes):
        length = int(random.integers(20, longest))
        any_word = random.integers(4, max(words, 5), size=length)
        own = random.integers(half, size=length) + 4 + kind * half
        reviews[i] = [1] + np.where(random.random(length) < 0.5, own, any_word).tolist()
    return reviews, classes


def imdb(path="imdb.npz", num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3):
    _stand_in("imdb", "drawn sequences of word numbers")
    longest = min(maxlen or 400, 400)
    return tuple(drawn_reviews(25000, num_words or 20000, max(longest, 21), seed + part) for part in (0, 1))


def word_index(path="imdb_word_index.json"):
    """The number of each word of imdb: of the file in the folder of --data, else of words that are called by their numbers."""
    file = os.path.join(host.options.get("data_folder") or "", os.path.basename(path))
    if not os.path.exists(file):
        _stand_in("imdb", "drawn sequences of word numbers")
        return {f"word{number}": number for number in range(1, 20001)}
    with open(file, encoding="utf-8") as words:
        return json.load(words)


def get_file(fname=None, origin=None, untar=False, md5_hash=None, file_hash=None, cache_subdir="datasets", hash_algorithm="auto",
             extract=False, archive_format="auto", cache_dir=None):
    """keras.utils.get_file of what is there: in the folder of --data, or where Keras keeps what it has downloaded."""
    name = os.path.basename(fname or origin)
    kept = os.path.join(os.path.expanduser(cache_dir or os.path.join("~", ".keras")), cache_subdir)
    for folder in (host.options.get("data_folder"), kept):
        if folder and os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise failures.no_file(f"keras.utils.get_file({name!r}): nothing is downloaded; put {name}"
                           f"{', as it is unpacked,' if untar or extract else ''} into the folder of --data")


def boston_housing(path="boston_housing.npz", test_split=0.2, seed=113):
    folder = _folder_of([path], ".", "put it")
    if folder is None:
        raise failures.no_file(f"tensorflow.keras.datasets.boston_housing: nothing is downloaded; give the folder that has {path} with "
                               "--data")
    with np.load(os.path.join(folder, path)) as file:
        x, y = file["x"], file["y"]
    order = np.random.RandomState(seed).permutation(len(x))
    split = int(len(x) * (1 - test_split))
    return tuple((x[part], y[part]) for part in (order[:split], order[split:]))


def reuters(*args, **kwargs):
    raise failures.refused("tensorflow.keras.datasets.reuters", "nothing is downloaded; load arrays of your own, or use imdb")


DATASETS = {"mnist": _digits("mnist"), "fashion_mnist": _digits("fashion-mnist"),
            "cifar10": _cifar("cifar10", "cifar-10-batches-bin", [f"data_batch_{i}.bin" for i in range(1, 6)],
                              ["test_batch.bin"], 1),
            "cifar100": _cifar("cifar100", "cifar-100-binary", ["train.bin"], ["test.bin"], 2),
            "imdb": imdb, "boston_housing": boston_housing, "reuters": reuters}
