// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/liveness_curve.h"

#include "base/share.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/chart_actions.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double room = 1.05; ///< above what is drawn

/// Round bytes between these, of which 0 is one.
std::vector<double> roundMarks(double least, double most) {
    constexpr int count = 6;
    const double step = std::max(1.0, std::exp2(std::ceil(std::log2((most - least) / count))));
    const auto last = static_cast<std::int64_t>(std::floor(most / step));
    std::vector<double> marks;
    for (auto i = static_cast<std::int64_t>(std::ceil(least / step)); i <= last; ++i)
        marks.push_back(static_cast<double>(i) * step);
    return marks;
}

} // namespace

LivenessCurve::LivenessCurve(QWidget* parent) : SpanChart(parent) {
    setMinimumHeight(220);
    setAccessibleName(tr("Live bytes over the program's steps"));
    addChartActions(this, tr("Live bytes"), [this](QChar separator) { return toText(separator); });
}

void LivenessCurve::setData(Data live, Data base, bool keep_view) {
    data_ = std::move(live);
    base_ = std::move(base);
    fullest_known_ = data_ && data_->fullest_known();
    base_fullest_known_ = base_ && base_->fullest_known();
    difference_ = nullptr;
    bands_ = nullptr;
    life_.reset();
    if (!keep_view)
        range_.reset();
    constexpr std::int64_t flat = 3; // of a curve that is lower no step is told from the next
    if (!keep_view && data_ && !data_->points.empty())
        to_limit_ = flat * data_->points[static_cast<std::size_t>(data_->peak())].total() >= data_->limit();
    takeAxes();
    measure();
    if (data_ && !data_->points.empty())
        limitAxis(keep_view);
}

void LivenessCurve::setDifference(std::shared_ptr<const analyse::LiveDifference> difference) {
    difference_ = std::move(difference);
    measure();
}

void LivenessCurve::setToLimit(bool to_limit) {
    to_limit_ = to_limit;
    measure();
}

double LivenessCurve::limit() const {
    return data_ && !difference_ ? static_cast<double>(data_->limit()) : 0;
}

void LivenessCurve::measure() {
    hides_always_ = hidesKind(this, QStringLiteral("always"));
    hides_rest_ = hidesKind(this, QStringLiteral("not always"));
    hides_more_ = hidesKind(this, QStringLiteral("more"));
    hides_less_ = hidesKind(this, QStringLiteral("less"));
    hides_fullest_ = hidesKind(this, QStringLiteral("fullest"));
    least_ = most_ = tile_most_ = 0;
    if (difference_)
        for (const auto& by : difference_->by) {
            const double bytes = static_cast<double>(by.value_or(0)) * room;
            least_ = hides_less_ ? 0 : std::min(least_, bytes);
            most_ = hides_more_ ? 0 : std::max(most_, bytes);
        }
    else
        for (const Data& of : {data_, base_})
            if (of)
                for (const auto& point : of->points) {
                    most_ = std::max(most_, static_cast<double>(shown(point).second) * room);
                    if (hasFullest() && !hides_fullest_)
                        tile_most_ = std::max(tile_most_, static_cast<double>(point.fullest_tile) * room);
                }
    if (to_limit_ && limit() > 0) { // as high as the limit of one is that of the other
        const auto of_tile = static_cast<double>(data_->bytes_per_tile);
        const double limits = std::max({room, most_ / limit(), tile_most_ / of_tile});
        most_ = limits * limit();
        tile_most_ = tile_most_ > 0 ? limits * of_tile : 0;
    }
    if (least_ == most_)
        most_ = 1;
    fitPlot(); // the limit and the bytes of the axis stand beside it
    update();
}

std::pair<std::int64_t, std::int64_t> LivenessCurve::shown(const analyse::Liveness::Point& point) const {
    const std::int64_t always = hides_always_ ? 0 : point.always;
    return {always, always + (hides_rest_ ? 0 : point.not_always)};
}

void LivenessCurve::setStep(std::int64_t step) {
    step_ = step;
    if (data_ && step >= 0 && (axis_.begin(step) < view().from() || axis_.begin(step) >= view().to()))
        reveal(axis_.begin(step), axis_.end(step));
    update();
    tellFocusedPart(*this);
}

void LivenessCurve::setLife(const std::optional<std::pair<std::int64_t, std::int64_t>>& life) {
    life_ = life;
    update();
}

void LivenessCurve::setRange(const std::optional<Steps>& range) {
    range_ = range;
    update();
}

void LivenessCurve::frameSubject() {
    constexpr std::int64_t beside = 24; // of a single step
    const std::optional<Steps> of = range_       ? range_
                                    : life_      ? life_
                                    : step_ >= 0 ? std::optional(Steps{step_ - beside, step_ + beside})
                                                 : std::nullopt;
    if (!of)
        return showAll();
    const auto before = std::pair(view().from(), view().to());
    frame(axis_.begin(of->first), axis_.end(of->second));
    if (before == std::pair(view().from(), view().to()))
        showAll();
}

QSize LivenessCurve::sizeHint() const {
    return {800, 320};
}

/// Where the plot begins: names and bytes stand before it.
int LivenessCurve::left() const {
    const auto wide = [this](const QString& words) { return fontMetrics().horizontalAdvance(words); };
    return 16 + std::max({wide(formatBytes(most_)), wide(QStringLiteral("888.8 KiB")), wide(tr("Layer")),
                          wide(tr("Block")), wide(tr("Phase")), wide(tr("Overview"))});
}

int LivenessCurve::right() const {
    const auto wide = [this](const QString& words) { return fontMetrics().horizontalAdvance(words); };
    int most =
        limit() > 0 ? std::max(wide(tr("limit")), wide(formatBytes(limit()) + QStringLiteral(" ↑"))) : 6;
    if (tile_most_ > 0)
        most =
            std::max({most, wide(QStringLiteral("888.8 KiB")), wide(tileLimitText() + QStringLiteral(" ↑"))});
    return most + 10;
}

QRectF LivenessCurve::plot() const {
    const int line = QFontMetrics(font()).height();
    return QRectF(rect()).adjusted(left(), OverviewStrip::height(QFontMetrics(font())) + 10, -right(),
                                   -(2.5 * line + 14));
}

double LivenessCurve::chosenAt() const {
    return data_ && step_ >= 0 ? axis_.middle(step_) : std::nan("");
}

double LivenessCurve::y(const QRectF& area, double bytes) const {
    return area.bottom() - (bytes - least_) / (most_ - least_) * area.height();
}

std::pair<std::size_t, std::size_t> LivenessCurve::points(const StepAxis& axis, double x) const {
    const double from = std::floor(view().cycle(x));
    return axis.points(from, std::max(from + 1, std::ceil(view().cycle(x + 1))));
}

std::optional<LivenessCurve::Change> LivenessCurve::changeIn(std::size_t first, std::size_t end) const {
    std::optional<Change> change;
    for (std::size_t i = first; i < end; ++i)
        if (const auto by = difference_->by[i]) {
            if (!change)
                change.emplace();
            change->more = std::max(change->more, *by);
            change->less = std::min(change->less, *by);
        }
    return change;
}

std::optional<LivenessCurve::Band>
LivenessCurve::bandOf(const std::pair<std::size_t, std::size_t>& points) const {
    const auto [first, end] = points;
    if (first == end)
        return std::nullopt;
    Band band{0, shown(data_->points[first]).second, 0};
    for (std::size_t i = first; i < end; ++i) {
        const auto [always, all] = shown(data_->points[i]);
        band.always = std::max(band.always, always);
        band.least = std::min(band.least, all);
        band.most = std::max(band.most, all);
    }
    return band;
}

void LivenessCurve::paintCurve(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const QBrush always = liveBrush(theme, true);
    const QBrush rest = liveBrush(theme, false);
    const QColor pale = ChartStyle::mixed(theme.panel, theme.categories[0], 0.5);
    for (int x = 0; x < static_cast<int>(area.width()); ++x) {
        const auto band = bandOf(points(axis_, x));
        if (!band)
            continue;
        const double at = area.left() + x;
        const double low = std::max(band->always, band->least);
        painter.fillRect(QRectF(at, y(area, static_cast<double>(band->always)), 1,
                                area.bottom() - y(area, static_cast<double>(band->always))),
                         always);
        painter.fillRect(
            QRectF(at, y(area, low), 1, y(area, static_cast<double>(band->always)) - y(area, low)), rest);
        painter.fillRect(QRectF(at, y(area, static_cast<double>(band->most)), 1,
                                y(area, low) - y(area, static_cast<double>(band->most))),
                         band->most - band->least > 0 ? QBrush(pale) : rest);
    }
}

/// Steps that the base does not have are left grey.
void LivenessCurve::paintDifference(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    for (int x = 0; x < static_cast<int>(area.width()); ++x) {
        const auto [first, end] = points(axis_, x);
        const auto change = changeIn(first, end);
        const double at = area.left() + x;
        if (!change && first < end)
            painter.fillRect(QRectF(at, area.top(), 1, area.height()), theme.grid);
        if (!change)
            continue;
        const double zero = y(area, 0);
        const double more = y(area, static_cast<double>(change->more));
        const double less = y(area, static_cast<double>(change->less));
        if (!hides_more_)
            painter.fillRect(QRectF(at, more, 1, zero - more), theme.more());
        if (!hides_less_)
            painter.fillRect(QRectF(at, zero, 1, less - zero), theme.less());
    }
    painter.setPen(theme.text);
    painter.drawLine(QPointF(area.left(), y(area, 0)), QPointF(area.right(), y(area, 0)));
}

void LivenessCurve::paintBase(QPainter& painter) const {
    if (!base_)
        return;
    const QRectF area = plot();
    paintLine(painter, true, {QPen(Theme::of(this).text, 1.5, Qt::DashLine)},
              [&](const auto& point) { return y(area, static_cast<double>(shown(point).second)); });
}

void LivenessCurve::paintLine(QPainter& painter, bool of_base, const std::vector<QPen>& pens,
                              const std::function<double(const analyse::Liveness::Point&)>& place) const {
    const QRectF area = plot();
    const analyse::Liveness& live = of_base ? *base_ : *data_;
    const StepAxis& axis = of_base ? base_axis_ : axis_;
    if (axis.byTime() != byTime()) // the base does not say how long its steps take
        return;
    std::vector<QPolygonF> lines(1);
    for (int x = 0; x < static_cast<int>(area.width()); ++x) {
        const auto [first, end] = points(axis, x);
        double highest = area.bottom();
        for (std::size_t i = first; i < end; ++i)
            highest = std::min(highest, place(live.points[i]));
        if (first < end)
            lines.back() << QPointF(area.left() + x, highest);
        else if (!lines.back().empty())
            lines.emplace_back();
    }
    for (const QPen& pen : pens) {
        painter.setPen(pen);
        for (const QPolygonF& line : lines)
            painter.drawPolyline(line);
    }
}

std::vector<double> LivenessCurve::axisMarks() const {
    if (difference_ && difference_->largest < 0) // nothing is more or less
        return {0};
    return roundMarks(least_, most_);
}

std::vector<double> LivenessCurve::tileMarks() const {
    return tile_most_ > 0 ? roundMarks(0, tile_most_) : std::vector<double>();
}

void LivenessCurve::paintAxis(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const int line = painter.fontMetrics().height();
    for (const double bytes : axisMarks()) {
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(area.left(), y(area, bytes)), QPointF(area.right(), y(area, bytes)));
        painter.setPen(theme.muted);
        painter.drawText(QRectF(0, y(area, bytes) - line / 2.0, left() - 8, line),
                         Qt::AlignRight | Qt::AlignVCenter,
                         difference_ ? formatBytesDifference(bytes) : formatBytes(std::round(bytes)));
    }
    const double numbers = area.bottom() + line / 2.0; // below the bytes at the bottom
    for (const AxisTick& tick : ticks()) {
        const double x = area.left() + view().x(tick.at);
        painter.setPen(theme.border);
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 4));
        painter.setPen(theme.muted);
        const QString label = QString::fromStdString(tick.label);
        const double wide = painter.fontMetrics().horizontalAdvance(label);
        const double from = std::clamp(x - wide / 2, area.left(), std::max(area.left(), width() - wide));
        painter.drawText(QRectF(from, numbers, wide + 1, line), Qt::AlignLeft, label);
    }
    painter.drawText(QRectF(0, numbers, left() - 8, line), Qt::AlignRight,
                     !byTime()         ? tr("Step")
                     : writesSeconds() ? tr("Time")
                                       : tr("Cycles"));
}

void LivenessCurve::paintMarks(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    for (const std::optional<Steps>& shown : {range_, life_}) {
        if (!shown)
            continue;
        QColor veil = theme.panel;
        veil.setAlphaF(0.55F);
        const double from = std::clamp(view().x(axis_.begin(shown->first)), 0.0, area.width());
        const double to = std::clamp(view().x(axis_.end(shown->second)), 0.0, area.width());
        painter.fillRect(QRectF(area.left(), area.top(), from, area.height()), veil);
        painter.fillRect(QRectF(area.left() + to, area.top(), area.width() - to, area.height()), veil);
    }
    if (range_) {
        painter.setPen(QPen(theme.accent, 1.5));
        for (const double edge : {view().x(axis_.begin(range_->first)), view().x(axis_.end(range_->second))})
            if (edge >= 0 && edge <= area.width())
                painter.drawLine(QPointF(area.left() + edge, area.top()),
                                 QPointF(area.left() + edge, area.bottom()));
    }
    struct Mark {
        double x;
        QColor color;
        QString text;
        double row;
    };
    std::vector<Mark> marks;
    const auto line = [&](std::int64_t step, const QColor& color, const QString& text, double row) {
        if (const double x = view().x(axis_.middle(step)); x >= 0 && x <= area.width())
            marks.push_back({x, color, text, row});
    };
    const std::int64_t over = data_->first_over();
    if (over >= 0)
        line(data_->points[static_cast<std::size_t>(over)].step, theme.bad,
             tr("first over: step %1").arg(formatCount(data_->points[static_cast<std::size_t>(over)].step)),
             2 * (painter.fontMetrics().height() + 2.0));
    const std::int64_t peak = data_->peak();
    if (peak >= 0 && data_->points[static_cast<std::size_t>(peak)].step != step_)
        line(data_->points[static_cast<std::size_t>(peak)].step, theme.muted, tr("peak step"), 0);
    if (step_ >= 0)
        line(step_, theme.accent, tr("step %1").arg(formatCount(step_)),
             painter.fontMetrics().height() + 2.0);
    for (const Mark& mark : marks) {
        painter.setPen(QPen(mark.color, 1.5));
        painter.drawLine(QPointF(area.left() + mark.x, area.top()),
                         QPointF(area.left() + mark.x, area.bottom()));
    }
    for (const Mark& mark : marks) { // names stand over all lines, and beside others where they can
        const double width = painter.fontMetrics().horizontalAdvance(mark.text) + 8.0;
        const auto free = [&](double from, double to) {
            return from >= 0 && to <= area.width() &&
                   std::none_of(marks.begin(), marks.end(), [&](const Mark& other) {
                       return &other != &mark && other.x > from && other.x < to;
                   });
        };
        const bool fits = mark.x + 2 + width <= area.width();
        const bool before = !fits || (!free(mark.x, mark.x + 2 + width) && free(mark.x - 2 - width, mark.x));
        const QRectF plate(area.left() + mark.x + (before ? -width - 2 : 2), area.top() + mark.row, width,
                           painter.fontMetrics().height());
        painter.fillRect(plate, theme.panel);
        painter.setPen(QPen(mark.color, 1.5));
        painter.drawText(plate, Qt::AlignCenter, mark.text);
    }
}

void LivenessCurve::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    if (!data_ || data_->points.empty())
        return;
    paintAxis(painter);
    if (difference_)
        paintDifference(painter);
    else {
        paintCurve(painter);
        paintBase(painter);
        paintFullest(painter);
        paintLimit(painter);
        paintTileAxis(painter);
    }
    paintBands(painter);
    paintMarks(painter);
    paintStrip(painter);
    paintFocus(painter);
}

QString LivenessCurve::textAt(const QPoint& at) const {
    const QRectF area = plot();
    if (!data_ || at.x() < area.left() || at.x() > area.right())
        return {};
    const std::int64_t index = pointAt(at);
    const auto at_index = static_cast<std::size_t>(index);
    return index < 0 ? QString() : QStringLiteral("%1: %2").arg(nameOf(at_index), valueOf(at_index));
}

QString LivenessCurve::nameOf(std::size_t index) const {
    return tr("step %1, %2")
        .arg(formatCount(data_->points[index].step), QString::fromStdString(data_->step_names[index]));
}

QString LivenessCurve::valueOf(std::size_t index) const {
    const auto& point = data_->points[index];
    QString text =
        tr("%1 live, of which %2 always").arg(formatBytes(point.total()), formatBytes(point.always));
    if (const auto share = share_of(point.fullest_tile, data_->bytes_per_tile); share && fullest_known_)
        text += data_->tiles == 1 ? tr("; %1 of its memory").arg(formatPercent(*share))
                                  : tr("; %1 on the fullest tile, %2 of its memory")
                                        .arg(formatBytes(point.fullest_tile), formatPercent(*share));
    text += timeOf(index);
    if (difference_) {
        const auto by = difference_->by[index];
        text += by ? tr("; %1 against the base").arg(formatBytesDifference(static_cast<double>(*by)))
                   : tr("; the base has no such step");
    }
    return text;
}

std::int64_t LivenessCurve::pointAt(const QPoint& at) const {
    return axis_.pointAt(axisAt(at));
}

void LivenessCurve::clicked(const QPoint& point) {
    if (!data_ || point.x() < plot().left())
        return;
    if (const std::int64_t index = pointAt(point); index >= 0)
        Q_EMIT stepChosen(data_->points[static_cast<std::size_t>(index)].step);
}

std::pair<std::int64_t, std::int64_t> LivenessCurve::pointsInView() const {
    if (!data_)
        return {0, 0};
    const auto [first, end] = axis_.points(std::floor(view().from()), view().to());
    return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(end)};
}

/// Of a point, among those in view; -1: it is not.
int LivenessCurve::partOfPoint(std::int64_t point) const {
    const auto [first, end] = pointsInView();
    return point < first || point >= end ? -1 : static_cast<int>(point - first);
}

int LivenessCurve::partCount() const {
    const auto [first, end] = pointsInView();
    return static_cast<int>(end - first);
}

PaintedParts::Part LivenessCurve::part(int index) const {
    const auto at = static_cast<std::size_t>(pointsInView().first + index);
    const auto& point = data_->points[at];
    const QRectF area = plot();
    const double left = placeOf(axis_.begin(point.step));
    const QRectF column(left, area.top(), placeOf(axis_.end(point.step)) - left, area.height());
    return {nameOf(at), valueOf(at), column.intersected(area).toAlignedRect(), QAccessible::ListItem,
            point.step == step_};
}

int LivenessCurve::partAt(const QPoint& at) const {
    if (!data_ || !plot().contains(at))
        return -1;
    return partOfPoint(pointAt(at));
}

int LivenessCurve::focusedPart() const {
    return hasFocus() && data_ && step_ >= 0 ? partOfPoint(data_->point_of(step_)) : -1;
}

void LivenessCurve::focusInEvent(QFocusEvent* event) {
    SpanChart::focusInEvent(event);
    tellFocusedPart(*this);
}

void LivenessCurve::chooseFor(const QPoint& menu) {
    const auto step = static_cast<std::int64_t>(std::floor(axis_.stepAt(axisAt(menu))));
    if (!range_ || step < range_->first || step > range_->second)
        clicked(menu);
}

QPoint LivenessCurve::cursorPlace() const {
    const QRectF area = plot();
    const double at = step_ < 0 ? area.center().x() : placeOf(axis_.middle(step_));
    return QPointF(std::clamp(at, area.left(), std::max(area.left(), area.right())), area.center().y())
        .toPoint();
}

bool LivenessCurve::dragged(const QPoint& from, const QPoint& to) {
    if (!data_ || data_->points.empty())
        return false;
    const auto at = [&](int x) {
        return std::clamp(
            static_cast<std::int64_t>(std::floor(axis_.stepAt(view().cycle(x - plot().left())))),
            data_->points.front().step, data_->points.back().step);
    };
    const Steps steps = std::minmax({at(from.x()), at(to.x())});
    if (range_ != std::optional(steps)) {
        setRange(steps);
        Q_EMIT rangeChosen(steps.first, steps.second);
    }
    return true;
}

} // namespace tilescope::ui
