// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace tilescope::ipu {

/// Bytes that vertices take beside their data.
struct CodeletSize {
    std::int64_t code_bytes = 0;  ///< once on every tile that runs the codelet
    std::int64_t state_bytes = 0; ///< of one vertex: pointers and sizes
};

/// The size of a codelet by its name, "BinaryOp1D<ADD,float>" as "BinaryOp1D". Code: instructions counted in
/// the public assembly of PopLibs' codelets (lib/*/codelets/asm), 4 bytes each; what is compiled from C++
/// there is estimated at 120 instructions. State: the fields of the vertex's declaration, 4 bytes each.
CodeletSize codelet_size(const std::string& name);

} // namespace tilescope::ipu
