// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/executable_facts.h"

#include "base/try.h"

#include <algorithm>
#include <string_view>

namespace tilescope::analyse {
namespace {

using Cache = ExecutableFacts::Cache;

bool is_code(profile::MemoryCategory category) {
    using enum profile::MemoryCategory;
    return category == VertexCode || category == ControlCode || category == InternalExchangeCode ||
           category == HostExchangeCode || category == GlobalExchangeCode;
}

/// The key is the name of the file that the cache keeps it in; "" where a message names none.
std::string key_in(const std::string& message) {
    constexpr std::string_view ending = ".executable";
    const std::size_t end = message.find(ending);
    if (end == std::string::npos)
        return {};
    const std::size_t begin = message.find_last_of("/\\ ", end);
    return message.substr(begin == std::string::npos ? 0 : begin + 1,
                          end - (begin == std::string::npos ? 0 : begin + 1));
}

Cache outcome_of(const std::string& message) {
    return message.starts_with("compilation was skipped")                  ? Cache::Taken
           : message.find("is damaged or of another") != std::string::npos ? Cache::Replaced
                                                                           : Cache::Kept;
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
    TRY(const auto log, profile.log());
    for (const profile::LogRecord& line : log) // that of the first program comes first
        if (const std::string key = key_in(line.message); facts.key.empty() && !key.empty()) {
            facts.key = key;
            facts.cache = outcome_of(line.message);
        }
    TRY(const auto categories, profile.memory_by_category());
    for (const profile::CategoryBytes& category : categories)
        facts.parts.push_back({category, is_code(category.category)});
    return facts;
}

} // namespace tilescope::analyse
