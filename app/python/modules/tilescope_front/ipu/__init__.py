# SPDX-License-Identifier: GPL-3.0-or-later
"""`tensorflow.python.ipu` and what belongs to it: settings, pipelines, replicas, Graphcore's layers."""
