# SPDX-License-Identifier: GPL-3.0-or-later
"""tf.data, and what reads files and texts for it."""
