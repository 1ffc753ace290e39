// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "operation.h"

namespace tilescope::onnx {

/// What a node has made, with ONNX's types of its whole numbers, all of which the device has as int32: those
/// of 8 and 16 bits wrap around as theirs do. Errors: arithmetic of uint32, whose results int32 may not hold.
Result<OnnxValues> in_their_types(const OnnxOperation& op, OnnxValues made);

} // namespace tilescope::onnx
