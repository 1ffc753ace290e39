// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilescope::onnx {

/// What to do about a node whose operator is not supported: what its family needs instead, and the nearest
/// supported operator, where there is one. `kind` has the domain in front where it is not ONNX's own.
std::string remedy_for_unsupported(const std::string& kind);

} // namespace tilescope::onnx
