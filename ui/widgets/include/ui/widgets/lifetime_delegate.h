// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "ui/widgets/data_table.h"

#include <QStyledItemDelegate>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// When a variable is live: "always", "steps 7–9", which are sorted by the first.
Cell liveCell(const profile::VariableRecord& variable);

/// Draws the life of a row's variable as a bar over program steps, with the step in question as a line. What
/// it is held for without being needed is paler. Of several in one row, bars over each other.
class LifetimeDelegate : public QStyledItemDelegate {
  public:
    using Steps = std::pair<std::int64_t, std::int64_t>; ///< [from, to]
    struct Life {
        Steps held;
        std::optional<Steps> needed; ///< nullopt: at none of them
    };
    using Lives = std::map<std::int64_t, std::vector<Life>>; ///< by key
    using QStyledItemDelegate::QStyledItemDelegate;
    void setLives(Lives lives) { lives_ = std::move(lives); }
    /// What a cell stands for: [from, to) of the axis, and the step in question.
    void setSpan(double from, double to, std::int64_t step);
    /// Where steps stand on the axis; null: each at its number.
    using Axis = std::function<double(double step)>;
    void setAxis(Axis axis) { axis_ = std::move(axis); }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

  private:
    Lives lives_;
    double from_ = 0;
    double to_ = 1;
    std::int64_t step_ = -1;
    Axis axis_;
};

} // namespace tilescope::ui
