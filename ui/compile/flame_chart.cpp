// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compile/flame_chart.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/tiles/shade.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr int margin = 14;
constexpr double us_per_second = 1e6;

/// The longer a part is beside those of its depth, the darker.
class PartFills {
  public:
    PartFills(const Theme& theme, const analyse::CompileTime& time)
        : theme_(theme), longest_(static_cast<std::size_t>(time.depth) + 1, 1.0) {
        for (const analyse::CompilePart& one : time.parts) {
            double& most = longest_[static_cast<std::size_t>(one.depth)];
            most = std::max(most, static_cast<double>(one.event.duration_us));
        }
    }
    QColor of(const analyse::CompilePart& one) const {
        return one.depth == 0 ? ChartStyle::mixed(theme_.panel, theme_.muted, 0.25)
                              : shadeOf(theme_, static_cast<double>(one.event.duration_us) /
                                                    longest_[static_cast<std::size_t>(one.depth)]);
    }

  private:
    const Theme& theme_;
    std::vector<double> longest_; ///< us, by depth
};

} // namespace

FlameChart::FlameChart(QWidget* parent) : SpanChart(parent) {
    setAccessibleName(tr("Passes of the compilation over time"));
    addChartActions(this, tr("Passes"), [this](QChar separator) { return toText(separator); });
}

void FlameChart::setData(Data now, Data base, bool keep_view) {
    data_ = std::move(now);
    base_ = std::move(base);
    std::int64_t end = 1;
    for (const Data& of : {data_, base_})
        end = std::max(end, of ? of->total_us : 0);
    if (partOf(chosen_) == nullptr)
        chosen_ = -1;
    updateGeometry();
    setMinimumHeight(sizeHint().height());
    setLimits(0, end, keep_view);
}

const analyse::CompilePart* FlameChart::partOf(std::int64_t event) const {
    return data_ ? data_->part(event) : nullptr;
}

void FlameChart::choose(std::int64_t event) {
    chosen_ = event;
    if (const analyse::CompilePart* found = partOf(event))
        reveal(found->from, found->to);
    update();
    tellFocusedPart(*this);
}

void FlameChart::tell(std::int64_t event) {
    choose(event);
    Q_EMIT partChosen(event);
}

void FlameChart::step(int direction) {
    const analyse::CompilePart* now = partOf(chosen_);
    if (!data_ || data_->parts.empty())
        return;
    if (now == nullptr)
        return tell(data_->parts.front().event.id);
    const auto* first = data_->parts.data();
    const auto* end = first + data_->parts.size();
    for (const auto* next = now + direction; next >= first && next < end; next += direction)
        if (next->depth == now->depth)
            return tell(next->event.id);
}

void FlameChart::climb(int direction) {
    const analyse::CompilePart* now = partOf(chosen_);
    if (now == nullptr)
        return step(1);
    if (direction < 0) {
        if (const analyse::CompilePart* parent = partOf(now->event.parent_id))
            tell(parent->event.id);
        return;
    }
    const auto& parts = data_->parts;
    const auto inner = std::find_if(parts.begin(), parts.end(), [&](const auto& other) {
        return other.event.parent_id == now->event.id;
    });
    if (inner != parts.end())
        tell(inner->event.id);
}

void FlameChart::frameChosen() {
    if (const analyse::CompilePart* found = partOf(chosen_))
        frame(found->from, std::max(found->to, found->from + 1));
}

QRectF FlameChart::plot() const {
    return QRectF(rect()).adjusted(margin, 0, -margin, 0);
}

QRectF FlameChart::strip() const {
    constexpr int above = 6;
    return data_ ? QRectF(plot().left(), above, plot().width(), OverviewStrip::height(fontMetrics()))
                 : QRectF();
}

double FlameChart::chosenAt() const {
    const analyse::CompilePart* found = partOf(chosen_);
    return found != nullptr ? (found->from + found->to) / 2 : std::nan("");
}

int FlameChart::rowHeight() const {
    return fontMetrics().height() * 3 / 2;
}

double FlameChart::top(bool of_base) const {
    const int line = fontMetrics().height();
    const double first = strip().bottom() + line + 12.0;
    if (!of_base || !data_)
        return first + (base_ ? line + 4 : 0);
    return first + 2.0 * (line + 4) + static_cast<double>((data_->depth + 1) * rowHeight()) + 8;
}

QSize FlameChart::sizeHint() const {
    const Data& last = base_ ? base_ : data_;
    const std::int64_t rows = last ? last->depth + 1 : 3;
    return {800, static_cast<int>(top(base_ != nullptr)) + static_cast<int>(rows) * rowHeight() + 8};
}

QRectF FlameChart::boxOf(const analyse::CompilePart& part, bool of_base) const {
    const double left = placeOf(part.from);
    return {left, top(of_base) + static_cast<double>(part.depth * rowHeight()), placeOf(part.to) - left,
            static_cast<double>(rowHeight()) - 1};
}

QRectF FlameChart::box(const analyse::CompilePart& part) const {
    return boxOf(part, false);
}

const analyse::CompilePart* FlameChart::at(const QPoint& point, bool* of_base) const {
    for (const bool base : {false, true}) {
        const Data& of = base ? base_ : data_;
        if (!of)
            continue;
        for (const analyse::CompilePart& one : of->parts)
            if (boxOf(one, base).contains(point)) {
                if (of_base != nullptr)
                    *of_base = base;
                return &one;
            }
    }
    return nullptr;
}

QString FlameChart::valueOf(const analyse::CompilePart& part, bool of_base) const {
    const QString time = formatWallTime(part.event.duration_us);
    const auto share = (of_base ? base_ : data_)->share(part);
    return share ? tr("%1, %2 of the compilation").arg(time, formatPercent(*share)) : time;
}

PaintedParts::Part FlameChart::part(int index) const {
    const analyse::CompilePart& of = data_->parts[static_cast<std::size_t>(index)];
    return {text(of.event.name), valueOf(of, false), box(of).intersected(plot()).toAlignedRect(),
            QAccessible::TreeItem, of.event.id == chosen_};
}

int FlameChart::focusedPart() const {
    const analyse::CompilePart* chosen = partOf(chosen_);
    return hasFocus() && chosen != nullptr ? static_cast<int>(chosen - data_->parts.data()) : -1;
}

void FlameChart::focusInEvent(QFocusEvent* event) {
    SpanChart::focusInEvent(event);
    tellFocusedPart(*this);
}

QString FlameChart::textAt(const QPoint& point) const {
    bool of_base = false;
    const analyse::CompilePart* found = at(point, &of_base);
    if (found == nullptr)
        return {};
    QString words = QStringLiteral("%1: %2").arg(text(found->event.name), valueOf(*found, of_base));
    if (!found->event.detail.empty())
        words += QLatin1Char('\n') + text(found->event.detail);
    return words;
}

QString FlameChart::toText(QChar separator) const {
    QString words = tableLine({QStringLiteral("depth"), QStringLiteral("name"), QStringLiteral("start_us"),
                               QStringLiteral("duration_us"), QStringLiteral("detail")},
                              separator);
    if (data_)
        for (const analyse::CompilePart& one : data_->parts)
            words += tableLine({QString::number(one.depth), text(one.event.name),
                                QString::number(one.event.start_us), QString::number(one.event.duration_us),
                                text(one.event.detail)},
                               separator);
    return words;
}

void FlameChart::paintAxis(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const int line = fontMetrics().height();
    const double above = strip().bottom() + 2;
    for (const AxisTick& tick :
         time_ticks(view().from() / us_per_second, view().to() / us_per_second, std::max(2, width() / 110))) {
        const double left = placeOf(tick.at * us_per_second);
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(left, above + line + 4), QPointF(left, height()));
        painter.setPen(theme.muted);
        const QString label = QString::fromStdString(tick.label);
        if (const double wide = fontMetrics().horizontalAdvance(label) + 1; left + 3 + wide < width())
            painter.drawText(QRectF(left + 3, above, wide, line), Qt::AlignLeft, label);
    }
}

void FlameChart::paintStrip(QPainter& painter) const {
    const ChartStyle style(this);
    const PartFills fills(Theme::of(this), *data_);
    const QRectF area = strip();
    const double row = area.height() / static_cast<double>(data_->depth + 1);
    const auto [from, to] = view().limits();
    const double scale = area.width() / static_cast<double>(std::max<std::int64_t>(1, to - from));
    painter.fillRect(area, style.background);
    for (const analyse::CompilePart& one : data_->parts)
        painter.fillRect(QRectF(area.left() + one.from * scale,
                                area.top() + static_cast<double>(one.depth) * row,
                                (one.to - one.from) * scale, row),
                         fills.of(one));
    overview().paint(painter, style);
}

void FlameChart::paintParts(QPainter& painter, const analyse::CompileTime& time, bool of_base) const {
    const Theme& theme = Theme::of(this);
    const PartFills fills(theme, time);
    constexpr double own = 3; // pixels: narrower ones have no edges that could be seen
    for (const analyse::CompilePart& one : time.parts) {
        const QRectF box = boxOf(one, of_base);
        if (box.right() < margin || box.left() > width() - margin || box.width() < 0.25)
            continue;
        const QRectF seen = box.intersected(plot());
        const QColor fill = fills.of(one);
        painter.fillRect(seen.width() >= own ? seen.adjusted(0, 0, -1, 0) : seen, fill);
        if (!of_base && one.event.id == chosen_) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(seen.adjusted(1, 1, -2, -1));
        }
        const int room = static_cast<int>(seen.width()) - 10;
        if (room < fontMetrics().averageCharWidth() * 4)
            continue;
        const QString name = text(one.event.name);
        const QString full = QStringLiteral("%1  %2").arg(name, formatWallTime(one.event.duration_us));
        painter.setPen(one.depth == 0 ? theme.text : ChartStyle::textOn(fill));
        painter.drawText(seen.adjusted(5, 0, -5, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().horizontalAdvance(full) <= room
                             ? full
                             : fontMetrics().elidedText(name, Qt::ElideRight, room));
    }
}

void FlameChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    if (!data_)
        return;
    paintStrip(painter);
    paintAxis(painter);
    const int line = fontMetrics().height();
    if (base_) {
        painter.setPen(theme.muted);
        painter.drawText(QRectF(margin, top(false) - line - 4, width(), line), Qt::AlignLeft, tr("new"));
        painter.drawText(QRectF(margin, top(true) - line - 4, width(), line), Qt::AlignLeft, tr("base"));
        paintParts(painter, *base_, true);
    }
    paintParts(painter, *data_, false);
    paintFocus(painter);
}

void FlameChart::clicked(const QPoint& point) {
    bool of_base = false;
    const analyse::CompilePart* found = at(point, &of_base);
    if (!of_base)
        tell(found == nullptr ? -1 : found->event.id);
}

void FlameChart::chooseFor(const QPoint& menu) {
    bool of_base = false;
    if (const analyse::CompilePart* found = at(menu, &of_base); found != nullptr && !of_base)
        tell(found->event.id);
}

QPoint FlameChart::cursorPlace() const {
    const analyse::CompilePart* found = partOf(chosen_);
    return (found == nullptr ? plot() : box(*found).intersected(plot())).center().toPoint();
}

void FlameChart::mouseDoubleClickEvent(QMouseEvent* event) {
    bool of_base = false;
    const analyse::CompilePart* found = at(event->pos(), &of_base);
    if (found == nullptr || of_base)
        return;
    tell(found->event.id);
    Q_EMIT partActivated(found->event.id);
}

} // namespace tilescope::ui
