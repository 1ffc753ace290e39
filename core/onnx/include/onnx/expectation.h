// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/file.h"

#include <string>

namespace tilescope::onnx {

/// As in ONNX's backend tests: |value - expected| <= absolute + relative |expected|.
struct Tolerances {
    double relative = 1e-3;
    double absolute = 1e-7;
};

/// How a tensor differs from an expected one, "element 3 is 0.5, expected 0.25"; "" where it does not.
/// Shapes must be equal, and floats, whole numbers and truth values each be such.
std::string difference(const graph::HostTensor& value, const OnnxTensor& expected,
                       const Tolerances& tolerances);

/// The files `PREFIX_0.pb`, `PREFIX_1.pb` … of a folder, in order. Errors: BadInput.
Result<std::vector<OnnxTensor>> read_onnx_tensors(const std::string& folder, const std::string& prefix);

} // namespace tilescope::onnx
