// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/system_canvas.h"

#include "analyse/phases.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_keys.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double smallest_zoom = 0.4;
constexpr double largest_zoom = 2.5;
constexpr double legible = 0.75;
constexpr double arrow_slack = 4; // pixels beside an arrow that still count as it

} // namespace

SystemCanvas::SystemCanvas(QWidget* parent) : QAbstractScrollArea(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("IPUs and the links between them"));
    setMinimumHeight(fontMetrics().height() * 8);
    tellKeys(this, tr("System"),
             {{tr("Arrows"), tr("to the IPU beside, above or below")},
              {tr("Home, End"), tr("to the first, to the last IPU")}});
    addChartActions(this, tr("System"), [this](QChar separator) { return toText(separator); });
}

QString SystemCanvas::toText(QChar separator) const {
    QString words =
        tableLine({QStringLiteral("kind"), QStringLiteral("from_ipu"), QStringLiteral("to_ipu"),
                   QStringLiteral("exchanges"), QStringLiteral("bytes"), QStringLiteral("cycles")},
                  separator);
    for (const profile::LinkTrafficRecord& link : map_.traffic.links) {
        const analyse::LinkFigures figures = map_.traffic.of(link);
        words += tableLine({linkKindName(link.kind), QString::number(link.ipu), QString::number(link.peer),
                            QString::number(figures.exchanges), QString::number(figures.bytes),
                            QString::number(figures.cycles)},
                           separator);
    }
    return words;
}

SystemMetrics SystemCanvas::metrics() const {
    const QFontMetricsF m(font());
    return {m.height(), m.horizontalAdvance(QLatin1Char('0'))};
}

void SystemCanvas::setMap(const SystemMap& map) {
    map_ = map;
    marks_.arrow = marks_.hovered_arrow = marks_.hovered_box = SystemLayout::none;
    if (fitted_)
        fit();
    else
        arrange();
}

void SystemCanvas::setCompact(bool compact) {
    compact_ = compact;
    if (fitted_)
        fit();
    else
        arrange();
}

void SystemCanvas::arrange() {
    layout_ = SystemLayout::make(map_, viewport()->width() / zoom_, compact_, metrics());
    label_anew_ = true;
    const QSize all = (layout_.size * zoom_).toSize();
    horizontalScrollBar()->setRange(0, std::max(0, all.width() - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    verticalScrollBar()->setRange(0, std::max(0, all.height() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(fontMetrics().height() * 2);
    setCurrentIpu(current_ipu_);
}

void SystemCanvas::fit() {
    fitted_ = true;
    for (zoom_ = 1; zoom_ > legible; zoom_ -= 0.05) {
        const QSizeF size =
            SystemLayout::make(map_, viewport()->width() / zoom_, compact_, metrics()).size * zoom_;
        if (size.height() <= viewport()->height() && size.width() <= viewport()->width())
            break;
    }
    arrange();
}

QVariantList SystemCanvas::shownZoom() const {
    return fitted_ ? QVariantList() : QVariantList{zoom_};
}

void SystemCanvas::setShownZoom(const QVariantList& zoom) {
    zoom.size() == 1 ? setZoom(zoom[0].toDouble()) : fit();
}

void SystemCanvas::setZoom(double zoom) {
    fitted_ = false;
    zoom_ = std::clamp(zoom, smallest_zoom, largest_zoom);
    arrange();
    if (marks_.box != SystemLayout::none)
        reveal(marks_.box);
}

void SystemCanvas::zoomBy(double factor) {
    setZoom(zoom_ * factor);
}

void SystemCanvas::setCurrentIpu(std::int64_t id) {
    current_ipu_ = id;
    marks_.box = SystemLayout::none;
    for (std::size_t b = 0; b < layout_.boxes.size(); ++b)
        if (map_.ipus[layout_.boxes[b].ipu].record.id == id)
            marks_.box = b;
    viewport()->update();
    tellFocusedPart(*this);
}

void SystemCanvas::setCurrentLink(std::int64_t link) {
    marks_.arrow = link >= 0 && link < static_cast<std::int64_t>(layout_.arrows.size())
                       ? static_cast<std::size_t>(link)
                       : SystemLayout::none;
    viewport()->update();
}

QPointF SystemCanvas::toWidget(const QPointF& at) const {
    return at * zoom_ - QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value());
}
QRectF SystemCanvas::toWidget(const QRectF& rect) const {
    return {toWidget(rect.topLeft()), rect.size() * zoom_};
}
QPointF SystemCanvas::toLayout(const QPointF& at) const {
    return (at + QPointF(horizontalScrollBar()->value(), verticalScrollBar()->value())) / zoom_;
}

void SystemCanvas::reveal(std::size_t box) {
    const QRectF seen = toWidget(layout_.boxes[box].rect).adjusted(-8, -8, 8, 8);
    const auto shift = [](QScrollBar* scroll, double low, double high, int room) {
        if (low < 0)
            scroll->setValue(scroll->value() + static_cast<int>(std::floor(low)));
        else if (high > room)
            scroll->setValue(scroll->value() + static_cast<int>(std::ceil(high - room)));
    };
    shift(horizontalScrollBar(), seen.left(), seen.right(), viewport()->width());
    shift(verticalScrollBar(), seen.top(), seen.bottom(), viewport()->height());
}

void SystemCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const Theme& theme = Theme::of(this);
    painter.fillRect(viewport()->rect(), theme.window);
    painter.setFont(font());
    painter.translate(-horizontalScrollBar()->value(), -verticalScrollBar()->value());
    painter.scale(zoom_, zoom_);
    SystemMarks marks = marks_;
    marks.focused = hasFocus();
    const ChartStyle style(this);
    SystemPainter system(painter, map_, layout_, theme, style);
    if (std::exchange(label_anew_, false) || labels_hide_ != style.hidden) {
        labels_ = system.labels();
        labels_hide_ = style.hidden;
    }
    system.paint(marks, QRectF(toLayout({0, 0}), QSizeF(viewport()->size()) / zoom_), labels_);
}

void SystemCanvas::resizeEvent(QResizeEvent*) {
    if (fitted_)
        fit();
    else
        arrange();
}

void SystemCanvas::wheelEvent(QWheelEvent* event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier))
        return QAbstractScrollArea::wheelEvent(event);
    constexpr double notch = 120;
    setZoom(zoom_ * std::pow(1.15, event->angleDelta().y() / notch));
    event->accept();
}

void SystemCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    pressed_ = event->pos();
    pressed_scroll_ = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
    moved_ = false;
    dragging_ = true;
}

void SystemCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!dragging_)
        return hover(event->position(), event->globalPosition().toPoint());
    const QPoint by = event->pos() - pressed_;
    moved_ = moved_ || by.manhattanLength() >= QApplication::startDragDistance();
    if (!moved_)
        return;
    horizontalScrollBar()->setValue(pressed_scroll_.x() - by.x());
    verticalScrollBar()->setValue(pressed_scroll_.y() - by.y());
}

void SystemCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = dragging_ && !moved_ && event->button() == Qt::LeftButton;
    dragging_ = false;
    if (!click)
        return;
    const QPointF at = toLayout(event->position());
    const std::size_t box = layout_.boxAt(at);
    const std::size_t arrow = layout_.arrowAt(at, arrow_slack / zoom_);
    if (box != SystemLayout::none)
        Q_EMIT ipuChosen(map_.ipus[layout_.boxes[box].ipu].record.id);
    else
        Q_EMIT linkChosen(arrow == SystemLayout::none ? -1 : static_cast<qint64>(layout_.arrows[arrow].link));
}

void SystemCanvas::chooseFor(const QPoint& menu) {
    const QPointF at = toLayout(menu);
    const std::size_t box = layout_.boxAt(at);
    const std::size_t arrow = layout_.arrowAt(at, arrow_slack / zoom_);
    if (box != SystemLayout::none)
        Q_EMIT ipuChosen(map_.ipus[layout_.boxes[box].ipu].record.id);
    else if (arrow != SystemLayout::none)
        Q_EMIT linkChosen(static_cast<qint64>(layout_.arrows[arrow].link));
}

QPoint SystemCanvas::cursorPlace() const {
    return marks_.box == SystemLayout::none ? viewport()->rect().center()
                                            : toWidget(layout_.boxes[marks_.box].rect.center()).toPoint();
}

int SystemCanvas::partCount() const {
    return static_cast<int>(layout_.boxes.size() + layout_.arrows.size());
}

PaintedParts::Part SystemCanvas::part(int index) const {
    const auto at = static_cast<std::size_t>(index);
    const QPoint corner = viewport()->pos();
    if (at < layout_.boxes.size()) {
        const MappedIpu& ipu = map_.ipus[layout_.boxes[at].ipu];
        const auto computes = analyse::phase_share(ipu.phases, &profile::PhaseCycles::compute);
        QStringList figures;
        if (ipu.fullest_tile >= 0)
            figures << tr("fullest tile %1").arg(formatBytes(ipu.fullest_bytes));
        if (computes)
            figures << (map_.planned ? tr("computing %1 as planned") : tr("computing %1"))
                           .arg(formatPercent(*computes));
        return {tr("IPU %1: %2").arg(ipu.record.id).arg(shardName(map_, ipu)),
                figures.join(QStringLiteral(", ")),
                toWidget(layout_.boxes[at].rect).toAlignedRect().translated(corner), QAccessible::TreeItem,
                at == marks_.box};
    }
    const std::size_t arrow = at - layout_.boxes.size();
    const LinkArrow& drawn = layout_.arrows[arrow];
    const profile::LinkTrafficRecord& link = map_.traffic.links[drawn.link];
    return {tr("IPU %1 to IPU %2").arg(link.ipu).arg(link.peer),
            tr("%1, %2").arg(linkKindName(link.kind), formatBytes(map_.traffic.of(link).bytes)),
            toWidget(drawn.path.boundingRect()).toAlignedRect().translated(corner), QAccessible::ListItem,
            arrow == marks_.arrow};
}

int SystemCanvas::partAt(const QPoint& at) const {
    const QPointF in_layout = toLayout(at - viewport()->pos());
    const std::size_t box = layout_.boxAt(in_layout);
    const std::size_t arrow = layout_.arrowAt(in_layout, arrow_slack / zoom_);
    return box != SystemLayout::none     ? static_cast<int>(box)
           : arrow != SystemLayout::none ? static_cast<int>(layout_.boxes.size() + arrow)
                                         : -1;
}

int SystemCanvas::focusedPart() const {
    return hasFocus() && marks_.box != SystemLayout::none ? static_cast<int>(marks_.box) : -1;
}

void SystemCanvas::hover(const QPointF& widget, const QPoint& global) {
    const QPointF at = toLayout(widget);
    const std::size_t box = layout_.boxAt(at);
    const std::size_t arrow =
        box != SystemLayout::none ? SystemLayout::none : layout_.arrowAt(at, arrow_slack / zoom_);
    if (box == marks_.hovered_box && arrow == marks_.hovered_arrow)
        return;
    marks_.hovered_box = box;
    marks_.hovered_arrow = arrow;
    viewport()->update();
    if (box != SystemLayout::none) {
        const MappedIpu& ipu = map_.ipus[layout_.boxes[box].ipu];
        QToolTip::showText(global + QPoint(12, 12), ipuText(map_, ipu), viewport());
        Q_EMIT hovered(tr("IPU %1: %2").arg(ipu.record.id).arg(shardName(map_, ipu)));
    } else if (arrow != SystemLayout::none) {
        const profile::LinkTrafficRecord& link = map_.traffic.links[layout_.arrows[arrow].link];
        QToolTip::showText(global + QPoint(12, 12), linkText(map_, link), viewport());
        Q_EMIT hovered(tr("IPU %1 to IPU %2: %3, %4")
                           .arg(link.ipu)
                           .arg(link.peer)
                           .arg(linkKindName(link.kind), formatBytes(map_.traffic.of(link).bytes)));
    } else {
        QToolTip::hideText();
        Q_EMIT hovered({});
    }
}

void SystemCanvas::frameCurrent() {
    if (marks_.box == SystemLayout::none)
        return fit();
    const QVariantList before = shownZoom();
    constexpr double part = 0.6; // of the view
    const QRectF box = layout_.boxes[marks_.box].rect;
    setZoom(part * std::min(viewport()->width() / box.width(), viewport()->height() / box.height()));
    reveal(marks_.box);
    if (shownZoom() == before)
        fit();
}

bool SystemCanvas::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        marks_.hovered_box = marks_.hovered_arrow = SystemLayout::none;
        viewport()->update();
        Q_EMIT hovered({});
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void SystemCanvas::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const int dx = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
    const int dy = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    std::size_t next = SystemLayout::none;
    if (layout_.boxes.empty())
        return QAbstractScrollArea::keyPressEvent(event);
    if (dx != 0 || dy != 0)
        next = marks_.box == SystemLayout::none ? 0 : layout_.neighbour(marks_.box, dx, dy);
    else if (key == Qt::Key_Home)
        next = 0;
    else if (key == Qt::Key_End)
        next = layout_.boxes.size() - 1;
    if (next == SystemLayout::none)
        return QAbstractScrollArea::keyPressEvent(event);
    reveal(next);
    Q_EMIT ipuChosen(map_.ipus[layout_.boxes[next].ipu].record.id);
}

void SystemCanvas::focusInEvent(QFocusEvent* event) {
    viewport()->update();
    QAbstractScrollArea::focusInEvent(event);
    tellFocusedPart(*this);
}

void SystemCanvas::focusOutEvent(QFocusEvent* event) {
    viewport()->update();
    QAbstractScrollArea::focusOutEvent(event);
}

} // namespace tilescope::ui
