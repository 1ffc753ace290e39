# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks of steps, as far as they reach the outputs of a model."""
from . import failures

# Layers that hand the mask of their input on.
_MASKED = {"Activation", "ActivityRegularization", "Add", "AlphaDropout", "Average", "BatchNormalization", "Concatenate", "Dense",
           "Dropout", "ELU", "GaussianDropout", "GaussianNoise", "LayerNormalization", "LeakyReLU", "Maximum", "Minimum", "Multiply",
           "PReLU", "ReLU", "Softmax", "SpatialDropout1D", "Subtract", "ThresholdedReLU", "TimeDistributed"}


def is_masked(tensor):
    """Whether steps of a Keras tensor are masked, by Embedding(mask_zero=True) or Masking."""
    layer, call = tensor.layer, tensor.layer.calls[tensor.call]
    kind, settings = type(layer).__name__, getattr(layer, "settings", {})
    if kind == "Masking" or kind == "Embedding" and settings.get("mask_zero"):
        return True
    recurrent = settings.get("layer", layer)
    hands_on = kind in _MASKED or bool(getattr(recurrent, "settings", {}).get("return_sequences"))
    return hands_on and any(is_masked(each) for each in call.inputs)


def check(model):
    """That no steps of an output are masked, which Keras leaves out of its loss."""
    masked = [] if model.subclassed else [name for name, each in zip(model.output_names(), model.outputs) if is_masked(each)]
    if masked:
        raise failures.refused(f"a loss of {masked[0]}, whose steps are masked", "give sample_weight [batch, step] to fit() and "
                               "evaluate(), 0 where a step is masked")
