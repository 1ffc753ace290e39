// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/path_delegate.h"

#include <QApplication>
#include <QFontMetrics>
#include <QRegularExpression>
#include <QStyle>
#include <QWidget>
#include <algorithm>

namespace tilescope::ui {

QString shortened(const QString& text, const QFontMetrics& metrics, int width) {
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    static const QRegularExpression many(QStringLiteral("\\s+× [0-9,]+$"));
    const QString count = many.match(text).captured();
    const QString name = text.chopped(count.size());
    const int room = width - metrics.horizontalAdvance(count);
    const QString path = name.section(QLatin1Char(' '), 0, 0);
    const QString words = name.mid(path.size());
    QStringList parts = path.split(QLatin1Char('/'));
    parts.back() += words;
    for (qsizetype kept = parts.size() - 1; kept > 0; --kept) {
        QStringList some = parts.first(kept / 2);
        some << QStringLiteral("…") << parts.last(kept - kept / 2);
        const QString shorter = some.join(QLatin1Char('/'));
        if (metrics.horizontalAdvance(shorter) <= room)
            return shorter + count;
    }
    return metrics.elidedText(parts.back(), words.isEmpty() ? Qt::ElideMiddle : Qt::ElideRight,
                              std::max(0, room)) +
           count;
}

void PathDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QStyle* style = cell.widget != nullptr ? cell.widget->style() : QApplication::style();
    if (cell.textElideMode == Qt::ElideMiddle && !cell.features.testFlag(QStyleOptionViewItem::WrapText)) {
        const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &cell, cell.widget) + 1;
        const QRect room = style->subElementRect(QStyle::SE_ItemViewItemText, &cell, cell.widget);
        cell.text = shortened(cell.text, cell.fontMetrics, room.width() - 2 * margin - 1);
    }
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
}

} // namespace tilescope::ui
