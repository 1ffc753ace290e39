// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_runs.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace tilescope::app {
namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value)
                                                                                 : std::nullopt;
}

} // namespace

Result<std::pair<std::int64_t, std::int64_t>> engine_runs_in(const std::string& text) {
    const std::size_t colon = text.find(':');
    const auto from = number_in(std::string_view(text).substr(0, colon));
    const auto to = colon == std::string::npos ? from : number_in(std::string_view(text).substr(colon + 1));
    if (!from || !to || *from > *to)
        return Failure(Error{ErrorKind::Usage,
                             "--range does not take \"" + text + "\"",
                             {},
                             "give engine runs as FROM:TO, as 10:19"});
    return std::pair(*from, *to);
}

} // namespace tilescope::app
