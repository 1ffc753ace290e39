// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/like_names.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace tilescope::analyse {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Where the number ends that begins there: "1,245" is one. The same place: none does.
std::size_t end_of_number(const std::string& text, std::size_t at) {
    if (!is_digit(text[at]))
        return at;
    const auto continues = [&](std::size_t i) {
        return (text[i] == ',' || text[i] == '.') && i + 1 < text.size() && is_digit(text[i + 1]);
    };
    while (at < text.size() && (is_digit(text[at]) || continues(at)))
        ++at;
    return at;
}

} // namespace

Numbered::Numbered(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        if (i = end_of_number(text, begin); i > begin) {
            numbers.push_back(text.substr(begin, i - begin));
            between.emplace_back();
        } else
            between.back() += text[i++];
    }
}

std::string without_numbers(const std::string& text) {
    constexpr char number = '\0'; // no text has it
    std::string words;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t begin = i;
        i = end_of_number(text, begin);
        words += i > begin ? number : text[i++];
    }
    return words;
}

void Numbered::merge(const Numbered& other) {
    for (std::size_t i = 0; i < std::min(numbers.size(), other.numbers.size()); ++i)
        if (numbers[i] != other.numbers[i])
            numbers[i] = "*";
}

std::string Numbered::text() const {
    std::string all = between.front();
    for (std::size_t i = 0; i < numbers.size(); ++i)
        all += numbers[i] + between[i + 1];
    return all;
}

std::string text_of(const LikeNames& names) {
    return names.members.size() == 1
               ? names.name
               : names.name + " × " + count_text(static_cast<std::int64_t>(names.members.size()));
}

std::vector<LikeNames> fold_names(const std::vector<std::string>& names) {
    std::map<std::vector<std::string>, std::vector<std::size_t>> alike;
    std::vector<const std::vector<std::size_t>*> of(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto& members = alike[Numbered(names[i]).between];
        members.push_back(i);
        of[i] = &members;
    }
    std::vector<LikeNames> folded;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (of[i]->size() < least_alike)
            folded.push_back({names[i], {i}});
        else if (of[i]->front() == i) {
            Numbered all(names[i]);
            for (const std::size_t member : *of[i])
                all.merge(Numbered(names[member]));
            folded.push_back({all.text(), *of[i]});
        }
    }
    return folded;
}

std::optional<std::string> common_words(const std::vector<std::string>& texts) {
    Numbered all(texts.front());
    for (const std::string& each : texts) {
        const Numbered other(each);
        if (other.between != all.between)
            return std::nullopt;
        all.merge(other);
    }
    return all.text();
}

std::string common_text(const std::vector<std::string>& texts) {
    return common_words(texts).value_or("–");
}

} // namespace tilescope::analyse
