// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/phase_chart.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/timeline_viewport.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/phase_look.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr int lane_gap = 6;
constexpr int one_lane = 120;  ///< height where there is one IPU
constexpr int low_lane = 26;   ///< at least, where there are many
constexpr int least_room = 72; ///< of all lanes, where they are few

} // namespace

PhaseChart::PhaseChart(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Where the time of each IPU goes"));
    tellKeys(this, tr("Where the time goes"),
             {{tr("Left, Right"), tr("to the time before or after")},
              {tr("Up, Down"), tr("to the IPU above or below")},
              {tr("Home, End"), tr("to the first, to the last time")}});
    addChartActions(this, tr("Where the time goes"), [this](QChar separator) { return toText(separator); });
    measureNames();
}

void PhaseChart::setSpans(std::vector<profile::PhaseSpan> spans, double clock_hz,
                          std::map<std::int64_t, QString> names) {
    const std::int64_t kept_ipu = cursor_ ? spans_[*cursor_].ipu : -1;
    const std::int64_t kept_start = cursor_ ? spans_[*cursor_].start_cycle : 0;
    spans_ = std::move(spans);
    clock_hz_ = clock_hz;
    names_ = std::move(names);
    lanes_.clear();
    end_cycle_ = 0;
    for (std::size_t i = 0; i < spans_.size(); ++i) {
        if (lanes_.empty() || lanes_.back().ipu != spans_[i].ipu)
            lanes_.push_back({spans_[i].ipu, i, i});
        lanes_.back().last = i + 1;
        end_cycle_ = std::max(end_cycle_, spans_[i].end_cycle);
    }
    cursor_.reset();
    for (std::size_t i = 0; i < spans_.size(); ++i)
        if (spans_[i].ipu == kept_ipu && spans_[i].start_cycle <= kept_start &&
            kept_start < spans_[i].end_cycle)
            cursor_ = i;
    setAccessibleDescription(cursor_ ? textOf(spans_[*cursor_]) : QString());
    measureNames();
    updateGeometry();
    update();
}

QString PhaseChart::toText(QChar separator) const {
    QStringList line{tr("IPU"), tr("start cycle"), tr("end cycle"), tr("executions")};
    for (const PhaseLook& part : phaseLooks())
        line << part.name;
    QString text = tableLine(line, separator);
    for (const auto& span : spans_) {
        line = {QString::number(span.ipu), QString::number(span.start_cycle), QString::number(span.end_cycle),
                QString::number(span.executions)};
        for (const PhaseLook& part : phaseLooks())
            line << QString::number(span.cycles.*part.cycles);
        text += tableLine(line, separator);
    }
    return text;
}

void PhaseChart::measureNames() {
    int widest = fontMetrics().horizontalAdvance(tr("IPU %1").arg(QStringLiteral("88")));
    for (const Lane& lane : lanes_)
        widest = std::max(widest, fontMetrics().horizontalAdvance(nameOf(lane.ipu)));
    label_width_ = widest + 8;
}

void PhaseChart::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange)
        measureNames();
    QWidget::changeEvent(event);
}

QString PhaseChart::nameOf(std::int64_t ipu) const {
    const auto found = names_.find(ipu);
    return found == names_.end() ? tr("IPU %1").arg(ipu) : found->second;
}

int PhaseChart::laneHeight() const {
    const auto count = static_cast<int>(std::max<std::size_t>(lanes_.size(), 1));
    return std::max({low_lane, one_lane / count, fontMetrics().height() + 4});
}

/// With its lanes as low as they may be: the axis below them is seen in a low window, too.
QSize PhaseChart::minimumSizeHint() const {
    const auto count = static_cast<int>(std::max<std::size_t>(lanes_.size(), 1));
    return {240, count * (std::max({low_lane, least_room / count, fontMetrics().height() + 4}) + lane_gap) +
                     axisHeight()};
}

QSize PhaseChart::sizeHint() const {
    const auto count = static_cast<int>(std::max<std::size_t>(lanes_.size(), 1));
    return {480, count * (laneHeight() + lane_gap) + axisHeight()};
}

int PhaseChart::axisHeight() const {
    return fontMetrics().height() + 6;
}

QRectF PhaseChart::plotOf(std::size_t lane) const {
    const double axis = axisHeight();
    const auto count = static_cast<double>(std::max<std::size_t>(lanes_.size(), 1));
    const double high = (height() - axis) / count;
    const double from = label_width_;
    const double top = std::round(static_cast<double>(lane) * high); // whole pixels, as its picture has
    return {from, top, width() - from, std::round(static_cast<double>(lane + 1) * high) - top - lane_gap};
}

double PhaseChart::xOf(std::int64_t cycle, const QRectF& plot) const {
    return plot.left() + plot.width() * static_cast<double>(cycle) / static_cast<double>(end_cycle_);
}

void PhaseChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
        paintLane(painter, lane);
    if (end_cycle_ > 0)
        paintTimeAxis(painter);
    if (hovered_x_ >= label_width_ && !lanes_.empty()) {
        painter.setPen(QPen(Theme::of(this).text, 1));
        painter.drawLine(QPointF(hovered_x_, 0), QPointF(hovered_x_, plotOf(lanes_.size() - 1).bottom()));
    }
    if (!hasFocus())
        return;
    painter.setPen(QPen(Theme::of(this).accent, 2));
    painter.setBrush(Qt::NoBrush);
    if (cursor_)
        painter.drawRect(boxOf(*cursor_).adjusted(-1, 0, 1, 0));
    else
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

std::size_t PhaseChart::laneOf(std::size_t span) const {
    std::size_t lane = 0;
    while (lane + 1 < lanes_.size() && lanes_[lane].last <= span)
        ++lane;
    return lane;
}

QRectF PhaseChart::boxOf(std::size_t span) const {
    const QRectF plot = plotOf(laneOf(span));
    const double left = xOf(spans_[span].start_cycle, plot);
    return {left, plot.top(), std::max(1.0, xOf(spans_[span].end_cycle, plot) - left), plot.height()};
}

std::size_t PhaseChart::beside(std::size_t span, int lanes) const {
    const auto wanted = static_cast<std::ptrdiff_t>(laneOf(span)) + lanes;
    if (wanted < 0 || wanted >= std::ssize(lanes_))
        return span;
    const auto& [ipu, first, last] = lanes_[static_cast<std::size_t>(wanted)];
    const std::int64_t middle = (spans_[span].start_cycle + spans_[span].end_cycle) / 2;
    std::size_t found = first;
    while (found + 1 < last && spans_[found].end_cycle <= middle)
        ++found;
    return found;
}

void PhaseChart::setCursorSpan(std::size_t span) {
    cursor_ = span;
    const QString told = textOf(spans_[span]);
    setAccessibleDescription(told);
    update();
    tellAtKeys(*this, boxOf(span).toRect(), told);
}

void PhaseChart::keyPressEvent(QKeyEvent* event) {
    if (spans_.empty())
        return QWidget::keyPressEvent(event);
    const std::size_t now = cursor_.value_or(0);
    const auto& [ipu, first, last] = lanes_[laneOf(now)];
    switch (event->key()) {
    case Qt::Key_Left:
        return setCursorSpan(cursor_ ? std::max(first, now - (now > 0 ? 1 : 0)) : now);
    case Qt::Key_Right:
        return setCursorSpan(cursor_ ? std::min(last - 1, now + 1) : now);
    case Qt::Key_Home:
        return setCursorSpan(first);
    case Qt::Key_End:
        return setCursorSpan(last - 1);
    case Qt::Key_Up:
    case Qt::Key_Down:
        return setCursorSpan(cursor_ ? beside(now, event->key() == Qt::Key_Up ? -1 : 1) : now);
    default:
        QWidget::keyPressEvent(event);
    }
}

void PhaseChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void PhaseChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void PhaseChart::paintLane(QPainter& painter, std::size_t lane) const {
    const Theme& theme = Theme::of(this);
    const QRectF plot = plotOf(lane);
    painter.fillRect(plot, theme.waiting);
    const auto& [ipu, first, last] = lanes_[lane];
    const double ratio = painter.device()->devicePixelRatioF();
    const auto count = static_cast<std::size_t>(std::max(0L, std::lround(plot.width() * ratio)));
    const double width = static_cast<double>(std::max<std::int64_t>(end_cycle_, 1)) /
                         static_cast<double>(std::max<std::size_t>(count, 1));
    analyse::TimeColumns columns(0, width, count);
    for (std::size_t i = first; i < last; ++i)
        columns.add(static_cast<double>(spans_[i].start_cycle), static_cast<double>(spans_[i].end_cycle),
                    spans_[i].cycles, false);
    const ChartStyle style(this);
    QImage picture =
        TimeStack::picture(columns.columns(), width, static_cast<int>(std::lround(plot.height() * ratio)),
                           TimelinePainter::timeColors(style), style.background);
    picture.setDevicePixelRatio(ratio);
    painter.drawImage(plot.topLeft(), picture);
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() - 1);
    painter.setFont(small);
    painter.setPen(theme.muted);
    const QRectF label(0, plot.top(), label_width_ - 8, plot.height());
    painter.drawText(label, Qt::AlignLeft | (plot.height() < 60 ? Qt::AlignVCenter : Qt::AlignTop),
                     nameOf(ipu));
    if (plot.height() >= 60)
        painter.drawText(label, Qt::AlignRight | Qt::AlignBottom, QStringLiteral("0 %"));
}

void PhaseChart::paintTimeAxis(QPainter& painter) const {
    const QRectF plot = plotOf(lanes_.size() - 1);
    const double seconds = clock_hz_ > 0 ? static_cast<double>(end_cycle_) / clock_hz_ : 0;
    if (seconds <= 0)
        return;
    // Where the lanes scroll, it stands at the lower edge of what is seen of them; the page that they are on
    // scrolls without it.
    const int bottom =
        parentWidget() == nullptr ? height() : std::min(height(), parentWidget()->height() - y());
    if (bottom < height())
        painter.fillRect(QRect(0, bottom - axisHeight(), width(), axisHeight()), Theme::of(this).panel);
    painter.setPen(Theme::of(this).muted);
    constexpr int apart = 90; // pixels
    for (const AxisTick& tick : time_ticks(0, seconds, std::max(1, static_cast<int>(plot.width()) / apart))) {
        const double x = plot.left() + plot.width() * tick.at / seconds;
        const QString text = QString::fromStdString(tick.label);
        const double wide = painter.fontMetrics().horizontalAdvance(text);
        const double left = std::clamp(x - wide / 2, plot.left(), width() - wide);
        painter.drawText(QPointF(left, bottom - 3), text);
    }
}

const profile::PhaseSpan* PhaseChart::spanAt(const QPointF& at) const {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        const QRectF plot = plotOf(lane);
        if (!plot.contains(at))
            continue;
        for (std::size_t i = lanes_[lane].first; i < lanes_[lane].last; ++i)
            if (xOf(spans_[i].start_cycle, plot) <= at.x() && at.x() < xOf(spans_[i].end_cycle, plot))
                return &spans_[i];
    }
    return nullptr;
}

QString PhaseChart::textOf(const profile::PhaseSpan& span) const {
    QStringList lines{tr("%1, %2 to %3, %4")
                          .arg(nameOf(span.ipu), formatTime(span.start_cycle, clock_hz_),
                               formatTime(span.end_cycle, clock_hz_),
                               formatCounted(span.executions, tr("execution"), tr("executions")))};
    for (const PhaseLook& part : phaseLooks())
        if (const std::int64_t cycles = span.cycles.*part.cycles; cycles > 0)
            lines << tr("%1 %2 (%3)")
                         .arg(part.name, formatPercent(*analyse::phase_share(span.cycles, part.cycles)),
                              formatCycles(cycles));
    return lines.join(QLatin1Char('\n'));
}

void PhaseChart::mouseMoveEvent(QMouseEvent* event) {
    hovered_x_ = event->position().x();
    update();
    const profile::PhaseSpan* span = spanAt(event->position());
    if (span == nullptr)
        return QToolTip::hideText();
    QToolTip::showText(event->globalPosition().toPoint(), textOf(*span), this);
}

void PhaseChart::mousePressEvent(QMouseEvent* event) {
    if (const profile::PhaseSpan* span = spanAt(event->position());
        span != nullptr && event->button() == Qt::LeftButton)
        setCursorSpan(static_cast<std::size_t>(span - spans_.data()));
    QWidget::mousePressEvent(event);
}

void PhaseChart::leaveEvent(QEvent*) {
    hovered_x_ = -1;
    update();
}

} // namespace tilescope::ui
