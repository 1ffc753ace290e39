// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStyledItemDelegate>

class QFontMetrics;

namespace tilescope::ui {

/// `text` in `width` pixels. Of a path whole parts go from the middle: the last stays, with the words and the
/// " × 24" behind it, and as many as there is room for at both ends. Of a sentence the end goes, of a name
/// alone the middle; how many there are stays of these, too.
QString shortened(const QString& text, const QFontMetrics& metrics, int width);

/// Cuts the texts of a list whose view elides in the middle, and wraps none, as shortened() does.
class PathDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace tilescope::ui
