# SPDX-License-Identifier: GPL-3.0-or-later
"""TensorFlow 1: graphs, sessions, estimators, and what tf.train and tf.layers have of it."""
