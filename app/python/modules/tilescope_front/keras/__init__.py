# SPDX-License-Identifier: GPL-3.0-or-later
"""Keras: layers, models, their training and their files."""
