// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "program/program.h"

namespace tilescope::compile {

/// Whether a variable holds instructions, which must lie where a tile can fetch them from.
inline bool is_code(const program::Variable& variable) {
    switch (variable.category) {
    case MemoryCategory::VertexCode:
    case MemoryCategory::ControlCode:
    case MemoryCategory::InternalExchangeCode:
    case MemoryCategory::HostExchangeCode:
    case MemoryCategory::GlobalExchangeCode:
        return true;
    case MemoryCategory::Variables:
    case MemoryCategory::Constants:
    case MemoryCategory::RearrangementBuffers:
    case MemoryCategory::MessageBuffers:
    case MemoryCategory::VertexInstanceState:
    case MemoryCategory::Stack:
        break;
    }
    return false;
}

/// Bytes of an IPU's code on each tile, as it is laid out: each variable's aligned to 8 bytes.
std::vector<std::int64_t> code_by_tile(const program::Program& program, std::int32_t ipu);

} // namespace tilescope::compile
