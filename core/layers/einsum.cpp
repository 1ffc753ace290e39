// SPDX-License-Identifier: GPL-3.0-or-later
#include "layers/einsum.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace tilescope::layers {
namespace {

constexpr std::string_view dots = "...";
constexpr std::string_view open_letters = "0123456789"; ///< of the dimensions that "..." stands for

Error unlike(const std::string& text, const std::string& what, std::string remedy = {}) {
    return Error{ErrorKind::BadInput, "equation \"" + text + "\" " + what, {}, std::move(remedy)};
}

void replace_dots(std::string& letters, std::string_view by) {
    if (const auto at = letters.find(dots); at != std::string::npos)
        letters.replace(at, dots.size(), by);
}

/// How many dimensions of operands "..." stands for, the most of any; nullopt where an operand has fewer than
/// letters.
std::optional<std::size_t> open_dimensions(const std::vector<std::string>& operands,
                                           const std::vector<std::optional<std::size_t>>& ranks) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!ranks[i] || operands[i].find(dots) == std::string::npos)
            continue;
        const std::size_t named = operands[i].size() - dots.size();
        if (named > *ranks[i] || *ranks[i] - named > open_letters.size())
            return std::nullopt;
        most = std::max(most, *ranks[i] - named);
    }
    return most;
}

} // namespace

Result<Equation> parse_equation(std::string text, const std::vector<std::optional<std::size_t>>& ranks) {
    std::erase(text, ' ');
    const std::size_t arrow = text.find("->");
    Equation e{{""}, arrow == std::string::npos ? "" : text.substr(arrow + 2)};
    for (const char c : text.substr(0, arrow))
        if (c == ',')
            e.operands.emplace_back();
        else
            e.operands.back() += c;
    if (e.operands.size() != ranks.size())
        return Failure(unlike(text, "has " + counted_text(std::ssize(e.operands), "operand") + ", not " +
                                        std::to_string(ranks.size())));
    const auto open = open_dimensions(e.operands, ranks);
    if (!open)
        return Failure(unlike(text, "names more dimensions than an operand has"));
    std::map<char, int> counts;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::string& letters = e.operands[i];
        const bool dotted = letters.find(dots) != std::string::npos;
        const std::size_t own = dotted && ranks[i] ? *ranks[i] + dots.size() - letters.size() : *open;
        for (const char c : letters)
            if (std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '.')
                return Failure(unlike(text, "has more than letters, commas and \"...\"",
                                      "write each dimension as a letter"));
        replace_dots(letters, open_letters.substr(*open - own, own)); // aligned at the last one
        if (letters.find('.') != std::string::npos)
            return Failure(unlike(text, "has dots that are no \"...\"", "write each dimension as a letter"));
        if (ranks[i] && letters.size() != *ranks[i])
            return Failure(unlike(text, "has " + counted_text(std::ssize(letters), "letter") +
                                            " for a tensor of " +
                                            counted_text(static_cast<std::int64_t>(*ranks[i]), "dimension")));
        for (const char c : letters) {
            if (std::count(letters.begin(), letters.end(), c) != 1)
                return Failure(unlike(text, "takes a diagonal", "take it with other operators"));
            ++counts[c];
        }
    }
    if (arrow == std::string::npos) { // "..." first, then what occurs once, in order
        e.result = open_letters.substr(0, *open);
        for (const auto& [letter, count] : counts)
            if (count == 1 && open_letters.find(letter) == std::string_view::npos)
                e.result += letter;
    } else {
        replace_dots(e.result, open_letters.substr(0, *open));
    }
    for (const char c : e.result)
        if (!counts.contains(c) || std::count(e.result.begin(), e.result.end(), c) != 1)
            return Failure(unlike(text, "has a result that does not follow from its operands"));
    return e;
}

} // namespace tilescope::layers
