// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/path_delegate.h"

#include <QFont>
#include <QHash>
#include <QRect>
#include <vector>

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

  protected:
    void initStyleOption(QStyleOptionViewItem* cell, const QModelIndex& index) const override;

  private:
    /// What is known of a font's lines: of a hundred rows that wrap, most cells have one, and need no layout
    /// to say so.
    struct Line {
        QFont font;
        int height = 0; ///< of a cell with one
        QHash<QChar, double> widths = {};

        /// Whether a text surely takes no more than that on one line.
        bool holds(const QString& text, int width);
    };
    Line& lineOf(const QStyleOptionViewItem& cell, const QModelIndex& index) const;
    mutable std::vector<Line> lines_; ///< of the fonts of the table's cells: regular and bold
};

} // namespace tilescope::ui
