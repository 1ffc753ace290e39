// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge_chart.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr int margin = 12;
constexpr double highest = 30; ///< that a bar has room for
constexpr int gap = 8;         ///< between names, bars and amounts
constexpr double us = 1e-6;
constexpr double small_change = 0.2; ///< of the whole: below, the scale does not begin at 0
constexpr std::size_t most_layers = 5;

QString timeText(double of_us) {
    return formatSeconds(of_us * us);
}
QString signedTime(double of_us) {
    return formatDifference(of_us, timeText(of_us));
}

} // namespace

BridgeChart::BridgeChart(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("compareBridge"));
    setAccessibleName(tr("From the time of the base to that of the new run"));
    setFocusPolicy(Qt::StrongFocus);
    tellKeys(this, tr("Bridge"),
             {{tr("Up, Down"), tr("to the part above or below")},
              {tr("Home, End"), tr("to the base, to the new file")},
              {tr("Return"), tr("shows the layer that makes most of it")}});
    addChartActions(this, tr("Bridge"), [this](QChar separator) { return toText(separator); });
}

void BridgeChart::setBridge(const std::optional<analyse::TimeBridge>& bridge, const QString& base,
                            const QString& now, const QString& why) {
    const auto kept = bridge_ && chosen_ ? std::optional(rows()[*chosen_]) : std::nullopt;
    const bool whole = kept && kept->part == nullptr;
    bridge_ = bridge;
    base_ = base;
    now_ = now;
    why_ = why;
    chosen_.reset();
    const std::vector<Row> all = bridge_ ? rows() : std::vector<Row>();
    // What has its name, and is a part, or a whole, as well.
    for (std::size_t i = 0; kept && i < all.size(); ++i)
        if (all[i].name == kept->name && (all[i].part == nullptr) == whole)
            chosen_ = i;
    setAccessibleDescription(bridge_ ? toText(QLatin1Char('\t')) : why_);
    updateGeometry();
    update();
}

QString BridgeChart::Row::text() const {
    return part == nullptr ? timeText(us()) : signedTime(us());
}

std::vector<BridgeChart::Row> BridgeChart::rows() const {
    std::vector<Row> all{{base_, 0, bridge_->base_us}};
    double at = bridge_->base_us;
    for (const analyse::BridgePart& part : bridge_->parts) {
        all.push_back({ui::text(part.name), at, at + part.us, &part});
        at += part.us;
    }
    all.push_back({now_, 0, bridge_->now_us});
    return all;
}

std::pair<double, double> BridgeChart::ends() const {
    double least = std::min(bridge_->base_us, bridge_->now_us);
    double most = std::max(bridge_->base_us, bridge_->now_us);
    for (const Row& row : rows())
        if (row.part != nullptr) {
            least = std::min(least, row.to);
            most = std::max(most, row.to);
        }
    const double range = most - least;
    return {range > 0 && range < small_change * most ? std::max(0.0, least - range / 2)
                                                     : std::min(0.0, least),
            most};
}

QRectF BridgeChart::rowAt(std::size_t row, std::size_t count) const {
    const double top = margin;
    const double free = height() - top - margin - fontMetrics().height(); // of which the last is the note
    const double high = std::min(highest, free / static_cast<double>(count));
    return {margin, top + static_cast<double>(row) * high, width() - 2.0 * margin, high};
}

QSize BridgeChart::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 50, (bars() + 1) * (fontMetrics().height() + 2) + 2 * margin};
}

QSize BridgeChart::sizeHint() const {
    const int free = static_cast<int>(highest) * bars();
    return {minimumSizeHint().width(),
            std::max(minimumSizeHint().height(), free + fontMetrics().height() + 2 * margin)};
}

int BridgeChart::bars() const {
    return bridge_ ? static_cast<int>(bridge_->parts.size()) + 2 : 2;
}

void BridgeChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    painter.setPen(theme.muted);
    if (!bridge_) {
        painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap, why_);
        return;
    }
    const std::vector<Row> all = rows();
    const QFontMetrics metrics = painter.fontMetrics();
    int names = 0, amounts = 0;
    for (const Row& row : all) {
        names = std::max(names, metrics.horizontalAdvance(row.name) + 2);
        amounts = std::max(amounts, metrics.horizontalAdvance(row.text()));
    }
    names = std::min(names, width() / 3);
    const double left = margin + names + gap;
    const double right = std::max(left + 1, width() - margin - amounts - gap + 0.0);
    const auto [least, most] = ends();
    const auto x = [&, least = least, most = most](double time) {
        return left + (std::max(time, least) - least) / (most - least) * (right - left);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Row& row = all[i];
        const QRectF place = rowAt(i, all.size());
        painter.setPen(row.part == nullptr ? theme.text : theme.muted);
        painter.drawText(QRectF(place.left(), place.top(), names, place.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(row.name, Qt::ElideMiddle, names));
        painter.setPen(theme.text);
        painter.drawText(QRectF(right + gap, place.top(), amounts, place.height()),
                         Qt::AlignRight | Qt::AlignVCenter, row.text());
        const double inset = std::min(4.0, place.height() / 5);
        const double from = std::min(x(row.from), x(row.to));
        const double wide = std::max(1.0, std::fabs(x(row.to) - x(row.from)));
        const QColor fill = row.part == nullptr ? theme.muted : row.us() > 0 ? theme.more() : theme.less();
        painter.fillRect(QRectF(from, place.top() + inset, wide, std::max(1.0, place.height() - 2 * inset)),
                         fill);
        if (i == chosen_) {
            painter.setPen(QPen(hasFocus() ? theme.accent : theme.border, hasFocus() ? 2 : 1));
            painter.drawRect(place.adjusted(-4, 0, 4, 0));
        }
        if (i + 1 < all.size()) { // down to where the next one begins
            painter.setPen(QPen(theme.border, 1, Qt::DashLine));
            painter.drawLine(QPointF(x(row.to), place.bottom() - inset),
                             QPointF(x(row.to), place.bottom() + inset));
        }
    }
    if (hasFocus() && !chosen_) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
    painter.setPen(theme.muted);
    const double under = rowAt(all.size() - 1, all.size()).bottom() + 2;
    painter.drawText(QRectF(left, under, right - left, metrics.height()), Qt::AlignLeft,
                     least > 0 ? tr("scale from %1 on").arg(timeText(least)) : QStringLiteral("0"));
    painter.drawText(QRectF(left, under, right - left, metrics.height()), Qt::AlignRight, timeText(most));
}

QString BridgeChart::toText(QChar separator) const {
    QString lines = tableLine({tr("part"), tr("time_us"), tr("mostly in")}, separator);
    if (!bridge_)
        return lines;
    for (const Row& row : rows())
        lines += tableLine(
            {row.name, QString::number(row.us(), 'g', 12),
             row.part == nullptr || row.part->parts.empty() ? QString() : text(row.part->parts.front().name)},
            separator);
    return lines;
}

QString BridgeChart::textAt(const QPoint& at) const {
    const auto row = rowUnder(at);
    return row ? textOf(rows()[*row]) : QString();
}

QString BridgeChart::textOf(const Row& row) {
    QString tip = QStringLiteral("%1: %2").arg(row.name, row.text());
    if (row.part == nullptr)
        return tip;
    const auto& parts = row.part->parts;
    for (std::size_t p = 0; p < std::min(most_layers, parts.size()); ++p)
        tip += QStringLiteral("\n%1  %2").arg(signedTime(parts[p].us), ui::text(parts[p].name));
    if (parts.size() > most_layers)
        tip += QLatin1Char('\n') +
               tr("and %1 more").arg(formatCount(static_cast<std::int64_t>(parts.size() - most_layers)));
    return tip;
}

bool BridgeChart::event(QEvent* event) {
    return showTip(event, this, [this](const QPoint& point) { return textAt(point); }) ||
           QWidget::event(event);
}

std::optional<std::size_t> BridgeChart::rowUnder(const QPointF& at) const {
    const std::size_t count = bridge_ ? rows().size() : 0;
    for (std::size_t i = 0; i < count; ++i)
        if (rowAt(i, count).contains(at))
            return i;
    return {};
}

void BridgeChart::choose(std::size_t row) {
    chosen_ = row;
    update();
    if (const QString layer = chosenLayer(); !layer.isEmpty())
        Q_EMIT layerChosen(layer);
    Q_EMIT partChosen();
}

const analyse::BridgePart* BridgeChart::chosenPart() const {
    return bridge_ && chosen_ ? rows()[*chosen_].part : nullptr;
}

QString BridgeChart::chosenName() const {
    return bridge_ && chosen_ ? rows()[*chosen_].name : QString();
}

QString BridgeChart::chosenLayer() const {
    const analyse::BridgePart* part = chosenPart();
    return part == nullptr || part->parts.empty() ? QString() : ui::text(part->parts.front().name);
}

void BridgeChart::chooseFor(const QPoint& menu) {
    if (const auto row = rowUnder(menu))
        choose(*row);
}

QPoint BridgeChart::cursorPlace() const {
    return (chosen_ ? rowAt(*chosen_, rows().size()) : QRectF(rect())).center().toPoint();
}

void BridgeChart::mousePressEvent(QMouseEvent* event) {
    if (const auto row = rowUnder(event->position()); row && event->button() == Qt::LeftButton)
        choose(*row);
    QWidget::mousePressEvent(event);
}

PaintedParts::Part BridgeChart::part(int index) const {
    const std::vector<Row> all = rows();
    const Row& row = all[static_cast<std::size_t>(index)];
    return {row.name, textOf(row).section(QStringLiteral(": "), 1),
            rowAt(static_cast<std::size_t>(index), all.size()).toRect(), QAccessible::ListItem,
            chosen_ == static_cast<std::size_t>(index)};
}

void BridgeChart::keyPressEvent(QKeyEvent* event) {
    const int last = partCount() - 1;
    const int now = chosen_ ? static_cast<int>(*chosen_) : -1;
    int wanted = -1;
    if (event->key() == Qt::Key_Down)
        wanted = std::min(last, now + 1);
    else if (event->key() == Qt::Key_Up)
        wanted = now < 0 ? last : std::max(0, now - 1);
    else if (event->key() == Qt::Key_Home || event->key() == Qt::Key_End)
        wanted = event->key() == Qt::Key_Home ? 0 : last;
    else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && !chosenLayer().isEmpty())
        return Q_EMIT layerActivated();
    if (last < 0 || wanted < 0)
        return QWidget::keyPressEvent(event);
    choose(static_cast<std::size_t>(wanted));
    tellFocusedPart(*this);
    const std::vector<Row> all = rows();
    tellAtKeys(*this, rowAt(*chosen_, all.size()).toRect(), textOf(all[*chosen_]));
}

void BridgeChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    tellFocusedPart(*this);
    update();
}

void BridgeChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace tilescope::ui
