// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_code.h"

#include "base/units.h"

namespace tilescope::compile {

std::vector<std::int64_t> code_by_tile(const program::Program& program, std::int32_t ipu) {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(program.tiles), 0);
    for (const program::Variable& variable : program.variables)
        if (variable.ipu == ipu && is_code(variable))
            for (std::size_t t = 0; t < bytes.size(); ++t)
                bytes[t] += aligned(variable.tile_bytes[t]);
    return bytes;
}

} // namespace tilescope::compile
