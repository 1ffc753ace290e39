// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/executable_facts.h"

#include "base/try.h"

namespace tilescope::analyse {
namespace {

bool is_code(profile::MemoryCategory category) {
    using enum profile::MemoryCategory;
    return category == VertexCode || category == ControlCode || category == InternalExchangeCode ||
           category == HostExchangeCode || category == GlobalExchangeCode;
}

} // namespace

std::int64_t ExecutableFacts::total_bytes() const {
    std::int64_t sum = 0;
    for (const Part& part : parts)
        sum += part.total();
    return sum;
}

std::int64_t ExecutableFacts::code_bytes() const {
    std::int64_t sum = 0;
    for (const Part& part : parts)
        sum += part.code ? part.total() : 0;
    return sum;
}

Result<ExecutableFacts> executable_facts(const profile::Profile& profile) {
    ExecutableFacts facts;
    TRY(const auto programs, profile.device_programs());
    if (!programs.empty()) { // the first is what the profile describes
        facts.cache = programs.front().cache;
        facts.key = programs.front().cache_key;
    }
    TRY(const auto categories, profile.memory_by_category());
    for (const profile::CategoryBytes& category : categories)
        facts.parts.push_back({category, is_code(category.category)});
    return facts;
}

} // namespace tilescope::analyse
