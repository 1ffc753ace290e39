// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Filtering and sorting a tree whose rows are numbered from 0, parents before their children.
namespace tilescope::ui {

inline constexpr std::size_t no_row = static_cast<std::size_t>(-1);
using Parents = std::vector<std::size_t>; ///< by row; no_row: it is a root

/// Which rows are shown, and in which order.
class TreeRows {
  public:
    TreeRows() = default;
    /// `shown` by row, empty: all are. `order`: every row, siblings as they are to stand; empty: as numbered.
    explicit TreeRows(const Parents& parents, const std::vector<bool>& shown = {},
                      const std::vector<std::size_t>& order = {});
    std::size_t count(std::size_t parent) const; ///< its children that are shown; no_row: the roots
    std::size_t child(std::size_t parent, std::size_t place) const;
    std::size_t place(std::size_t row) const { return place_[row]; } ///< among its siblings; no_row: hidden

  private:
    std::size_t slot(std::size_t parent) const { return parent == no_row ? place_.size() : parent; }
    std::vector<std::size_t> place_;
    std::vector<std::size_t> first_; ///< by parent, the roots last: where its children begin
    std::vector<std::size_t> children_;
};

/// What is typed into a filter: words that must all occur, and `-word` that must not, in any case.
class TextMatch {
  public:
    explicit TextMatch(const QString& typed);
    bool empty() const { return with_.empty() && without_.empty(); }
    bool operator()(QStringView lower_case) const;
    /// Of several texts, in UTF-8 and lower case, any of which may have a word.
    bool operator()(std::initializer_list<std::string_view> lower_case) const;

  private:
    struct Word {
        QString text;
        std::string utf8;
    };
    template<class Occurs>
    bool holds(const Occurs& occurs) const;
    std::vector<Word> with_;
    std::vector<Word> without_;
};

/// The rows that match and have no row above them that does, in order: what is below a hit belongs to it.
std::vector<std::size_t> outermostHits(const Parents& parents,
                                       const std::function<bool(std::size_t row)>& matches);

/// As many hits as fit into a number of unfolded rows.
struct ShownHits {
    std::vector<bool> shown;           ///< by row: hits, what is above them, and what is below, folded
    std::vector<std::size_t> unfolded; ///< rows above hits, in order
    std::size_t first = 0;             ///< hits [first, end) are shown
    std::size_t end = 0;
};
/// From hit `first` on; hits and the rows above them are `most` together at the most (but one hit at least).
ShownHits showHits(const Parents& parents, const std::vector<std::size_t>& hits, std::size_t first,
                   std::size_t most);

} // namespace tilescope::ui
