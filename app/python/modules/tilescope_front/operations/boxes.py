# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes of tf.image: parts of images, which of boxes that overlap are kept, and boxes that are drawn. How many are kept no program
of the device knows before it runs: that is for values that are at hand, as in functions of data sets."""
import collections

import numpy as np

from . import elementary as operations
from .. import failures, names
from ..tensors import draws, graph
from ..tensors.graph import EagerTensor, convert


def _places(low, high, extent, wanted):
    """Where in `extent` places each of `wanted` lies, of each box: from `low` to `high`, as shares; in the middle of both for one."""
    if wanted == 1:
        return operations.expand_dims(operations.multiply(operations.add(low, high), 0.5 * (extent - 1)), -1)
    steps = np.arange(wanted, dtype=np.float32) * np.float32((extent - 1) / (wanted - 1))
    first = operations.multiply(operations.expand_dims(low, -1), float(extent - 1))
    return operations.add(first, operations.multiply(operations.expand_dims(operations.subtract(high, low), -1), steps))


def _weights(places, extent, method):
    """How much each place takes of each row or column of an image; nothing from beyond its edge."""
    ops, rows = operations, np.arange(extent, dtype=np.float32)
    if method == "nearest":
        nearest = ops.MATH["floor"](ops.add(places, 0.5))
        weights = ops.cast(ops.equal(ops.expand_dims(nearest, -1), rows), "float32")
    else:
        weights = ops.relu(ops.subtract(1.0, ops.abs_(ops.subtract(ops.expand_dims(places, -1), rows))))
    inside = ops.cast(ops.logical_and(ops.greater_equal(places, 0.0), ops.less_equal(places, float(extent - 1))), "float32")
    return ops.multiply(weights, ops.expand_dims(inside, -1)), inside


def crop_and_resize(image, boxes, box_indices=None, crop_size=None, method="bilinear", extrapolation_value=0.0, name=None, box_ind=None):
    """Parts of images, each in one size; boxes are rows, columns of their corners as shares of the image."""
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be one of ['bilinear', 'nearest'], got {method!r}")
    x, corners = operations.cast(image, "float32"), operations.cast(boxes, "float32")
    chosen = operations.gather(x, box_ind if box_indices is None else box_indices)
    top, left, bottom, right = (corners[:, i] for i in range(4))
    if crop_size is None:
        raise ValueError("crop_and_resize() needs crop_size: the rows and columns of each part.")
    high, wide = operations.wholes(crop_size)
    rows, known_rows = _weights(_places(top, bottom, x.dims[1], high), x.dims[1], method)
    columns, known_columns = _weights(_places(left, right, x.dims[2], wide), x.dims[2], method)
    boxes_, channels = chosen.dims[0], chosen.dims[3]
    made = operations.matmul(rows, operations.reshape(chosen, [boxes_, x.dims[1], x.dims[2] * channels]))
    made = operations.transpose(operations.reshape(made, [boxes_, high, x.dims[2], channels]), [0, 2, 1, 3])
    made = operations.matmul(columns, operations.reshape(made, [boxes_, x.dims[2], high * channels]))
    made = operations.transpose(operations.reshape(made, [boxes_, wide, high, channels]), [0, 2, 1, 3])
    if not extrapolation_value:
        return made
    known = operations.multiply(operations.expand_dims(known_rows, -1), operations.expand_dims(known_columns, 1))
    beyond = operations.multiply(operations.subtract(1.0, known), float(extrapolation_value))
    return operations.add(made, operations.expand_dims(beyond, -1))


def _at_hand(name, *given):
    tensors = [convert(each) for each in given]
    if any(graph.is_symbolic(each) for each in tensors) or not graph.values_at_hand():
        raise failures.refused(f"tf.image.{name} in a program", "how many boxes are kept is not known before it runs; let the program give "
                               "boxes and scores, and choose on the host")
    return [np.asarray(each.value, np.float32) for each in tensors]


def _overlaps(box, others):
    """Common area over that of both together, of a box and others; corners may be given in any order."""
    def sides(b):
        return np.minimum(b[..., 0], b[..., 2]), np.minimum(b[..., 1], b[..., 3]), np.maximum(b[..., 0], b[..., 2]), np.maximum(
            b[..., 1], b[..., 3])
    (a0, a1, a2, a3), (b0, b1, b2, b3) = sides(box), sides(others)
    common = np.maximum(np.minimum(a2, b2) - np.maximum(a0, b0), 0) * np.maximum(np.minimum(a3, b3) - np.maximum(a1, b1), 0)
    areas = (a2 - a0) * (a3 - a1), (b2 - b0) * (b3 - b1)
    return np.where((areas[0] <= 0) | (areas[1] <= 0), 0, common / np.maximum(areas[0] + areas[1] - common, np.float32(1e-30)))


def _kept(boxes, scores, most, overlap, least):
    """Numbers of the boxes that are kept: from the best score down, those that overlap none that is kept by more than `overlap`."""
    kept = []
    for number in np.argsort(-scores, kind="stable"):
        if len(kept) >= most or not scores[number] > least:
            break
        if not kept or not np.any(_overlaps(boxes[number], boxes[kept]) > overlap):
            kept.append(int(number))
    return kept


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), name=None):
    """Numbers of the best of boxes [n, 4] by scores [n]: none overlaps a better one by more than the threshold."""
    corners, values = _at_hand("non_max_suppression", boxes, scores)
    return EagerTensor(np.array(_kept(corners, values, operations.whole(max_output_size), iou_threshold, score_threshold), np.int32))


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5, score_threshold=float("-inf"),
                                 pad_per_class=False, clip_boxes=True, name=None):
    """Of each image the best boxes of all classes: (boxes, scores, classes, how many are no padding)."""
    corners, values = _at_hand("combined_non_max_suppression", boxes, scores)
    per_class, total = operations.whole(max_output_size_per_class), operations.whole(max_total_size)
    total = min(total, per_class * values.shape[2]) if pad_per_class else total
    made = [np.zeros((len(values), total, 4), np.float32), *(np.zeros((len(values), total), np.float32) for _ in range(2)),
            np.zeros(len(values), np.int32)]
    for image, (of_image, rows) in enumerate(zip(corners, values)):
        found = []
        for kind in range(rows.shape[1]):
            of_class = of_image[:, min(kind, of_image.shape[1] - 1)]
            found += [(rows[i, kind], kind, of_class[i]) for i in _kept(of_class, rows[:, kind], per_class, iou_threshold, score_threshold)]
        found = sorted(found, key=lambda each: -each[0])[:total]
        made[3][image] = len(found)
        for place, (score, kind, box) in enumerate(found):
            made[0][image, place], made[1][image, place], made[2][image, place] = np.clip(box, 0, 1) if clip_boxes else box, score, kind
    return CombinedNonMaxSuppression(*map(EagerTensor, made))


CombinedNonMaxSuppression = collections.namedtuple(
    "CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections")


def _drawn_part(random, extents, ratio, area):
    """(height, width) of a part of an image whose ratio and area are within bounds; None where none is."""
    rows, columns = extents
    low, high = area[0] * rows * columns, area[1] * rows * columns
    least, most = round(float(np.sqrt(low / ratio))), round(float(np.sqrt(high / ratio)))
    if round(most * ratio) > columns:
        most = int((columns + 0.5 - 1e-7) / ratio)
    most = min(most, rows)
    height = int(random.integers(min(least, most), most + 1))
    width = round(height * ratio)
    if width * height < low:
        width = round((height + 1) * ratio)
        height += 1
    if width * height > high:
        height -= 1
        width = round(height * ratio)
    fits = low <= width * height <= high and 0 < width <= columns and 0 < height <= rows
    return (height, width) if fits else None


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1, aspect_ratio_range=(0.75, 1.33),
                                  area_range=(0.05, 1.0), max_attempts=100, use_image_if_no_bounding_boxes=None, name=None):
    """(begin, size, box) of a part of an image that is drawn, and has enough of one of the boxes."""
    size, boxes = _at_hand("sample_distorted_bounding_box", image_size, bounding_boxes)
    rows, columns, boxes = int(size[0]), int(size[1]), boxes.reshape(-1, 4)
    if not len(boxes):
        if not use_image_if_no_bounding_boxes:
            raise ValueError("No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not provide "
                             "any bounding boxes.")
        boxes = np.array([[0, 0, 1, 1]], np.float32)
    pixels = (boxes * np.array([rows, columns, rows, columns], np.float32)).astype(int)
    random, chosen = np.random.default_rng([draws.salt(), int(seed or 0)]), (0, 0, rows, columns)
    for _ in range(100 if max_attempts is None else max_attempts):
        part = _drawn_part(random, (rows, columns), float(random.uniform(*(aspect_ratio_range or (0.75, 1.33)))), area_range or (0.05, 1.0))
        if part is None:
            continue
        top, left = int(random.integers(0, rows - part[0] + 1)), int(random.integers(0, columns - part[1] + 1))
        common = np.maximum(np.minimum(pixels[:, 2], top + part[0]) - np.maximum(pixels[:, 0], top), 0) * np.maximum(
            np.minimum(pixels[:, 3], left + part[1]) - np.maximum(pixels[:, 1], left), 0)
        areas = (pixels[:, 2] - pixels[:, 0]) * (pixels[:, 3] - pixels[:, 1])
        if np.any((areas > 0) & (common >= min_object_covered * areas)):
            chosen = (top, left, *part)
            break
    top, left, height, width = chosen
    box = np.array([[[top / rows, left / columns, (top + height) / rows, (left + width) / columns]]], np.float32)
    return (EagerTensor(np.array([top, left, 0], np.int32)), EagerTensor(np.array([height, width, -1], np.int32)), EagerTensor(box))


def _of_tensorflow_2(image_size, bounding_boxes, seed=0, min_object_covered=0.1, aspect_ratio_range=None, area_range=None,
                     max_attempts=None, use_image_if_no_bounding_boxes=None, name=None):
    """The same, without a second seed."""
    return sample_distorted_bounding_box(image_size, bounding_boxes, seed, None, min_object_covered, aspect_ratio_range, area_range,
                                         max_attempts, use_image_if_no_bounding_boxes)


def add_names():
    table = {each.__name__: each for each in (crop_and_resize, non_max_suppression, combined_non_max_suppression)}
    for module, drawn in (("tensorflow.image", _of_tensorflow_2), ("tensorflow.compat.v1.image", sample_distorted_bounding_box)):
        names.module(module, table, sample_distorted_bounding_box=drawn)
        for name in ("encode_jpeg", "encode_png"):
            names.refuse(f"{module}.{name}", "images are read here, not written; write them with a library of Python")
    for name in ("encode_jpeg", "encode_png"):
        names.refuse(f"tensorflow.io.{name}", "images are read here, not written; write them with a library of Python")
