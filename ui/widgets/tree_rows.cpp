// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tree_rows.h"

#include <algorithm>

namespace tilescope::ui {

TreeRows::TreeRows(const Parents& parents, const std::vector<bool>& shown,
                   const std::vector<std::size_t>& order)
    : place_(parents.size(), no_row), first_(parents.size() + 2, 0) {
    const auto visible = [&](std::size_t row) { return shown.empty() || shown[row]; };
    for (std::size_t row = 0; row < parents.size(); ++row)
        first_[slot(parents[row]) + 1] += visible(row) ? 1 : 0;
    for (std::size_t parent = 1; parent < first_.size(); ++parent)
        first_[parent] += first_[parent - 1];
    children_.resize(first_.back());
    std::vector<std::size_t> filled(parents.size() + 1, 0);
    for (std::size_t i = 0; i < parents.size(); ++i) {
        const std::size_t row = order.empty() ? i : order[i];
        if (!visible(row))
            continue;
        const std::size_t parent = slot(parents[row]);
        place_[row] = filled[parent]++;
        children_[first_[parent] + place_[row]] = row;
    }
}

std::size_t TreeRows::count(std::size_t parent) const {
    return first_.empty() ? 0 : first_[slot(parent) + 1] - first_[slot(parent)];
}

std::size_t TreeRows::child(std::size_t parent, std::size_t place) const {
    return children_[first_[slot(parent)] + place];
}

TextMatch::TextMatch(const QString& typed) {
    for (const QString& word : typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (!word.startsWith(QLatin1Char('-')))
            with_.push_back({word, word.toStdString()});
        else if (word.size() > 1)
            without_.push_back({word.mid(1), word.mid(1).toStdString()});
}

template<class Occurs>
bool TextMatch::holds(const Occurs& occurs) const {
    return std::all_of(with_.begin(), with_.end(), occurs) &&
           std::none_of(without_.begin(), without_.end(), occurs);
}

bool TextMatch::operator()(QStringView lower_case) const {
    return holds([&](const Word& word) { return lower_case.contains(word.text); });
}

bool TextMatch::operator()(std::initializer_list<std::string_view> lower_case) const {
    return holds([&](const Word& word) {
        return std::any_of(lower_case.begin(), lower_case.end(), [&](std::string_view text) {
            return text.find(word.utf8) != std::string_view::npos;
        });
    });
}

std::vector<std::size_t> outermostHits(const Parents& parents,
                                       const std::function<bool(std::size_t row)>& matches) {
    std::vector<std::size_t> hits;
    std::vector<bool> within(parents.size(), false);
    for (std::size_t row = 0; row < parents.size(); ++row) {
        within[row] = parents[row] != no_row && within[parents[row]];
        if (within[row] || !matches(row))
            continue;
        within[row] = true;
        hits.push_back(row);
    }
    return hits;
}

ShownHits showHits(const Parents& parents, const std::vector<std::size_t>& hits, std::size_t first,
                   std::size_t most) {
    ShownHits result{std::vector<bool>(parents.size(), false), {}, std::min(first, hits.size()), 0};
    result.end = result.first;
    std::size_t rows = 0;
    for (; result.end < hits.size(); ++result.end) {
        std::size_t above = 0;
        for (std::size_t row = parents[hits[result.end]]; row != no_row && !result.shown[row];
             row = parents[row])
            ++above;
        if (rows > 0 && rows + 1 + above > most)
            break;
        rows += 1 + above;
        for (std::size_t row = parents[hits[result.end]]; row != no_row && !result.shown[row];
             row = parents[row]) {
            result.shown[row] = true;
            result.unfolded.push_back(row);
        }
    }
    std::sort(result.unfolded.begin(), result.unfolded.end());
    std::vector<bool> within(parents.size(), false);
    for (std::size_t h = result.first; h < result.end; ++h)
        within[hits[h]] = true;
    for (std::size_t row = 0; row < parents.size(); ++row) {
        if (parents[row] != no_row && within[parents[row]])
            within[row] = true;
        if (within[row])
            result.shown[row] = true;
    }
    return result;
}

} // namespace tilescope::ui
