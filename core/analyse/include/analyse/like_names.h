// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::analyse {

inline constexpr std::size_t least_alike = 3; ///< fewer are told one by one

/// A text with its numbers taken out; `between[i]` stands before the i-th of them, the last one at the end.
/// "1,245" and "0.5" are one number. Texts of the same `between` are alike: they differ in numbers alone.
struct Numbered {
    std::vector<std::string> between{std::string()};
    std::vector<std::string> numbers;

    explicit Numbered(const std::string& text);
    /// Of the same words: where the numbers differ stands a star.
    void merge(const Numbered& other);
    std::string text() const;
};

/// A text with one sign in the place of each number: the same of texts that are alike.
std::string without_numbers(const std::string& text);

/// Names that are alike, or one that is like no two others.
struct LikeNames {
    std::string name;                 ///< "layer_*_kernel"
    std::vector<std::size_t> members; ///< their indices, in order
};
/// "layer_*_kernel × 24", or the name of the one.
std::string text_of(const LikeNames& names);

/// By the first of each, in order. Every name is in one of them.
std::vector<LikeNames> fold_names(const std::vector<std::string>& names);

/// What all have in common: the text where it is one, without the numbers that differ ("layer_*") where they
/// are alike, else nothing. `texts`: one at least.
std::optional<std::string> common_words(const std::vector<std::string>& texts);
/// The same, with "–" for nothing.
std::string common_text(const std::vector<std::string>& texts);

} // namespace tilescope::analyse
