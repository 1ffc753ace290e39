// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/units.h"

#include <cstddef>

namespace tilescope {

[[noreturn]] void wrong_id(std::int64_t id, std::size_t entries);

/// The entry of a table that an id names: where ids become indices. An id that is none of the table's, such
/// as -1, is a mistake in this program: it ends there with a line that says so, in every build, and reads
/// nothing beside the table.
template<class Table, class Tag>
decltype(auto) entry(Table& table, Strong<Tag, std::int32_t> id) {
    if (static_cast<std::size_t>(id.value) >= table.size()) [[unlikely]]
        wrong_id(id.value, table.size());
    return table[static_cast<std::size_t>(id.value)];
}

} // namespace tilescope
