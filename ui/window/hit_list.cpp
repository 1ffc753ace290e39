// SPDX-License-Identifier: GPL-3.0-or-later
#include "hit_list.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <array>
#include <utility>

namespace tilescope::ui {

void HitList::setAnswer(SearchAnswer answer) {
    beginResetModel();
    answer_ = std::move(answer);
    rows_.clear();
    std::array<std::size_t, hit_kinds> last{};
    std::array<std::int64_t, hit_kinds> shown{};
    for (std::size_t i = 0; i < answer_.hits.size(); ++i) {
        const auto kind = static_cast<std::size_t>(answer_.hits[i].kind);
        last[kind] = i;
        ++shown[kind];
    }
    for (std::size_t i = 0; i < answer_.hits.size(); ++i) {
        const HitKind kind = answer_.hits[i].kind;
        const auto at = static_cast<std::size_t>(kind);
        rows_.push_back({kind, i});
        if (last[at] == i && answer_.counts[at] > shown[at])
            rows_.push_back({kind, rest});
    }
    endResetModel();
}

const SearchHit* HitList::hit(int row) const {
    if (row < 0 || row >= rowCount())
        return nullptr;
    const Row& at = rows_[static_cast<std::size_t>(row)];
    return at.hit == rest ? nullptr : &answer_.hits[at.hit];
}

std::optional<HitKind> HitList::kind(int row) const {
    return row < 0 || row >= rowCount() ? std::nullopt
                                        : std::optional(rows_[static_cast<std::size_t>(row)].kind);
}

std::optional<HitKind> HitList::wantsAll(int row) const {
    return hit(row) != nullptr ? std::nullopt : kind(row);
}

int HitList::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int HitList::columnCount(const QModelIndex& /*parent*/) const {
    return 3;
}

QString HitList::textOf(const Row& row, int column) const {
    if (column == of_kind)
        return hitKindName(row.kind);
    if (row.hit == rest)
        return column == of_name
                   ? tr("show all %1").arg(formatCount(answer_.counts[static_cast<std::size_t>(row.kind)]))
                   : QString();
    const SearchHit& hit = answer_.hits[row.hit];
    return column == of_name ? hit.name : hit.remark;
}

QVariant HitList::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const Theme& theme = Theme::current();
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, index.column());
    case Qt::ToolTipRole:
        return index.column() == of_name && row.hit != rest ? textOf(row, of_name) : QVariant();
    case Qt::ForegroundRole:
        return index.column() != of_name ? theme.muted : row.hit == rest ? theme.accent : theme.text;
    default:
        return {};
    }
}

} // namespace tilescope::ui
