// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/line_chart.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"
#include "ui/widgets/axis_ticks.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/table_text.h"

#include <QChart>
#include <QChartView>
#include <QGraphicsLayout>
#include <QGraphicsLineItem>
#include <QKeyEvent>
#include <QLabel>
#include <QLegend>
#include <QLineSeries>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QScatterSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <QXYSeries>
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace tilescope::ui {
namespace {

constexpr double beside_dots = 0.08; ///< room of an axis, so that none is cut at its end

constexpr double mark_size = 9;
constexpr int least_lines = 8; // of text: labels and title of the axis, a few of the scale

bool has_dots(const Curve& curve) {
    return curve.points.size() <= 12 && !curve.limit;
}

const QString whole_numbers = QStringLiteral("%.0f");

/// Of labels along an axis: thousands and more with all their digits, while they can be counted.
QString formatOf(double largest, QLatin1String small) {
    constexpr double thousand = 1000, most_digits = 1e13;
    return std::abs(largest) >= thousand && std::abs(largest) < most_digits ? whole_numbers : QString(small);
}

/// Thousands are parted, as everywhere.
QLocale figures() {
    return {QLocale::English, QLocale::UnitedStates};
}

/// However many rows its legend has.
int leastHeight(const QWidget& chart, const Legend& legend) {
    return least_lines * chart.fontMetrics().height() + legend.heightForWidth(chart.width());
}

} // namespace

LineChart::LineChart(const QString& x_title, QWidget* parent)
    : QWidget(parent), legend_(new Legend([this](const ChartStyle&) { return entries(); }, this)),
      view_(new QChartView(this)), read_out_(new QLabel(this)), x_title_(x_title) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2, 2, 2, 2); // for the ring of the focus
    layout->setSpacing(0);
    layout->addWidget(legend_, 0, Qt::AlignHCenter);
    layout->addWidget(view_, 1);
    legend_->controls(this);
    connect(legend_, &Legend::hiddenChanged, this, &LineChart::draw);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setFocusPolicy(Qt::NoFocus); // the keys are this widget's
    view_->setRenderHint(QPainter::Antialiasing);
    view_->setBackgroundBrush(Qt::NoBrush);
    view_->setStyleSheet(QStringLiteral("background: transparent"));
    view_->chart()->setBackgroundVisible(false);
    view_->chart()->setMargins({0, 0, 0, 0});
    view_->chart()->layout()->setContentsMargins(0, 0, 0, 0);
    view_->chart()->legend()->hide();
    view_->chart()->setLocale(figures());
    view_->chart()->setLocalizeNumbers(true);
    view_->setAttribute(Qt::WA_TransparentForMouseEvents); // the context menu is this widget's
    read_out_->setObjectName(QStringLiteral("readOut"));
    read_out_->setAttribute(Qt::WA_TransparentForMouseEvents);
    read_out_->setAutoFillBackground(true);
    read_out_->setMargin(4);
    read_out_->hide();
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Curves over %1").arg(x_title));
    setMinimumHeight(leastHeight(*this, *legend_));
    addChartActions(this, tr("Curves"), [this](QChar separator) { return toText(separator); });
}

QString LineChart::toText(QChar separator) const {
    QString lines = tableLine({tr("curve"), x_title_, tr("value")}, separator);
    for (const Curve& curve : curves_)
        for (const QPointF& p : curve.points)
            lines += tableLine({curve.name, QString::number(p.x(), 'g', 9), QString::number(p.y(), 'g', 9)},
                               separator);
    return lines;
}

void LineChart::setCurves(std::vector<Curve> curves, std::optional<std::pair<double, double>> x_range) {
    curves_ = std::move(curves);
    x_range_ = x_range;
    legend_->updateGeometry();
    legend_->update();
    setMinimumHeight(leastHeight(*this, *legend_));
    draw();
}

QPen LineChart::penOf(const Curve& curve) const {
    const Theme& theme = Theme::of(this);
    const QColor full = curve.color.in(theme);
    QPen pen(curve.dashed ? ChartStyle::mixed(theme.panel, full, 0.5) : full, curve.limit ? 1.5 : 2);
    if (curve.dashed)
        pen.setStyle(Qt::DashLine);
    return pen;
}

std::vector<double> LineChart::places() const {
    std::set<double> all;
    for (const Curve& curve : curves_)
        if (!legend_->hidden().contains(curve.name))
            for (const QPointF& point : curve.points)
                all.insert(point.x());
    return {all.begin(), all.end()};
}

QString LineChart::readOut() const {
    if (!cursor_)
        return {};
    constexpr double thousand = 1000;
    QStringList parts{QStringLiteral("%1 %2").arg(x_title_, QLocale::c().toString(*cursor_, 'g', 9))};
    for (const Curve& curve : curves_)
        if (!legend_->hidden().contains(curve.name))
            for (const QPointF& point : curve.points)
                if (point.x() == *cursor_)
                    parts << QStringLiteral("%1 %2").arg(
                        curve.name, std::abs(point.y()) < thousand ? QLocale::c().toString(point.y(), 'g', 4)
                                                                   : formatNumber(point.y()));
    return parts.join(QStringLiteral("  ·  "));
}

void LineChart::setCursor(std::optional<double> x) {
    const std::vector<double> all = places();
    if (x && !all.empty())
        cursor_ = *std::min_element(all.begin(), all.end(), [x](double a, double b) {
            return std::fabs(a - *x) < std::fabs(b - *x);
        });
    else
        cursor_.reset();
    showCursor();
}

/// A line at its place, and what stands there in a corner that it leaves free.
void LineChart::showCursor() {
    QChart* chart = view_->chart();
    const bool shown = cursor_ && !chart->series().isEmpty();
    read_out_->setVisible(shown);
    if (line_ != nullptr)
        line_->setVisible(shown);
    setAccessibleDescription(readOut());
    if (!shown)
        return;
    if (line_ == nullptr)
        line_ = new QGraphicsLineItem(chart);
    const QRectF area = chart->plotArea();
    const double x = chart->mapToPosition(QPointF(*cursor_, 0), chart->series().front()).x();
    line_->setPen(QPen(Theme::of(this).text, 1, Qt::DotLine));
    line_->setLine(x, area.top(), x, area.bottom());
    read_out_->setText(readOut());
    read_out_->adjustSize();
    const QPointF corner = view_->geometry().topLeft() + area.topLeft();
    const bool left = x > area.center().x();
    read_out_->move(left ? static_cast<int>(corner.x()) + 4
                         : std::max(0, static_cast<int>(corner.x() + area.width()) - read_out_->width() - 4),
                    static_cast<int>(corner.y()) + 2);
}

void LineChart::mouseMoveEvent(QMouseEvent* event) {
    QChart* chart = view_->chart();
    const QPointF in_chart = chart->mapFromScene(view_->mapToScene(view_->mapFrom(this, event->pos())));
    if (chart->series().isEmpty() || !chart->plotArea().adjusted(-8, 0, 8, 0).contains(in_chart))
        return setCursor({});
    setCursor(chart->mapToValue(in_chart, chart->series().front()).x());
}

void LineChart::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    if (!hasFocus())
        setCursor({});
}

void LineChart::keyPressEvent(QKeyEvent* event) {
    const std::vector<double> all = places();
    if (all.empty())
        return QWidget::keyPressEvent(event);
    const auto now = cursor_ ? std::lower_bound(all.begin(), all.end(), *cursor_) : all.end();
    switch (event->key()) {
    case Qt::Key_Left:
        return setCursor(now == all.begin() ? all.front() : *(now - 1));
    case Qt::Key_Right:
        return setCursor(now == all.end() ? all.front() : now + 1 == all.end() ? all.back() : *(now + 1));
    case Qt::Key_Home:
        return setCursor(all.front());
    case Qt::Key_End:
        return setCursor(all.back());
    case Qt::Key_Escape:
        if (cursor_)
            return setCursor({});
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void LineChart::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void LineChart::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    setCursor({});
    update();
}

void LineChart::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    if (!hasFocus())
        return;
    QPainter painter(this);
    painter.setPen(QPen(Theme::of(this).accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

std::vector<Legend::Entry> LineChart::entries() const {
    std::vector<Legend::Entry> all;
    for (const Curve& curve : curves_)
        all.push_back({curve.name,
                       {},
                       [pen = penOf(curve), marks = curve.marks](QPainter& painter, const QRectF& box) {
                           painter.save();
                           painter.setRenderHint(QPainter::Antialiasing); // else a circle is a square
                           painter.setPen(pen);
                           if (marks)
                               painter.drawEllipse(box.center(), mark_size / 2, mark_size / 2);
                           else
                               painter.drawLine(QPointF(box.left(), box.center().y()),
                                                QPointF(box.right(), box.center().y()));
                           painter.restore();
                       },
                       curve.name});
    return all;
}

/// Along the vertical axis: Qt Charts writes dots in the place of labels that stand too close together.
int LineChart::ticksThatFit() const {
    constexpr double apart = 1.7; // heights of a label
    constexpr int below = 3;      // lines: labels and title of the other axis
    const int line = fontMetrics().height();
    return std::clamp(static_cast<int>((view_->height() - below * line) / (apart * line)), 2, 5);
}

/// The same along the other axis, whose longest label is of the last point.
int LineChart::ticksAcross() const {
    constexpr int apart = 3; // letters
    const int label = static_cast<int>(figures().toString(last_, 'f', 0).size()) + apart;
    return std::clamp(view_->width() / (label * fontMetrics().averageCharWidth()), 2, 9);
}

void LineChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setMinimumHeight(leastHeight(*this, *legend_));
    layout()->activate();
    if (ticksThatFit() != ticks_ || ticksAcross() != across_)
        draw();
}

void LineChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        setMinimumHeight(leastHeight(*this, *legend_));
    if (event->type() == QEvent::PaletteChange)
        draw();
}

void LineChart::draw() {
    const Theme& theme = Theme::of(this);
    QChart* chart = view_->chart();
    chart->removeAllSeries();
    for (QAbstractAxis* axis : chart->axes()) {
        chart->removeAxis(axis);
        delete axis;
    }
    double x0 = 1e300;
    double x1 = -1e300;
    double y0 = 1e300;
    double y1 = -1e300;
    for (const Curve& curve : curves_)
        for (const QPointF& p : curve.points) {
            x0 = std::min(x0, p.x());
            x1 = std::max(x1, p.x());
            y0 = std::min(y0, p.y());
            y1 = std::max(y1, p.y());
        }
    if (x0 > x1)
        return;
    if (x_range_)
        std::tie(x0, x1) = *x_range_;
    auto* x = new QValueAxis;
    auto* y = new QValueAxis;
    const double first = x0;
    if (x0 == x1) {
        x0 -= 0.5;
        x1 += 0.5;
    }
    x->setRange(x0, x1);
    x->setTitleText(x_title_);
    const bool dots = std::any_of(curves_.begin(), curves_.end(), has_dots);
    const double bottom = std::min(0.0, y0);
    y->setRange(bottom, y1 > bottom ? y1 : bottom + 1);
    y->setTickCount(ticks_ = ticksThatFit());
    y->applyNiceNumbers();
    if (dots) {
        const double height = y->max() - y->min();
        y->setTickType(QValueAxis::TicksDynamic);
        y->setTickAnchor(y->min());
        y->setTickInterval(height / (y->tickCount() - 1));
        y->setMax(y->max() + beside_dots * height);
    }
    last_ = x1;
    across_ = ticksAcross();
    const double span = x1 - x0;
    const bool whole = span >= 1 && first == std::floor(first);
    x->setLabelFormat(whole ? whole_numbers : formatOf(x1, QLatin1String("%.2g")));
    if (whole) {
        x->setTickType(QValueAxis::TicksDynamic);
        const double step = std::max(1.0, tick_step(span, across_));
        x->setTickAnchor(step > 1 ? 0 : first);
        x->setTickInterval(step);
        if (dots)
            x->setRange(x0 - beside_dots * span, x1 + beside_dots * span);
    }
    y->setLabelFormat(formatOf(y->max(), QLatin1String("%.3g")));
    for (QValueAxis* axis : {x, y}) {
        axis->setLabelsColor(theme.muted);
        axis->setTitleBrush(theme.muted);
        axis->setGridLineColor(theme.grid);
        axis->setLinePenColor(theme.border);
        QFont plain = font();
        plain.setPointSizeF(font().pointSizeF() - 1);
        axis->setLabelsFont(plain);
        axis->setTitleFont(plain);
    }
    chart->addAxis(x, Qt::AlignBottom);
    chart->addAxis(y, Qt::AlignLeft);
    std::vector<Curve> behind_first = curves_; // those of a base
    std::stable_partition(behind_first.begin(), behind_first.end(), [](const Curve& c) { return c.dashed; });
    for (const Curve& curve : behind_first) {
        if (legend_->hidden().contains(curve.name))
            continue;
        QXYSeries* series = nullptr;
        if (curve.marks) {
            auto* rings = new QScatterSeries;
            rings->setMarkerSize(mark_size);
            rings->setColor(theme.panel);
            rings->setBorderColor(penOf(curve).color());
            series = rings;
        } else {
            series = new QLineSeries;
            series->setPen(penOf(curve));
            series->setPointsVisible(has_dots(curve));
        }
        series->setName(curve.name);
        series->replace(curve.points);
        chart->addSeries(series);
        series->attachAxis(x);
        series->attachAxis(y);
    }
    if (cursor_)
        setCursor(cursor_);
}

} // namespace tilescope::ui
