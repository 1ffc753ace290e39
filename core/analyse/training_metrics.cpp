// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/training_metrics.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilescope::analyse {
namespace {

/// Whether the name is `word`, or ends with it after the name of an output or a kind.
bool ends_with_word(std::string_view name, std::string_view word) {
    return name.ends_with(word) && (name.size() == word.size() || name[name.size() - word.size() - 1] == '_');
}

std::string_view without_number(std::string_view name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last != std::string_view::npos && last + 1 < name.size() && name[last] == '_'
               ? name.substr(0, last)
               : name;
}

} // namespace

bool is_loss(const std::string& name) {
    return ends_with_word(name, "loss");
}

bool is_share(const std::string& name) {
    constexpr std::array shares = {"accuracy", "acc", "precision", "recall"};
    const std::string_view kind = without_number(name);
    return std::any_of(shares.begin(), shares.end(),
                       [&](const char* share) { return ends_with_word(kind, share); });
}

std::string first_metric(const std::vector<std::string>& names) {
    const auto found = std::find_if_not(names.begin(), names.end(), is_loss);
    return found == names.end() ? std::string() : *found;
}

std::string first_metric(const MetricValues& values) {
    const auto found = std::find_if_not(values.begin(), values.end(),
                                        [](const auto& value) { return is_loss(value.first); });
    return found == values.end() ? std::string() : found->first;
}

std::optional<double> metric_value(const MetricValues& all, const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.first == name; });
    return found == all.end() ? std::optional<double>() : std::optional(found->second);
}

std::string metric_text(const std::string& name, double value) {
    return is_share(name) ? share_text(value) : number_text(value);
}

std::string metric_title(const std::string& name) {
    std::string title = spaced_text(name);
    if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
        title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

} // namespace tilescope::analyse
