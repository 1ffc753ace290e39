# SPDX-License-Identifier: GPL-3.0-or-later
"""How functions and graphs become device programs: tracing, conversion, gradients, lowering."""
