// SPDX-License-Identifier: GPL-3.0-or-later
#include "bar_delegate.h"

#include "ui/theme/theme.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/data_table.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>
#include <QTableView>
#include <algorithm>

namespace tilescope::ui {
namespace {

/// Points right where the row is folded, down where it is not.
void paintArrow(QPainter& painter, const QRect& place, bool unfolded, int line, const QColor& color) {
    constexpr double of_line = 0.2;
    const double wing = std::max(3.5, of_line * line);
    const QPointF middle = QRectF(place).center() + QPointF(3, 0.5);
    const auto at = [&](double along, double across) {
        return middle + (unfolded ? QPointF(across, along) : QPointF(along, across));
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.5));
    painter.drawPolyline(QPolygonF({at(-wing / 2, -wing), at(wing / 2, 0), at(-wing / 2, wing)}));
    painter.restore();
}

/// From the least to the most, with a dot at the last; a gap where there is none.
void paintCourse(QPainter& painter, const QRect& cell, const QVariantList& numbers, const Theme& theme) {
    double least = 0, most = 0;
    bool any = false;
    for (const QVariant& number : numbers)
        if (number.isValid()) {
            least = any ? std::min(least, number.toDouble()) : number.toDouble();
            most = any ? std::max(most, number.toDouble()) : number.toDouble();
            any = true;
        }
    constexpr double dot = 2;
    const QRectF area = QRectF(cell).adjusted(8, 5, -8, -5);
    const auto at = [&](qsizetype i) {
        const double across =
            numbers.size() < 2 ? 0.5 : static_cast<double>(i) / static_cast<double>(numbers.size() - 1);
        const double up = most > least ? (numbers[i].toDouble() - least) / (most - least) : 0.5;
        return QPointF(area.left() + across * area.width(), area.bottom() - up * area.height());
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.muted, 1.5));
    qsizetype last = -1;
    for (qsizetype i = 0; i < numbers.size(); ++i) {
        if (!numbers[i].isValid())
            continue;
        if (i > 0 && numbers[i - 1].isValid())
            painter.drawLine(at(i - 1), at(i));
        last = i;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.muted);
    for (qsizetype i = 0; i < last; ++i) // what stands alone is seen, too
        if (numbers[i].isValid() && !(i > 0 && numbers[i - 1].isValid()) && !numbers[i + 1].isValid())
            painter.drawEllipse(at(i), 1, 1);
    painter.setBrush(theme.accent);
    if (last >= 0)
        painter.drawEllipse(at(last), dot, dot);
    painter.restore();
}

DataTableModel::Fold foldOf(const QModelIndex& index) {
    return static_cast<DataTableModel::Fold>(index.data(DataTableModel::FoldRole).toInt());
}

/// Of a cell in the first column: right of the arrows of its row and of the one that it is folded into.
QRect namePlace(const QRect& cell, DataTableModel::Fold fold) {
    QRect name = cell;
    const int arrows = fold == DataTableModel::Flat ? 0 : fold == DataTableModel::Within ? 2 : 1;
    name.setLeft(cell.left() + arrows * arrowPlace(cell).width());
    return name;
}

} // namespace

QRect arrowPlace(const QRect& cell) {
    constexpr int wide = 20;
    return {cell.left(), cell.top(), wide, cell.height()};
}

void BarDelegate::initStyleOption(QStyleOptionViewItem* cell, const QModelIndex& index) const {
    PathDelegate::initStyleOption(cell, index);
    if (cell->features.testFlag(QStyleOptionViewItem::WrapText))
        cell->text = keepFiguresWhole(cell->text);
}

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const QVariant share = index.data(DataTableModel::ShareRole);
    if (share.isValid()) {
        const Theme& theme = Theme::of(option.widget);
        QRect bar = option.rect.adjusted(4, 4, -4, -4);
        constexpr int least = 2;
        bar.setWidth(std::max(least, static_cast<int>(bar.width() * share.toDouble())));
        QColor color = theme.accent;
        color.setAlpha(theme.dark ? 60 : 38);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(color);
        painter->drawRoundedRect(bar, 3, 3);
        painter->restore();
    }
    if (const QVariant course = index.data(DataTableModel::CourseRole); course.isValid()) {
        QStyleOptionViewItem empty = option;
        initStyleOption(&empty, index);
        empty.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &empty, painter, option.widget);
        return paintCourse(*painter, option.rect, course.toList(), Theme::of(option.widget));
    }
    const DataTableModel::Fold fold = foldOf(index);
    if (index.column() != 0 || fold == DataTableModel::Flat)
        return PathDelegate::paint(painter, option, index);
    // What is selected stands on one tint from edge to edge.
    QStyleOptionViewItem empty = option;
    initStyleOption(&empty, index);
    empty.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &empty, painter, option.widget);
    const QRect arrow = arrowPlace(option.rect);
    if (fold != DataTableModel::Within && index.data(DataTableModel::HoldsRole).toBool())
        paintArrow(*painter, arrow, fold == DataTableModel::Unfolded, option.fontMetrics.height(),
                   Theme::of(option.widget).muted);
    QStyleOptionViewItem name = option;
    name.rect = namePlace(option.rect, fold);
    name.state &= ~QStyle::State_HasFocus;
    PathDelegate::paint(painter, name, index);
}

bool BarDelegate::Line::holds(const QString& text, int width) {
    constexpr double kerning = 1.05; // at most, of letters that stand apart
    double all = 0;
    for (const QChar letter : text) {
        if (letter.isSurrogate() || letter == QLatin1Char('\n') || letter == QChar::LineSeparator)
            return false;
        auto known = widths.find(letter);
        if (known == widths.end())
            known = widths.insert(letter, QFontMetricsF(font).horizontalAdvance(letter));
        all += *known;
    }
    return all * kerning < width;
}

BarDelegate::Line& BarDelegate::lineOf(const QStyleOptionViewItem& cell, const QModelIndex& index) const {
    const auto known =
        std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) { return line.font == cell.font; });
    if (known != lines_.end())
        return *known;
    QStyleOptionViewItem wide = cell;
    wide.rect.setWidth(QWIDGETSIZE_MAX);
    lines_.push_back({cell.font, PathDelegate::sizeHint(wide, index).height()});
    return lines_.back();
}

/// Qt breaks lines as if the style sheet's padding were not there, and then draws them within it.
QSize BarDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    if (table == nullptr || !table->wordWrap() || option.rect.width() <= 2 * cell_padding)
        return PathDelegate::sizeHint(option, index);
    QStyleOptionViewItem within = option;
    within.rect.setWidth(option.rect.width() - 2 * cell_padding);
    if (index.column() == 0)
        within.rect = namePlace(within.rect, foldOf(index));
    QStyleOptionViewItem cell = within;
    initStyleOption(&cell, index);
    const int margin = table->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, table) + 1;
    if (Line& line = lineOf(cell, index); line.holds(cell.text, cell.rect.width() - 2 * margin))
        return {option.rect.width(), line.height};
    return PathDelegate::sizeHint(within, index);
}

} // namespace tilescope::ui
