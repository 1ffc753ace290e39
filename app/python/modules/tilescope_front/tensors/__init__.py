# SPDX-License-Identifier: GPL-3.0-or-later
"""Tensors of graphs and of the host, the graphs that they are made in, and what is known of them while those are made."""
