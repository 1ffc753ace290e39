// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/attributes.h"

#include <pybind11/pybind11.h>

namespace tilescope::python {

/// An operation's attributes, given by their names. Throws for values that are of no type of an attribute.
graph::Attributes attributes_of(const pybind11::dict& given);
/// The same for Python. Bodies of loops are left out.
pybind11::dict dict_of(const graph::Attributes& attributes);

} // namespace tilescope::python
