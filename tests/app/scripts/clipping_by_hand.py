# SPDX-License-Identifier: GPL-3.0-or-later
"""What Keras' optimisers make of gradients before they apply them, in NumPy."""
import numpy as np


def norm(gradient):
    return np.sqrt((gradient ** 2).sum())


def clipped(gradients, clipvalue=None, clipnorm=None, global_clipnorm=None):
    if clipvalue:
        gradients = [np.clip(each, -clipvalue, clipvalue) for each in gradients]
    if clipnorm:
        gradients = [each * min(1, clipnorm / norm(each)) for each in gradients]
    if global_clipnorm:
        of_all = np.sqrt(sum(norm(each) ** 2 for each in gradients))
        gradients = [each * min(1, global_clipnorm / of_all) for each in gradients]
    return gradients
