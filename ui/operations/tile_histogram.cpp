// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_histogram.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t class_count = 20;

/// The cycles at which a class begins.
std::int64_t begin_of(std::size_t index, std::int64_t slowest) {
    return static_cast<std::int64_t>(index) * slowest / static_cast<std::int64_t>(class_count) + 1;
}

} // namespace

TileHistogram::TileHistogram(QWidget* parent) : QWidget(parent) {
    setMinimumHeight(120);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Tiles by cycles"));
    addChartActions(this, tr("Tiles by cycles"), [this](QChar separator) {
        QString text = QStringLiteral("from%1to%1tiles\n").arg(separator);
        for (std::size_t i = 0; i < classes_.size(); ++i)
            text += QStringLiteral("%2%1%3%1%4\n")
                        .arg(separator)
                        .arg(begin_of(i, slowest_))
                        .arg(begin_of(i + 1, slowest_) - 1)
                        .arg(classes_[i]);
        return text;
    });
}

void TileHistogram::setCycles(std::vector<std::int64_t> cycles, const QString& why) {
    classes_.clear();
    chosen_.reset();
    why_ = why;
    idle_ = std::count(cycles.begin(), cycles.end(), 0);
    const auto most = std::max_element(cycles.begin(), cycles.end());
    slowest_ = most == cycles.end() ? 0 : *most;
    slowest_tile_ = most - cycles.begin();
    if (slowest_ > 0) {
        classes_.resize(class_count);
        for (const std::int64_t of_tile : cycles)
            if (of_tile > 0)
                ++classes_[classOf(of_tile, slowest_)];
    }
    cycles_ = std::move(cycles);
    setAccessibleDescription({});
    update();
}

std::size_t TileHistogram::classOf(std::int64_t cycles, std::int64_t slowest) {
    const auto index =
        static_cast<std::size_t>((cycles - 1) * static_cast<std::int64_t>(class_count) / slowest);
    return std::min(index, class_count - 1);
}

std::vector<std::int64_t> TileHistogram::tilesOf(std::size_t index) const {
    std::vector<std::int64_t> tiles;
    for (std::size_t tile = 0; tile < cycles_.size(); ++tile)
        if (cycles_[tile] > 0 && classOf(cycles_[tile], slowest_) == index)
            tiles.push_back(static_cast<std::int64_t>(tile));
    return tiles;
}

void TileHistogram::choose(std::size_t index) {
    chosen_ = index;
    setAccessibleDescription(textOf(index));
    update();
    Q_EMIT chosen(tilesOf(index));
}

void TileHistogram::mousePressEvent(QMouseEvent* event) {
    if (const auto index = classAt(event->pos()); index && classes_[*index] > 0)
        choose(*index);
}

void TileHistogram::mouseDoubleClickEvent(QMouseEvent*) {
    if (chosen_)
        Q_EMIT activated(tilesOf(*chosen_));
}

void TileHistogram::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && chosen_)
        return Q_EMIT activated(tilesOf(*chosen_));
    if ((key != Qt::Key_Left && key != Qt::Key_Right) || classes_.empty())
        return QWidget::keyPressEvent(event);
    const int step = key == Qt::Key_Right ? 1 : -1;
    const auto count = static_cast<int>(classes_.size());
    int at = chosen_ ? static_cast<int>(*chosen_) + step : step > 0 ? 0 : count - 1;
    while (at >= 0 && at < count && classes_[static_cast<std::size_t>(at)] == 0)
        at += step;
    if (at >= 0 && at < count)
        choose(static_cast<std::size_t>(at));
}

void TileHistogram::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void TileHistogram::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

QSize TileHistogram::sizeHint() const {
    return {480, 180};
}

QRectF TileHistogram::plot() const {
    const QFontMetrics metrics(font());
    return QRectF(rect()).adjusted(16, 8 + metrics.height() + 6, -16, -(metrics.height() + 10));
}

std::optional<std::size_t> TileHistogram::classAt(const QPoint& at) const {
    const QRectF area = plot();
    if (classes_.empty() || !area.contains(at))
        return std::nullopt;
    return std::min(class_count - 1, static_cast<std::size_t>((at.x() - area.left()) / area.width() *
                                                              static_cast<double>(class_count)));
}

QString TileHistogram::textOf(std::size_t index) const {
    return tr("%1 %2 to %3 cycles")
        .arg(formatCounted(classes_[index], tr("tile takes"), tr("tiles take")),
             formatCount(begin_of(index, slowest_)), formatCount(begin_of(index + 1, slowest_) - 1));
}

QString TileHistogram::textAt(const QPoint& at) const {
    const auto index = classAt(at);
    return index ? textOf(*index) : QString();
}

void TileHistogram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    painter.setPen(theme.muted);
    if (classes_.empty()) {
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, why_);
        return;
    }
    const QRectF area = plot();
    QString heading = tr("Slowest: tile %1, %2").arg(slowest_tile_).arg(formatCycles(slowest_));
    if (chosen_)
        heading = textOf(*chosen_) + tr("; Enter shows them in Memory");
    else if (idle_ > 0)
        heading += QStringLiteral("  ·  ") + tr("%1 idle").arg(formatCounted(idle_, tr("tile"), tr("tiles")));
    painter.drawText(QRectF(area.left(), 8, area.width(), painter.fontMetrics().height()), Qt::AlignLeft,
                     heading);
    const std::int64_t most = *std::max_element(classes_.begin(), classes_.end());
    const double width = area.width() / static_cast<double>(class_count);
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        if (classes_[i] == 0)
            continue;
        const double height =
            std::max(2.0, area.height() * static_cast<double>(classes_[i]) / static_cast<double>(most));
        painter.fillRect(
            QRectF(area.left() + static_cast<double>(i) * width, area.bottom() - height, width - 1, height),
            theme.compute);
        if (chosen_ == i) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(area.left() + static_cast<double>(i) * width - 1,
                                    area.bottom() - height - 1, width + 1, height + 2));
        }
    }
    painter.setPen(theme.border);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(theme.muted);
    const QRectF axis(area.left(), area.bottom() + 4, area.width(), painter.fontMetrics().height());
    painter.drawText(axis, Qt::AlignLeft, QStringLiteral("1"));
    painter.drawText(axis, Qt::AlignHCenter, formatCount(slowest_ / 2));
    painter.drawText(axis, Qt::AlignRight, formatCycles(slowest_));
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

bool TileHistogram::event(QEvent* event) {
    return showTip(event, this, [this](const QPoint& point) { return textAt(point); }) ||
           QWidget::event(event);
}

} // namespace tilescope::ui
