# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the place of TensorFlow under `tilescope run`: thin over the engine, which has the numerics."""
