# SPDX-License-Identifier: GPL-3.0-or-later
"""What the optimisers of Keras and of TensorFlow 1 have in common: their updates, and what they keep."""
