// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/scatter_plot.h"

#include "ui/session/format.h"
#include "ui/widgets/axis_ticks.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double reach = 12; ///< pixels from a point at which the pointer is on it
constexpr int top_margin = 12, right_margin = 18;

/// The least round time, in milliseconds, that parts a span into at most so many.
double timeStep(double span, int most) {
    constexpr double second = 1e3, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
    for (const double step : {second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour,
                              3 * hour, 6 * hour, day, 7 * day})
        if (span / step <= most)
            return step;
    return tick_step(span / day, most) * day;
}

} // namespace

ScatterPlot::ScatterPlot(const QString& name, QString item, QWidget* parent)
    : QWidget(parent), item_(std::move(item)) {
    makeChart(this, name, {0, 160}, [this](QChar separator) { return toText(separator); });
    tellKeys(this, name,
             {{tr("Left, Right"), tr("to the point beside")},
              {tr("+, -"), tr("nearer, farther")},
              {tr("F"), tr("frames what is chosen")},
              {tr("0"), tr("all points")},
              {tr("Return"), tr("opens the chosen point")}});
}

void ScatterPlot::setNothing(const QString& text) {
    nothing_ = text;
    update();
}

void ScatterPlot::setCurves(std::vector<ScatterCurve> curves) {
    curves_ = std::move(curves);
    update();
}

void ScatterPlot::setAxes(ScatterAxis x, ScatterAxis y) {
    if (x.title != x_axis_.title || y.title != y_axis_.title)
        view_ = {0, 0, 1, 1};
    x_axis_ = std::move(x);
    y_axis_ = std::move(y);
    update();
}

void ScatterPlot::setPoints(std::vector<ScatterPoint> points,
                            const std::vector<std::vector<std::int64_t>>& lines) {
    points_ = std::move(points);
    std::stable_sort(points_.begin(), points_.end(), [](const ScatterPoint& a, const ScatterPoint& b) {
        return std::tie(a.aside, a.x) < std::tie(b.aside, b.x);
    });
    hovered_ = nullptr;
    std::map<std::int64_t, const ScatterPoint*> by_key;
    for (const ScatterPoint& point : points_)
        by_key[point.key] = &point;
    lines_.clear();
    for (const auto& line : lines) {
        auto& joined = lines_.emplace_back();
        for (const std::int64_t key : line)
            if (const auto found = by_key.find(key); found != by_key.end())
                joined.push_back(found->second);
    }
    std::vector<double> xs, ys;
    for (const ScatterPoint& point : points_) {
        if (point.aside == ScatterPoint::Aside::No)
            xs.push_back(point.x);
        if (point.aside != ScatterPoint::Aside::Left)
            ys.push_back(point.y);
    }
    for (const ScatterCurve& curve : curves_)
        for (const QPointF& point : curve.points) {
            xs.push_back(point.x());
            ys.push_back(point.y());
        }
    all_x_ = scaleOf(std::move(xs), x_axis_);
    all_y_ = scaleOf(std::move(ys), y_axis_);
    showPart(view_);
    setAccessibleDescription(formatCounted(points_.size(), tr("point"), tr("points")));
    update();
}

void ScatterPlot::setChosen(std::set<std::int64_t> keys) {
    chosen_ = std::move(keys);
    update();
}

QString ScatterPlot::toText(QChar separator) const {
    QString text = tableLine({item_, x_axis_.title, y_axis_.title}, separator);
    for (const ScatterPoint& point : points_)
        text += tableLine({point.tip.section(QLatin1Char('\n'), 0, 0),
                           point.aside == ScatterPoint::Aside::No ? QString::number(point.x) : QString(),
                           point.aside == ScatterPoint::Aside::Left ? QString() : QString::number(point.y)},
                          separator);
    return text;
}

ScatterPlot::Scale ScatterPlot::scaleOf(std::vector<double> values, const ScatterAxis& axis) const {
    constexpr double far_apart = 50;
    const bool date = axis.kind == ScatterAxis::Kind::Date;
    if (points_.empty() || values.empty())
        return {};
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    const double least = *lowest, most = *highest;
    if (!date && least > 0 && (axis.kind == ScatterAxis::Kind::Decades || most / least > far_apart))
        return {least / 1.3, most * 1.3, true, axis.kind};
    const double alone = date ? 3600e3 : std::max(std::fabs(most) * 0.1, 1e-9); // where all are at one place
    const double room = most > least ? (most - least) * 0.08 : alone;
    return {!date && least >= 0 ? std::max(0.0, least - room) : least - room, most + room, false, axis.kind};
}

double ScatterPlot::Scale::share(double value) const {
    return logarithmic ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
}

double ScatterPlot::Scale::value(double share) const {
    return logarithmic ? from * std::pow(to / from, share) : from + share * (to - from);
}

bool ScatterPlot::Scale::evenly() const {
    constexpr double few_decades = 20; // of which a part has hardly two powers of ten
    return !logarithmic || to / from < few_decades;
}

void ScatterPlot::showPart(QRectF part) {
    constexpr double least = 1e-4;
    const double wide = std::clamp(part.width(), least, 1.0);
    const double high = std::clamp(part.height(), least, 1.0);
    view_ = {std::clamp(part.left(), 0.0, 1 - wide), std::clamp(part.top(), 0.0, 1 - high), wide, high};
    const auto cut = [](Scale scale, double from, double to) {
        const Scale all = scale;
        scale.from = all.value(from);
        scale.to = all.value(to);
        return scale;
    };
    x_ = zoomed() ? cut(all_x_, view_.left(), view_.right()) : all_x_;
    y_ = zoomed() ? cut(all_y_, view_.top(), view_.bottom()) : all_y_;
    hovered_ = nullptr;
    update();
}

/// `about`: pixels, which keep their place.
QVariantList ScatterPlot::zoom() const {
    return zoomed() ? QVariantList{view_.left(), view_.top(), view_.width(), view_.height()} : QVariantList();
}

void ScatterPlot::setZoom(const QVariantList& zoom) {
    showPart(zoom.size() == 4
                 ? QRectF(zoom[0].toDouble(), zoom[1].toDouble(), zoom[2].toDouble(), zoom[3].toDouble())
                 : QRectF(0, 0, 1, 1));
}

void ScatterPlot::zoom(double factor, const QPointF& about) {
    if (points_.empty() || area_.isEmpty())
        return;
    const double across = std::clamp((about.x() - area_.left()) / area_.width(), 0.0, 1.0);
    const double up = std::clamp((area_.bottom() - about.y()) / area_.height(), 0.0, 1.0);
    const double wide = std::min(1.0, view_.width() * factor), high = std::min(1.0, view_.height() * factor);
    showPart({view_.left() + across * (view_.width() - wide), view_.top() + up * (view_.height() - high),
              wide, high});
}

/// The chosen point, where one is in view.
QPointF ScatterPlot::zoomCentre() const {
    for (const ScatterPoint& point : points_)
        if (chosen_.size() == 1 && chosen_.contains(point.key) && inView(point))
            return place(point);
    return area_.center();
}

/// With some room around; of one point, or none, as near as twenty times.
void ScatterPlot::frameChosen() {
    std::optional<QRectF> around;
    for (const ScatterPoint& point : points_)
        if (chosen_.contains(point.key)) {
            const QRectF one(shareOf(point), QSizeF(0, 0));
            around = around ? QRectF(QPointF(std::min(around->left(), one.left()),
                                             std::min(around->top(), one.top())),
                                     QPointF(std::max(around->right(), one.left()),
                                             std::max(around->bottom(), one.top())))
                            : one;
        }
    if (!around)
        return showPart({0, 0, 1, 1});
    constexpr double least = 0.05;
    const double wide = std::max(least, around->width() * 1.3),
                 high = std::max(least, around->height() * 1.3);
    showPart({around->center().x() - wide / 2, around->center().y() - high / 2, wide, high});
}

std::vector<double> ScatterPlot::Scale::ticks(int most) const {
    std::vector<double> ticks;
    if (!evenly()) { // bytes are counted in powers of two
        const double base = kind == ScatterAxis::Kind::Bytes ? 2 : 10;
        const auto power_of = [base](double value) { return std::log(value) / std::log(base); };
        const double step = std::max(1.0, std::ceil(tick_step(power_of(to) - power_of(from), most)));
        for (double power = std::ceil(power_of(from) / step) * step; std::pow(base, power) <= to;
             power += step)
            ticks.push_back(std::pow(base, power));
        return ticks;
    }
    constexpr double kib = 1024;
    const double step = kind == ScatterAxis::Kind::Date ? timeStep(to - from, most)
                        : kind == ScatterAxis::Kind::Bytes && to - from > kib
                            ? tick_step((to - from) / kib, most) * kib
                            : tick_step(to - from, most);
    for (double i = std::ceil(from / step); i * step <= to; ++i)
        ticks.push_back(i * step);
    return ticks;
}

int ScatterPlot::most(Qt::Orientation along) const {
    constexpr int tick_width = 110, tick_height = 44;
    return std::max(2, along == Qt::Horizontal ? width() / tick_width : height() / tick_height);
}

std::vector<ScatterPlot::Tick> ScatterPlot::ticks(Qt::Orientation along) const {
    const Scale& scale = along == Qt::Horizontal ? x_ : y_;
    const ScatterAxis& axis = along == Qt::Horizontal ? x_axis_ : y_axis_;
    const std::vector<double> values = scale.ticks(most(along));
    const double apart = !scale.evenly() || values.size() < 2 ? 0 : values[1] - values[0];
    std::vector<Tick> ticks;
    ticks.reserve(values.size());
    for (const double value : values)
        ticks.push_back({value, axis.text ? axis.text(value, apart) : QString()});
    return ticks;
}

QRectF ScatterPlot::plot() const {
    int widest = 0; // of what stands at the axis
    for (const auto& [value, name] : ticks(Qt::Vertical))
        widest = std::max(widest, fontMetrics().horizontalAdvance(name));
    const int line = fontMetrics().height(); // below it stand the numbers and the title
    using Aside = ScatterPoint::Aside;
    const double left = has(Aside::Left) ? stripWidth(left_name_) + beside_strip : 0;
    const double right = has(Aside::Right) ? stripWidth(right_name_) + beside_strip : 0;
    return QRectF(rect()).adjusted(widest + line + 18 + left, top_margin, -right_margin - right,
                                   -2 * line - 8);
}

void ScatterPlot::setStrips(const QString& left, const QString& right) {
    left_name_ = left;
    right_name_ = right;
    update();
}

bool ScatterPlot::has(ScatterPoint::Aside strip) const { // they are in the order of the strips
    return !points_.empty() &&
           (strip == ScatterPoint::Aside::Left ? points_.front() : points_.back()).aside == strip;
}

double ScatterPlot::stripWidth(const QString& name) const {
    constexpr int least = 56;
    return std::max(least, fontMetrics().horizontalAdvance(name) + 6);
}

QRectF ScatterPlot::strip(ScatterPoint::Aside which) const {
    if (!has(which))
        return {};
    if (which == ScatterPoint::Aside::Left) {
        const double width = stripWidth(left_name_);
        return {area_.left() - beside_strip - width, area_.top(), width, area_.height()};
    }
    return {area_.right() + beside_strip, area_.top(), stripWidth(right_name_), area_.height()};
}

QPointF ScatterPlot::shareOf(const ScatterPoint& point) const {
    using Aside = ScatterPoint::Aside;
    return {point.aside == Aside::No ? all_x_.share(point.x) : view_.center().x(),
            point.aside == Aside::Left ? view_.center().y() : all_y_.share(point.y)};
}

QPointF ScatterPlot::place(const ScatterPoint& point) const {
    using Aside = ScatterPoint::Aside;
    const QRectF aside =
        strip(point.aside).adjusted(point.radius, point.radius, -point.radius, -point.radius);
    if (point.aside == Aside::Left)
        return {aside.left() + point.x * aside.width(), aside.bottom() - point.y * aside.height()};
    return {point.aside == Aside::Right ? aside.center().x() : place(point.x, point.y).x(),
            place(point.x, point.y).y()};
}

QPointF ScatterPlot::place(double x, double y) const {
    return {area_.left() + x_.share(x) * area_.width(), area_.bottom() - y_.share(y) * area_.height()};
}

const ScatterPoint* ScatterPlot::at(const QPointF& position) const {
    const ScatterPoint* nearest = nullptr;
    double least = reach;
    for (const ScatterPoint& point : points_)
        if (const double distance = QLineF(place(point), position).length();
            distance < least && inView(point)) {
            least = distance;
            nearest = &point;
        }
    return nearest;
}

void ScatterPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.panel);
    if (points_.empty()) {
        painter.setPen(theme.muted);
        return painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, nothing_);
    }
    area_ = plot();
    paintAxes(painter);
    if (zoomed()) {
        painter.setPen(theme.muted);
        painter.drawText(QRectF(area_.left(), 0, area_.width(), fontMetrics().height()), Qt::AlignRight,
                         tr("a part; 0 shows all"));
        painter.setClipRect(area_);
    }
    paintCurves(painter);
    painter.setClipping(false);
    paintRoofs(painter);
    paintPoints(painter);
    paintNames(painter);
    if (pressed_ && QLineF(*pressed_, dragged_).length() > reach) {
        QColor fill = theme.accent;
        fill.setAlphaF(0.15F);
        painter.setPen(theme.accent);
        painter.setBrush(fill);
        painter.drawRect(QRectF(*pressed_, dragged_).normalized());
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -2, -2));
    }
}

void ScatterPlot::choose(std::set<std::int64_t> keys) {
    setChosen(std::move(keys));
    Q_EMIT chosen(chosen_);
}

QString ScatterPlot::chosenName() const {
    for (const ScatterPoint& point : points_)
        if (chosen_.size() == 1 && chosen_.contains(point.key))
            return point.tip.section(QLatin1Char('\n'), 0, 0);
    return {};
}

void ScatterPlot::chooseFor(const QPoint& menu) {
    const ScatterPoint* point = at(menu);
    if (point == nullptr || chosen_.contains(point->key))
        return;
    marked_.clear();
    choose({cursor_ = point->key});
}

QPoint ScatterPlot::cursorPlace() const {
    for (const ScatterPoint& point : points_)
        if (chosen_.contains(point.key) && inView(point))
            return place(point).toPoint();
    return rect().center();
}

void ScatterPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        pressed_ = dragged_ = event->position();
    else if (event->button() == Qt::MiddleButton)
        panned_ = event->position();
}

void ScatterPlot::mouseMoveEvent(QMouseEvent* event) {
    dragged_ = event->position();
    if (panned_ && !area_.isEmpty()) {
        const QPointF by = event->position() - *panned_;
        panned_ = event->position();
        showPart(view_.translated(-by.x() / area_.width() * view_.width(),
                                  by.y() / area_.height() * view_.height()));
    } else if (!pressed_) {
        hovered_ = at(event->position());
        QToolTip::showText(event->globalPosition().toPoint(), hovered_ == nullptr ? QString() : hovered_->tip,
                           this);
    }
    update();
}

void ScatterPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::MiddleButton)
        panned_.reset();
    if (event->button() != Qt::LeftButton || !pressed_)
        return;
    const QRectF brush = QRectF(*pressed_, event->position()).normalized();
    const bool dragged = QLineF(*pressed_, event->position()).length() > reach;
    pressed_.reset();
    std::set<std::int64_t> keys;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        keys = chosen_;
    if (dragged) {
        for (const ScatterPoint& point : points_)
            if (inView(point) && brush.contains(place(point)))
                keys.insert(point.key);
    } else if (const ScatterPoint* point = at(event->position());
               point != nullptr && !keys.insert(point->key).second)
        keys.erase(point->key);
    marked_.clear();
    cursor_ = -1;
    choose(std::move(keys));
}

void ScatterPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const ScatterPoint* point = at(event->position()))
        Q_EMIT activated(point->key);
    else
        showPart({0, 0, 1, 1});
}

void ScatterPlot::wheelEvent(QWheelEvent* event) {
    constexpr double one_notch = 120;
    zoom(std::pow(0.8, event->angleDelta().y() / one_notch), event->position());
    event->accept();
}

void ScatterPlot::leaveEvent(QEvent*) {
    hovered_ = nullptr;
    update();
}

void ScatterPlot::move(int by) {
    if (points_.empty())
        return;
    const bool here = chosen_.contains(cursor_);
    const auto now = std::find_if(points_.begin(), points_.end(), [&](const ScatterPoint& p) {
        return here ? p.key == cursor_ : chosen_.contains(p.key);
    });
    const auto last = static_cast<std::ptrdiff_t>(points_.size()) - 1;
    const std::ptrdiff_t to = now == points_.end()
                                  ? (by > 0 ? 0 : last)
                                  : std::clamp<std::ptrdiff_t>(now - points_.begin() + by, 0, last);
    const ScatterPoint& point = points_[static_cast<std::size_t>(to)];
    std::set<std::int64_t> keys = marked_;
    keys.insert(cursor_ = point.key);
    choose(std::move(keys));
    tellFocusedPart(*this);
    if (!inView(point))
        showPart(view_.translated(shareOf(point) - view_.center()));
}

/// The point that arrows have come to, or the one that is chosen; again: no more.
void ScatterPlot::mark() {
    if (!chosen_.contains(cursor_) && chosen_.size() == 1)
        cursor_ = *chosen_.begin();
    if (chosen_.contains(cursor_) && !marked_.insert(cursor_).second)
        marked_.erase(cursor_);
    update();
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Left)
        return move(event->key() == Qt::Key_Right ? 1 : -1);
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Minus)
        return zoom(event->key() == Qt::Key_Plus ? 0.8 : 1.25, zoomCentre());
    if (event->key() == Qt::Key_0)
        return showPart({0, 0, 1, 1});
    if (event->key() == Qt::Key_F)
        return frameChosen();
    if (event->key() == Qt::Key_Space)
        return mark();
    if (enter && chosen_.contains(cursor_))
        Q_EMIT activated(cursor_);
    else if (enter && chosen_.size() == 1)
        Q_EMIT activated(*chosen_.begin());
    else
        QWidget::keyPressEvent(event);
}

void ScatterPlot::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    tellFocusedPart(*this);
    update();
}

void ScatterPlot::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

} // namespace tilescope::ui
