# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of `tf`, `tf.math`, `tf.nn` and `tf.image`."""
