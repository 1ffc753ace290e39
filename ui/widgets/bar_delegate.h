// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/path_delegate.h"

#include <QRect>

namespace tilescope::ui {

/// Where the arrow of a row that holds others is; names begin right of it.
QRect arrowPlace(const QRect& cell);

inline constexpr int cell_padding = 5; ///< pixels beside the text of a cell, by the style sheet

/// Draws a soft bar behind the numbers of a bar column, how a row is folded before its name, and the course
/// of a figure as a line.
class BarDelegate : public PathDelegate {
    Q_OBJECT
  public:
    using PathDelegate::PathDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace tilescope::ui
