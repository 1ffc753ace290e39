// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <pybind11/pybind11.h>
#include <string>
#include <vector>

/// The recipes of core/layers, of a script's own tensors.
namespace tilescope::python {

/// The Einstein sum of tensors whose dimensions have these letters (layers/einsum.h). `operations` has a
/// function for each kind of operation, which takes tensors, and the attributes by their names.
pybind11::object einsum(const pybind11::dict& operations, const std::vector<pybind11::object>& tensors,
                        const std::vector<std::string>& letters, const std::string& result);

} // namespace tilescope::python
