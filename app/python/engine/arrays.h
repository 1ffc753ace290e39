// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/tensor.h"

#include <pybind11/numpy.h>
#include <string>

namespace tilescope::python {

/// A tensor of its own with an array's values. Throws for element types that the device lacks, unless they
/// are float64 or int64, which become float32 and int32.
graph::HostTensor tensor_of(const pybind11::array& array);

/// Writes an array's values into a tensor of the same number of elements, whatever numbers they are.
/// Errors: another number of elements (`name` is the place).
void copy_into(const pybind11::array& array, graph::HostTensor& tensor, const std::string& name);

/// An array of its own with a tensor's values, of NumPy's like type.
pybind11::array array_of(const graph::HostTensor& tensor);

graph::DType dtype_named(const std::string& name); ///< throws for one that the device lacks

} // namespace tilescope::python
