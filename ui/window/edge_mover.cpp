// SPDX-License-Identifier: GPL-3.0-or-later
#include "edge_mover.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/told_keys.h"

#include <QApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QMainWindow>
#include <QPainter>
#include <QSplitter>
#include <QTimer>
#include <algorithm>
#include <tuple>

namespace tilescope::ui {

EdgeMover::EdgeMover(QMainWindow* window) : QWidget(window), window_(window) {
    setObjectName(QStringLiteral("edgeMover"));
    setFocusPolicy(Qt::NoFocus); // F8 alone leads here
    setAttribute(Qt::WA_TransparentForMouseEvents);
    tellKeys(this, tr("Edge between parts"),
             {{tr("Left, Right, Up, Down"), tr("move it; with Shift ten times as far")},
              {tr("F8"), tr("on to the next edge")},
              {tr("Return, Esc"), tr("back to where the keys were")}});
    window->installEventFilter(this);
    hide();
}

std::vector<EdgeMover::Edge> EdgeMover::edges() const {
    std::vector<Edge> found;
    for (QSplitter* splitter : window_->findChildren<QSplitter*>())
        for (int i = 1; i < splitter->count(); ++i)
            if (splitter->isVisible() && splitter->handle(i)->isVisible())
                found.push_back({splitter, i, nullptr});
    for (QDockWidget* dock : window_->findChildren<QDockWidget*>())
        if (dock->isVisible() && !dock->isFloating())
            found.push_back({nullptr, 0, dock});
    std::stable_sort(found.begin(), found.end(), [this](const Edge& a, const Edge& b) {
        const QPoint first = placeOf(a).topLeft(), second = placeOf(b).topLeft();
        return std::tuple(first.x(), first.y()) < std::tuple(second.x(), second.y());
    });
    return found;
}

bool EdgeMover::isUpright(const Edge& edge) const {
    if (edge.splitter != nullptr)
        return edge.splitter->orientation() == Qt::Horizontal;
    const Qt::DockWidgetArea area = window_->dockWidgetArea(edge.dock);
    return area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
}

/// As wide as one sees at once, whatever the edge is.
QRect EdgeMover::placeOf(const Edge& edge) const {
    constexpr int wide = 6;
    QRect line;
    if (edge.splitter != nullptr) {
        const QWidget& handle = *edge.splitter->handle(edge.index);
        line = QRect(handle.mapTo(window_, QPoint()), handle.size());
    } else if (edge.dock != nullptr) {
        const QRect dock = edge.dock->geometry();
        switch (window_->dockWidgetArea(edge.dock)) {
        case Qt::LeftDockWidgetArea:
            line = {dock.right() + 1, dock.top(), 1, dock.height()};
            break;
        case Qt::TopDockWidgetArea:
            line = {dock.left(), dock.bottom() + 1, dock.width(), 1};
            break;
        case Qt::BottomDockWidgetArea:
            line = {dock.left(), dock.top() - 1, dock.width(), 1};
            break;
        default:
            line = {dock.left() - 1, dock.top(), 1, dock.height()};
        }
    }
    const QPoint middle = line.center();
    if (isUpright(edge))
        line.setWidth(wide);
    else
        line.setHeight(wide);
    line.moveCenter(middle);
    return line;
}

bool EdgeMover::next() {
    const std::vector<Edge> all = edges();
    if (all.empty())
        return false;
    const auto now = isVisible() ? std::find(all.begin(), all.end(), edge_) : all.end();
    if (!isVisible())
        before_ = QApplication::focusWidget();
    edge_ = now == all.end() || std::next(now) == all.end() ? all.front() : *std::next(now);
    show();
    raise();
    place();
    setFocus(Qt::ShortcutFocusReason);
    return true;
}

void EdgeMover::place() {
    if (edge_.splitter == nullptr && edge_.dock == nullptr)
        return leave();
    const QRect wanted = placeOf(edge_);
    setGeometry(wanted);
    const bool upright = isUpright(edge_);
    const QString where = formatCount(upright ? wanted.center().x() : wanted.center().y());
    const QString of =
        edge_.dock != nullptr ? tr("Edge of %1").arg(edge_.dock->windowTitle()) : tr("Edge between parts");
    setAccessibleName(upright ? tr("%1, %2 pixels from the left").arg(of, where)
                              : tr("%1, %2 pixels from the top").arg(of, where));
}

void EdgeMover::move(int by) {
    if (QSplitter* splitter = edge_.splitter) {
        QList<int> sizes = splitter->sizes();
        // The next part at each side that is seen gives and takes.
        int before = edge_.index - 1;
        while (before > 0 && !splitter->widget(before)->isVisible())
            --before;
        const auto least = [&](int part) {
            const QWidget& widget = *splitter->widget(part);
            const bool across = splitter->orientation() == Qt::Horizontal;
            const QSize size = widget.minimumSizeHint().expandedTo(widget.minimumSize());
            return across ? size.width() : size.height();
        };
        const int giving = by > 0 ? edge_.index : before;
        const int most = std::max(0, sizes[giving] - least(giving));
        const int moved = std::clamp(by, -most, most);
        sizes[before] += moved;
        sizes[edge_.index] -= moved;
        splitter->setSizes(sizes);
        const QPoint at = splitter->handle(edge_.index)->pos();
        Q_EMIT splitter->splitterMoved(isUpright(edge_) ? at.x() : at.y(), edge_.index);
    } else if (QDockWidget* dock = edge_.dock) {
        const bool upright = isUpright(edge_);
        const Qt::DockWidgetArea area = window_->dockWidgetArea(dock);
        const bool grows = area == Qt::LeftDockWidgetArea || area == Qt::TopDockWidgetArea;
        const int size = (upright ? dock->width() : dock->height()) + (grows ? by : -by);
        window_->resizeDocks({dock}, {std::max(1, size)}, upright ? Qt::Horizontal : Qt::Vertical);
    }
    QTimer::singleShot(0, this, &EdgeMover::place); // parts are laid out by then
}

void EdgeMover::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter)
        return leave();
    const bool upright = isUpright(edge_);
    const int way = key == (upright ? Qt::Key_Left : Qt::Key_Up)      ? -1
                    : key == (upright ? Qt::Key_Right : Qt::Key_Down) ? 1
                                                                      : 0;
    if (way == 0)
        return QWidget::keyPressEvent(event);
    constexpr int step = 8, far = 10;
    move(way * step * (event->modifiers().testFlag(Qt::ShiftModifier) ? far : 1));
}

void EdgeMover::leave() {
    hide();
    if (before_ != nullptr && before_->isVisible())
        before_->setFocus(Qt::OtherFocusReason);
}

void EdgeMover::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason)
        hide();
}

bool EdgeMover::eventFilter(QObject* of, QEvent* event) {
    if (of == window_ && isVisible() &&
        (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
        QTimer::singleShot(0, this, &EdgeMover::place);
    return QWidget::eventFilter(of, event);
}

/// A bar with a grip in its middle.
void EdgeMover::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.panel, 1));
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setBrush(theme.panel);
    painter.setPen(Qt::NoPen);
    const bool upright = height() > width();
    constexpr double apart = 7, radius = 1.2;
    for (int dot = -1; dot <= 1; ++dot)
        painter.drawEllipse(QRectF(rect()).center() +
                                (upright ? QPointF(0, dot * apart) : QPointF(dot * apart, 0)),
                            radius, radius);
}

} // namespace tilescope::ui
