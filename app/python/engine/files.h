// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pybind11/pybind11.h>

namespace tilescope::python {

/// The files that scripts read and write: of Keras' models, images, and records; and what the profile is of.
void add_files(pybind11::module_& module);

} // namespace tilescope::python
