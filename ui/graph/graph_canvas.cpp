// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_canvas.h"

#include "graph_backdrop.h"
#include "ui/session/format.h"
#include "ui/widgets/told_keys.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr double smallest_scale = 0.01;
constexpr double largest_scale = 4;
constexpr double readable = 0.55;
constexpr double margin = 24;
constexpr std::ptrdiff_t crowd = 800; ///< boxes and lines in view, of which a picture is kept

} // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 150);
    tellKeys(this, tr("Graph"),
             {{tr("Up, Down"), tr("to what makes an input, to what reads the output")},
              {tr("Left, Right"), tr("to the box beside")},
              {tr("Return, Space"), tr("opens the box, or closes it")},
              {tr("Esc"), tr("chooses nothing")}});
    backdrop_ = new GraphBackdrop(
        [this] {
            return GraphBackdrop::Content{graph_,      scene_,          base_,  difference_,        shades_,
                                          marks_.hits, Theme::of(this), font(), devicePixelRatioF()};
        },
        this);
    connect(backdrop_, &GraphBackdrop::arrived, this, qOverload<>(&QWidget::update));
}

GraphMetrics GraphCanvas::metrics() const {
    const QFontMetricsF m(font());
    return {m.averageCharWidth() * 1.08, m.height()};
}

void GraphCanvas::setFigures(Graph graph) {
    graph_ = std::move(graph);
    shade();
}

void GraphCanvas::colorBy(GraphColoring coloring) {
    coloring_ = coloring;
    shade();
}

/// Colours follow what is drawn: its boxes, figures and base.
void GraphCanvas::shade() {
    shades_ = graph_ ? GraphScale(*graph_, *scene_, coloring_, base_.get()) : GraphScale();
    map_ = {};
    backdrop_->renew();
    update();
    Q_EMIT shadesChanged();
}

void GraphCanvas::setScene(Graph graph, GraphScene scene) {
    lit_.reset(); // of other boxes
    const bool same = graph_ == graph;
    const QPointF middle = visible().center();
    std::size_t anchor = GraphScene::no_box; // the node nearest to the middle of the view
    double nearest = 0;
    if (same)
        for (std::size_t n = 0; n < scene_->box_of_node.size(); ++n) {
            if (scene_->box_of_node[n] == GraphScene::no_box || scene.box_of_node[n] == GraphScene::no_box)
                continue; // it was hidden, or is
            const QPointF off = scene_->boxes[scene_->box_of_node[n]].rect.center() - middle;
            const double distance = QPointF::dotProduct(off, off);
            if (anchor == GraphScene::no_box || distance < nearest) {
                anchor = n;
                nearest = distance;
            }
        }
    const QPointF before =
        anchor == GraphScene::no_box ? QPointF() : scene_->boxes[scene_->box_of_node[anchor]].rect.center();
    graph_ = std::move(graph);
    scene_ = std::make_shared<const GraphScene>(std::move(scene));
    marks_ = {};
    backdrop_->forget();
    shade();
    if (same && anchor != GraphScene::no_box && !untouched_) {
        origin_ += scene_->boxes[scene_->box_of_node[anchor]].rect.center() - before;
    } else {
        untouched_ = true;
        showFirst();
    }
    changed();
}

void GraphCanvas::clear(const QString& why) {
    graph_.reset();
    scene_ = std::make_shared<const GraphScene>();
    marks_ = {};
    map_ = {};
    backdrop_->forget();
    empty_text_ = why;
    changed();
}

void GraphCanvas::setBase(std::shared_ptr<const GraphBaseline> base, bool difference) {
    base_ = std::move(base);
    difference_ = difference;
    shade();
}

void GraphCanvas::setMarks(std::set<std::size_t> chosen, std::size_t focus) {
    marks_.chosen = std::move(chosen);
    marks_.focus = focus;
    tellFocusedPart(*this);
    update();
}

void GraphCanvas::setLit(std::optional<std::set<std::size_t>> boxes) {
    lit_ = std::move(boxes);
    update();
}

void GraphCanvas::setHits(std::set<std::size_t> boxes) {
    marks_.hits = std::move(boxes);
    backdrop_->renew();
    update();
}

QPointF GraphCanvas::toScene(const QPointF& widget) const {
    return origin_ + widget / scale_;
}
QPointF GraphCanvas::toWidget(const QPointF& scene) const {
    return (scene - origin_) * scale_;
}
QRectF GraphCanvas::visible() const {
    return {origin_, QSizeF(size()) / scale_};
}

void GraphCanvas::changed() {
    update();
    Q_EMIT viewChanged();
}

void GraphCanvas::zoomAt(const QPointF& at, double scale) {
    const QPointF held = toScene(at);
    scale_ = std::clamp(scale, smallest_scale, largest_scale);
    origin_ = held - at / scale_;
    untouched_ = false;
    keepInSight();
    changed();
}

void GraphCanvas::zoomBy(double factor) {
    zoomAt(rect().center(), scale_ * factor);
}
void GraphCanvas::zoomTo(double scale) {
    zoomAt(rect().center(), scale);
}

void GraphCanvas::fit() {
    frame(scene_->bounds);
    untouched_ = true;
}

QVariantList GraphCanvas::zoom() const {
    return untouched_ ? QVariantList() : QVariantList{scale_, origin_.x(), origin_.y()};
}

void GraphCanvas::setZoom(const QVariantList& zoom) {
    if (zoom.isEmpty() && !untouched_) {
        showFirst();
        changed();
    }
    if (zoom.size() != 3 || zoom[0].toDouble() <= 0)
        return;
    scale_ = zoom[0].toDouble();
    origin_ = {zoom[1].toDouble(), zoom[2].toDouble()};
    untouched_ = false;
    keepInSight();
    changed();
}

void GraphCanvas::frame(const QRectF& rect) {
    if (rect.isEmpty())
        return;
    const double fitting =
        std::min((width() - 2 * margin) / rect.width(), (height() - 2 * margin) / rect.height());
    scale_ = std::clamp(fitting, smallest_scale, 1.25);
    origin_ = rect.center() - QPointF(width(), height()) / 2 / scale_;
    untouched_ = false;
    changed();
}

void GraphCanvas::showFirst() {
    fit();
    if (scale_ < readable && !scene_->boxes.empty()) {
        scale_ = readable + 0.2;
        const std::size_t of_first = scene_->box_of_node.front();
        const QPointF first = scene_->boxes[of_first == GraphScene::no_box ? 0 : of_first].rect.center();
        const QSizeF seen = visible().size();
        const double edge = margin / scale_;
        // The drawing fills the view, or stands in its middle where it is smaller.
        const auto begin = [&](double wanted, double low, double high, double extent) {
            return high - low + 2 * edge <= extent ? (low + high - extent) / 2
                                                   : std::clamp(wanted, low - edge, high + edge - extent);
        };
        const QRectF& all = scene_->bounds;
        origin_ = {begin(first.x() - seen.width() / 3, all.left(), all.right(), seen.width()),
                   begin(first.y() - seen.height() / 3, all.top(), all.bottom(), seen.height())};
    }
}

void GraphCanvas::reveal(std::size_t box) {
    const QRectF wanted = scene_->boxes[box].rect;
    const double edge = margin / scale_;
    const QRectF seen = visible().adjusted(edge, edge, -edge, -edge);
    if (seen.contains(wanted))
        return;
    if (!seen.intersects(wanted) || wanted.width() > seen.width() || wanted.height() > seen.height()) {
        origin_ += wanted.center() - seen.center();
    } else {
        origin_.rx() +=
            std::max(0.0, wanted.right() - seen.right()) - std::max(0.0, seen.left() - wanted.left());
        origin_.ry() +=
            std::max(0.0, wanted.bottom() - seen.bottom()) - std::max(0.0, seen.top() - wanted.top());
    }
    untouched_ = false;
    changed();
}

void GraphCanvas::keepInSight() {
    const QRectF seen = visible();
    const double x = seen.width() / 3;
    const double y = seen.height() / 3;
    origin_.setX(
        std::clamp(origin_.x(), scene_->bounds.left() - seen.width() + x, scene_->bounds.right() - x));
    origin_.setY(
        std::clamp(origin_.y(), scene_->bounds.top() - seen.height() + y, scene_->bounds.bottom() - y));
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.fillRect(rect(), theme.window);
    if (scene_->boxes.empty()) {
        painter.setPen(theme.muted);
        painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
        return;
    }
    const bool crowded = isCrowded();
    if (crowded)
        backdrop_->paint(painter, visible(), scale_);
    painter.save();
    painter.scale(scale_, scale_);
    painter.translate(-origin_);
    const GraphPainter graph = painterAt(scale_);
    if (crowded)
        graph.paintMarked(painter, marks_, visible());
    else
        graph.paint(painter, marks_, visible());
    if (lit_) {
        constexpr double pale = 0.15;
        QColor veil = theme.window;
        veil.setAlphaF(1 - pale);
        painter.fillRect(visible(), veil);
        graph.paintLit(painter, *lit_, marks_, visible());
    }
    painter.restore();
    paintMap(painter);
}

GraphPainter GraphCanvas::painterAt(double scale) const {
    GraphPainter painter(*graph_, *scene_, Theme::of(this), font(), scale);
    painter.compareWith(base_.get(), difference_);
    painter.colorBy(shades_);
    return painter;
}

bool GraphCanvas::isCrowded() const {
    const QRectF seen = visible().adjusted(-2, -2, 2, 2);
    return std::count_if(scene_->boxes.begin(), scene_->boxes.end(),
                         [&](const GraphBox& box) { return seen.intersects(box.rect); }) +
               std::count_if(scene_->lines.begin(), scene_->lines.end(),
                             [&](const GraphLine& line) { // of which some are straight
                                 return seen.intersects(line.bounds.adjusted(-1, -1, 1, 1));
                             }) >
           crowd;
}

QRectF GraphCanvas::mapRect() const {
    constexpr int least_width = 700, least_height = 560; // of a canvas that can spare the room
    if (scene_->bounds.isEmpty() || visible().contains(scene_->bounds) || width() < least_width ||
        height() < least_height)
        return {};
    const double fitting = std::min(220 / scene_->bounds.width(), 160 / scene_->bounds.height());
    // A long thin graph still gets a map that one can hit.
    const QSizeF size(std::max(28.0, scene_->bounds.width() * fitting),
                      std::max(28.0, scene_->bounds.height() * fitting));
    return {QPointF(width() - size.width() - 16, height() - size.height() - 16), size};
}

void GraphCanvas::paintMap(QPainter& painter) {
    const QRectF map = mapRect();
    if (map.isEmpty())
        return;
    const Theme& theme = Theme::of(this);
    const double ratio = devicePixelRatioF();
    const QSize size = (map.size() * ratio).toSize();
    if (map_.size() != size) {
        map_ = QPixmap(size);
        map_.fill(theme.panel);
        QPainter small(&map_);
        small.scale(size.width() / scene_->bounds.width(), size.height() / scene_->bounds.height());
        small.translate(-scene_->bounds.topLeft());
        painterAt(0).paintSmall(small);
    }
    const QRectF paper = map.adjusted(-6, -6, 6, 6);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(paper, 6, 6);
    painter.drawPixmap(map, map_, QRectF(map_.rect()));
    const double x = map.width() / scene_->bounds.width();
    const double y = map.height() / scene_->bounds.height();
    const QRectF seen = visible().intersected(scene_->bounds);
    const QRectF frame(map.left() + seen.left() * x, map.top() + seen.top() * y, seen.width() * x,
                       seen.height() * y);
    painter.setPen(QPen(theme.accent, 1.5));
    QColor veil = theme.accent;
    veil.setAlphaF(0.12F);
    painter.setBrush(veil);
    painter.drawRect(frame);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (scene_->boxes.empty())
        return;
    constexpr double notch = 120;
    zoomAt(event->position(), scale_ * std::pow(1.2, event->angleDelta().y() / notch));
    event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    pressed_at_ = event->position();
    pressed_origin_ = origin_;
    moved_ = false;
    drag_ = mapRect().contains(event->position()) ? Drag::Map : Drag::Pan;
    if (drag_ == Drag::Map)
        mouseMoveEvent(event);
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ == Drag::None)
        return hover(event->position());
    const QPointF by = event->position() - pressed_at_;
    if (drag_ == Drag::Map) {
        const QRectF map = mapRect();
        if (map.isEmpty())
            return;
        const QPointF at = event->position() - map.topLeft();
        const QPointF middle(at.x() / map.width() * scene_->bounds.width(),
                             at.y() / map.height() * scene_->bounds.height());
        origin_ = middle - QPointF(width(), height()) / 2 / scale_;
        moved_ = true;
    } else if (moved_ || by.manhattanLength() >= QApplication::startDragDistance()) {
        moved_ = true;
        setCursor(Qt::ClosedHandCursor);
        origin_ = pressed_origin_ - by / scale_;
    } else {
        return;
    }
    untouched_ = false;
    keepInSight();
    changed();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = drag_ == Drag::Pan && !moved_ && event->button() == Qt::LeftButton;
    drag_ = Drag::None;
    unsetCursor();
    if (!click)
        return;
    const GraphStub* stub = stubUnder(event->position());
    followed_ = stub != nullptr;
    if (stub == nullptr)
        return Q_EMIT boxChosen(scene_->boxAt(toScene(event->position())));
    const std::size_t there = scene_->farEnd(*stub, stub->lines.front());
    Q_EMIT boxChosen(there);
    reveal(there);
}

/// Far off none is drawn.
const GraphStub* GraphCanvas::stubUnder(const QPointF& at) const {
    return scale_ < GraphPainter::detail_scale ? nullptr : scene_->stubAt(toScene(at));
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (std::exchange(followed_, false))
        return; // the first click has led elsewhere
    const std::size_t box = scene_->boxAt(toScene(event->position()));
    if (event->button() == Qt::LeftButton && box != GraphScene::no_box &&
        !mapRect().contains(event->position()))
        Q_EMIT boxOpened(box);
}

void GraphCanvas::hover(const QPointF& at) {
    const bool over_map = mapRect().contains(at);
    const GraphStub* stub = over_map ? nullptr : stubUnder(at);
    const std::size_t box = over_map ? GraphScene::no_box
                            : stub   ? stub->box // its lines are drawn in whole
                                     : scene_->boxAt(toScene(at));
    const bool frame = box != GraphScene::no_box && scene_->boxes[box].kind == GraphBox::Kind::Frame;
    const std::size_t line = over_map || (box != GraphScene::no_box && !frame)
                                 ? GraphScene::no_box
                                 : scene_->lineAt(toScene(at), 5 / scale_);
    if (box == marks_.hovered_box && line == marks_.hovered_line)
        return;
    marks_.hovered_box = frame ? GraphScene::no_box : box;
    marks_.hovered_line = line;
    const QString text = stub != nullptr              ? describeStub(*stub)
                         : line != GraphScene::no_box ? describeLine(line)
                         : box != GraphScene::no_box  ? describe(box)
                                                      : QString();
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(mapToGlobal(at.toPoint() + QPoint(14, 14)), text, this);
    update();
}

QString GraphCanvas::describe(std::size_t index) const {
    const GraphBox& box = scene_->boxes[index];
    QStringList lines;
    const auto cost = [&](const GraphCost& c) {
        if (const std::int64_t cycles = shownCycles(*graph_, base_.get(), c); cycles > 0)
            lines << QStringLiteral("%1 %2").arg(formatTime(cycles, graph_->clock_hz),
                                                 basisText(*graph_, base_.get()));
        if (c.bytes.at_peak > 0)
            lines << tr("%1 of variables live at the peak step").arg(formatBytes(c.bytes.at_peak));
    };
    if (box.kind == GraphBox::Kind::Node) {
        const GraphNode& node = graph_->nodes[box.index];
        lines << inHtml(QStringLiteral("<b>%1</b>"), {node.name})
              << asHtml(QStringLiteral("%1 %2").arg(node.type, node.shape));
        cost(node.cost);
    } else {
        const GraphGroup& group = graph_->groups[box.index];
        lines << inHtml(QStringLiteral("<b>%1</b>, %2"), {group.name, phaseName(group.phase)})
              << (box.kind == GraphBox::Kind::Group ? tr("double-click to unfold")
                                                    : tr("double-click to fold"));
        cost(group.cost);
    }
    return inHtml(QStringLiteral("<p style='white-space:pre'>%1</p>"),
                  {Html{lines.join(QStringLiteral("<br>"))}});
}

PaintedParts::Part GraphCanvas::part(int index) const {
    const auto at = static_cast<std::size_t>(index);
    const GraphBox& box = scene_->boxes[at];
    const QRectF& rect = box.rect;
    return {box.kind == GraphBox::Kind::Node ? graph_->nodes[box.index].name : graph_->groups[box.index].name,
            QTextDocumentFragment::fromHtml(describe(at)).toPlainText(),
            QRectF(toWidget(rect.topLeft()), toWidget(rect.bottomRight())).toAlignedRect(),
            QAccessible::TreeItem, marks_.chosen.contains(at)};
}

int GraphCanvas::focusedPart() const {
    return marks_.focus == GraphScene::no_box ? -1 : static_cast<int>(marks_.focus);
}

QString GraphCanvas::describeStub(const GraphStub& stub) const {
    constexpr std::size_t most = 8;
    const auto name = [&](std::size_t line) {
        return asHtml(part(static_cast<int>(scene_->farEnd(stub, line))).name);
    };
    QStringList lines{stub.out ? tr("<b>Leads to</b>") : tr("<b>Comes from</b>")};
    for (std::size_t i = 0; i < std::min(most, stub.lines.size()); ++i)
        lines << tr("%1, %2").arg(name(stub.lines[i]), formatBytes(scene_->lines[stub.lines[i]].bytes));
    if (stub.lines.size() > most)
        lines << tr("and %1 more").arg(stub.lines.size() - most);
    lines << tr("a click goes to %1").arg(name(stub.lines.front()));
    return inHtml(QStringLiteral("<p style='white-space:pre'>%1</p>"),
                  {Html{lines.join(QStringLiteral("<br>"))}});
}

QString GraphCanvas::describeLine(std::size_t index) const {
    constexpr std::size_t most = 6;
    const GraphLine& line = scene_->lines[index];
    QStringList lines;
    for (std::size_t i = 0; i < std::min(most, line.tensors.size()); ++i) {
        const profile::TensorRecord& tensor = graph_->tensors[line.tensors[i]];
        lines << inHtml(QStringLiteral("<b>%1</b> %2 %3, %4"),
                        {tensor.name, to_string(tensor.dtype), tensor.shape, formatBytes(tensor.bytes)});
    }
    if (line.tensors.size() > most)
        lines << tr("and %1 more").arg(line.tensors.size() - most);
    return inHtml(QStringLiteral("<p style='white-space:pre'>%1</p>"),
                  {Html{lines.join(QStringLiteral("<br>"))}});
}

void GraphCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        backdrop_->forget();
    QWidget::changeEvent(event);
}

void GraphCanvas::hideEvent(QHideEvent* event) {
    backdrop_->forget(); // megabytes
    QWidget::hideEvent(event);
}

void GraphCanvas::leaveEvent(QEvent*) {
    marks_.hovered_box = marks_.hovered_line = GraphScene::no_box;
    update();
}

void GraphCanvas::resizeEvent(QResizeEvent*) {
    if (untouched_ && !scene_->boxes.empty())
        showFirst();
    Q_EMIT viewChanged();
}

/// Along the lines, up to what makes an input and down to what reads the output, the nearest of these; beside
/// or where no line leads on, the nearest box in that direction. What stands straight ahead counts as nearer.
std::size_t GraphCanvas::neighbour(int key) const {
    if (marks_.focus == GraphScene::no_box)
        return scene_->boxes.empty() ? GraphScene::no_box : 0;
    const QPointF from = scene_->boxes[marks_.focus].rect.center();
    const bool vertical = key == Qt::Key_Up || key == Qt::Key_Down;
    const double sign = key == Qt::Key_Up || key == Qt::Key_Left ? -1 : 1;
    std::size_t best = GraphScene::no_box;
    double nearest = 0;
    const auto consider = [&](std::size_t box, bool along) {
        if (box == marks_.focus || scene_->boxes[box].kind == GraphBox::Kind::Frame)
            return;
        const QPointF off = scene_->boxes[box].rect.center() - from;
        const double ahead = sign * (vertical ? off.y() : off.x());
        const double aside = std::abs(vertical ? off.x() : off.y());
        if (ahead <= 1 && !along)
            return;
        const double distance = std::abs(ahead) + 2 * aside;
        if (best == GraphScene::no_box || distance < nearest) {
            best = box;
            nearest = distance;
        }
    };
    if (vertical)
        for (const GraphLine& line : scene_->lines)
            if ((sign < 0 ? line.to : line.from) == marks_.focus)
                consider(sign < 0 ? line.from : line.to, true);
    if (best == GraphScene::no_box)
        for (std::size_t b = 0; b < scene_->boxes.size(); ++b)
            consider(b, false);
    return best;
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (const std::size_t box = neighbour(event->key()); box != GraphScene::no_box) {
            Q_EMIT boxChosen(box);
            reveal(box);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (marks_.focus != GraphScene::no_box)
            Q_EMIT boxOpened(marks_.focus);
        return;
    case Qt::Key_Escape:
        Q_EMIT boxChosen(GraphScene::no_box);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace tilescope::ui
