// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_painter.h"

#include "ui/session/format.h"
#include "ui/theme/chart_style.h"
#include "ui/tiles/shade.h"
#include "ui/widgets/operation_table.h"
#include "ui/widgets/path_delegate.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr double text_scale = 0.34; ///< below it, letters are specks
constexpr double name_scale = 0.22; ///< below it, so are names on their own
constexpr double bytes_scale = 0.7; ///< from here on, lines say how many bytes they stand for
constexpr double arrow = 7;

QPainterPath path_of(const std::vector<QPointF>& route) {
    QPainterPath path(route.front());
    for (std::size_t i = 1; i < route.size(); ++i) {
        const QPointF a = route[i - 1];
        const QPointF b = route[i];
        if (std::abs(a.x() - b.x()) < 0.5) {
            path.lineTo(b);
            continue;
        }
        const QPointF bow(0, (b.y() - a.y()) / 2);
        path.cubicTo(a + bow, b - bow, b);
    }
    return path;
}

QColor faded(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

const GraphCost& cost_of(const OperationGraph& graph, const GraphBox& box) {
    return box.kind == GraphBox::Kind::Node ? graph.nodes[box.index].cost : graph.groups[box.index].cost;
}

constexpr double sheet_step = 4;

/// Those behind a box: one says that there is more inside, two that there are several alike.
int sheets_behind(const OperationGraph& graph, const GraphBox& box) {
    return box.kind != GraphBox::Kind::Group ? 0 : graph.groups[box.index].blocks > 0 ? 2 : 1;
}

/// The front of a box.
QRectF sheet(const OperationGraph& graph, const GraphBox& box) {
    const double behind = sheet_step * sheets_behind(graph, box);
    return box.rect.adjusted(0, 0, -behind, -behind);
}

} // namespace

bool GraphMarks::hasLine(const GraphScene& scene, std::size_t line) const {
    return line == hovered_line || has(scene.lines[line].from) || has(scene.lines[line].to);
}

GraphPainter::GraphPainter(const OperationGraph& graph, const GraphScene& scene, const Theme& theme,
                           const QFont& font, double scale)
    : graph_(graph), scene_(scene), theme_(theme), font_(font), scale_(scale) {
    for (const GraphBox& box : scene.boxes)
        if (box.kind != GraphBox::Kind::Frame)
            largest_ = std::max(largest_, cost_of(graph, box).time.cycles.total());
}

QColor GraphPainter::phaseColor(const Theme& theme, profile::Phase phase) {
    switch (phase) {
    case profile::Phase::Backward:
        return theme.backward;
    case profile::Phase::Update:
        return theme.update;
    case profile::Phase::Recompute:
        return theme.recompute;
    case profile::Phase::Forward:
        break;
    }
    return theme.forward;
}

QColor GraphPainter::changeColor(const Theme& theme, GraphChange change) {
    switch (change) {
    case GraphChange::Less:
        return theme.less();
    case GraphChange::More:
        return theme.more();
    case GraphChange::Added:
        return theme.backward;
    case GraphChange::Removed:
        return theme.text;
    case GraphChange::Same:
        break;
    }
    return theme.muted;
}

GraphChange GraphPainter::changeOf(const GraphBox& box) const {
    return box.kind == GraphBox::Kind::Node ? nodeChange(graph_, *base_, box.index)
                                            : groupChange(graph_, *base_, box.index);
}

bool GraphPainter::shaded() const {
    return shades_ != nullptr && shades_->coloring() != GraphColoring::Phase && !difference_;
}

/// What a box stands for: its phase or its place on the scale, or what has become of it.
QColor GraphPainter::colorOf(const GraphBox& box) const {
    if (shaded()) {
        const auto share = shades_->shareOf(graph_, box);
        return share ? shadeOf(theme_, *share) : theme_.muted;
    }
    return difference_                                 ? changeColor(theme_, changeOf(box))
           : kindOf(box) == GraphNode::Kind::Operation ? phaseColor(theme_, phaseOf(box))
                                                       : theme_.muted;
}

QPainterPath GraphPainter::outline(const QRectF& rect, profile::Phase phase, GraphNode::Kind kind) {
    QPainterPath path;
    if (kind != GraphNode::Kind::Operation) {
        const double slant = std::min(10.0, rect.width() / 6);
        path.addPolygon(QPolygonF({rect.topLeft() + QPointF(slant, 0), rect.topRight(),
                                   rect.bottomRight() - QPointF(slant, 0), rect.bottomLeft()}));
        path.closeSubpath();
        return path;
    }
    if (phase == profile::Phase::Backward || phase == profile::Phase::Recompute) {
        const double cut = std::min(11.0, rect.height() / 4);
        const QPointF across(cut, 0);
        const QPointF along(0, cut);
        path.addPolygon(
            QPolygonF({rect.topLeft() + across, rect.topRight() - across, rect.topRight() + along,
                       rect.bottomRight() - along, rect.bottomRight() - across, rect.bottomLeft() + across,
                       rect.bottomLeft() - along, rect.topLeft() + along}));
        path.closeSubpath();
        return path;
    }
    const double radius =
        phase == profile::Phase::Update ? rect.height() / 2 : std::min(8.0, rect.height() / 4);
    path.addRoundedRect(rect, radius, radius);
    return path;
}

profile::Phase GraphPainter::phaseOf(const GraphBox& box) const {
    return box.kind == GraphBox::Kind::Node ? graph_.nodes[box.index].phase : graph_.groups[box.index].phase;
}

GraphNode::Kind GraphPainter::kindOf(const GraphBox& box) const {
    return box.kind == GraphBox::Kind::Node ? graph_.nodes[box.index].kind : GraphNode::Kind::Operation;
}

void GraphPainter::paint(QPainter& painter, const GraphMarks& marks, const QRectF& exposed) const {
    painter.setRenderHint(QPainter::Antialiasing);
    const auto seen = [&](const QRectF& r) { return exposed.intersects(r.adjusted(-2, -2, 2, 2)); };
    for (const GraphBox& box : scene_.boxes)
        if (box.kind == GraphBox::Kind::Frame && seen(box.rect)) {
            const QColor color = colorOf(box);
            painter.setPen(QPen(faded(color, 0.45), 1));
            painter.setBrush(faded(color, theme_.dark ? 0.07 : 0.05));
            painter.drawRoundedRect(box.rect, 10, 10);
        }
    const bool any = !marks.chosen.empty() || marks.hovered_box != GraphScene::no_box ||
                     marks.hovered_line != GraphScene::no_box;
    for (const bool strong_ones : {false, true})
        for (std::size_t l = 0; l < scene_.lines.size(); ++l) {
            const GraphLine& line = scene_.lines[l];
            const bool strong = marks.hasLine(scene_, l);
            if (strong == strong_ones && (strong || !line.stub) && seen(line.bounds))
                paintLine(painter, line, strong, any && !strong);
        }
    for (std::size_t b = 0; b < scene_.boxes.size(); ++b)
        if (seen(scene_.boxes[b].rect))
            paintBox(painter, b, marks);
    if (scale_ >= detail_scale)
        paintStubs(painter, exposed);
    if (scale_ >= bytes_scale)
        paintLineTexts(painter, exposed);
}

void GraphPainter::paintMarked(QPainter& painter, const GraphMarks& marks, const QRectF& exposed) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t l = 0; l < scene_.lines.size(); ++l)
        if (marks.hasLine(scene_, l) && exposed.intersects(scene_.lines[l].bounds.adjusted(-2, -2, 2, 2)))
            paintLine(painter, scene_.lines[l], true, false);
    for (std::size_t b = 0; b < scene_.boxes.size(); ++b)
        if (marks.has(b) && exposed.intersects(scene_.boxes[b].rect))
            paintBox(painter, b, marks);
}

void GraphPainter::paintLit(QPainter& painter, const std::set<std::size_t>& boxes, const GraphMarks& marks,
                            const QRectF& exposed) const {
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t l = 0; l < scene_.lines.size(); ++l) {
        const GraphLine& line = scene_.lines[l];
        if (boxes.contains(line.from) && boxes.contains(line.to) &&
            exposed.intersects(line.bounds.adjusted(-2, -2, 2, 2)))
            paintLine(painter, line, marks.hasLine(scene_, l), false);
    }
    for (const std::size_t box : boxes)
        if (exposed.intersects(scene_.boxes[box].rect))
            paintBox(painter, box, marks);
}

void GraphPainter::paintBox(QPainter& painter, std::size_t box, const GraphMarks& marks) const {
    paintBox(painter, scene_.boxes[box], marks.chosen.contains(box), box == marks.focus,
             marks.hits.contains(box), box == marks.hovered_box);
}

const GraphPlace& GraphPainter::placeOf(const GraphBox& box) const {
    return box.kind == GraphBox::Kind::Node ? graph_.nodes[box.index].place : graph_.groups[box.index].place;
}

bool GraphPainter::crossesIpus(const GraphLine& line) const {
    const auto& from = placeOf(scene_.boxes[line.from]).ipu;
    const auto& to = placeOf(scene_.boxes[line.to]).ipu;
    return from && to && *from != *to;
}

QString GraphPainter::lineText(const GraphLine& line) const {
    QString bytes = line.bytes > 0 ? formatBytes(static_cast<double>(line.bytes)) : QString();
    if (!crossesIpus(line))
        return bytes;
    return QCoreApplication::translate("GraphPainter", "IPU %1 to %2, %3")
        .arg(*placeOf(scene_.boxes[line.from]).ipu)
        .arg(*placeOf(scene_.boxes[line.to]).ipu)
        .arg(bytes);
}

/// On plates in the middle of the lines, where they cover no box and no other text.
void GraphPainter::paintLineTexts(QPainter& painter, const QRectF& exposed) const {
    const QFontMetricsF metrics(font_);
    std::vector<QRectF> taken;
    for (const GraphStub& stub : scene_.stubs)
        taken.push_back(stub.rect);
    for (const GraphBox& box : scene_.boxes)
        if (box.kind != GraphBox::Kind::Frame && exposed.intersects(box.rect))
            taken.push_back(box.rect);
    painter.setFont(font_);
    for (const GraphLine& line : scene_.lines) {
        if (line.stub || !exposed.intersects(line.bounds.adjusted(-1, -1, 1, 1)))
            continue;
        QString text; // few of thousands of lines have a place for theirs in view
        for (std::size_t i = 0; i + 1 < line.route.size(); ++i) {
            const QPointF middle = (line.route[i] + line.route[i + 1]) / 2;
            if (!exposed.contains(middle))
                continue;
            if (text.isEmpty())
                text = lineText(line);
            if (text.isEmpty())
                break;
            QRectF plate(0, 0, metrics.horizontalAdvance(text) + 8, metrics.height());
            plate.moveCenter(middle);
            if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& r) { return r.intersects(plate); }))
                continue;
            taken.push_back(plate);
            painter.setPen(Qt::NoPen);
            painter.setBrush(faded(theme_.panel, 0.85));
            painter.drawRoundedRect(plate, 4, 4);
            painter.setPen(theme_.muted);
            painter.drawText(plate, Qt::AlignCenter, text);
            break;
        }
    }
}

/// Ticks at the border, an arrow where lines come in, and beside them what is at the other end.
void GraphPainter::paintStubs(QPainter& painter, const QRectF& exposed) const {
    QFont small = font_;
    constexpr double part = 0.85;
    small.setPointSizeF(part * small.pointSizeF());
    const QFontMetrics metrics(small);
    for (const GraphStub& stub : scene_.stubs) {
        if (!exposed.intersects(stub.rect))
            continue;
        const QColor color = ChartStyle::mixed(theme_.muted, colorOf(scene_.boxes[stub.box]), 0.55);
        const double x = stub.rect.left() + 4;
        painter.setPen(QPen(color, 1.6));
        painter.drawLine(QPointF(x, stub.rect.top()), QPointF(x, stub.rect.bottom()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        if (stub.out)
            painter.drawEllipse(QPointF(x, stub.rect.bottom()), 2, 2);
        else
            painter.drawPolygon(QPolygonF({QPointF(x, stub.rect.bottom()),
                                           {x - 3, stub.rect.bottom() - 6},
                                           {x + 3, stub.rect.bottom() - 6}}));
        if (scale_ < text_scale)
            continue;
        const QString way = stub.out ? QStringLiteral("→ ") : QStringLiteral("← ");
        const QRectF room = stub.rect.adjusted(9, 0, 0, 0);
        const int wide_enough = static_cast<int>(room.width() - metrics.horizontalAdvance(way));
        const QString shown = way + shortened(stub.name, metrics, wide_enough);
        const double wide = metrics.horizontalAdvance(shown) + 4;
        painter.setBrush(faded(theme_.window, 0.85)); // lines that pass go behind it
        painter.drawRoundedRect(QRectF(room.left() - 2, room.top(), wide + 2, room.height()), 3, 3);
        painter.setFont(small);
        painter.setPen(theme_.muted);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, shown);
    }
}

void GraphPainter::paintLine(QPainter& painter, const GraphLine& line, bool strong, bool faint) const {
    const GraphBox& from = scene_.boxes[line.from];
    const QColor calm = ChartStyle::mixed(theme_.muted, colorOf(from), 0.55);
    const QColor color = strong ? theme_.accent : faded(calm, faint ? 0.3 : 0.75);
    // One pixel for little, three for a mebibyte and more.
    const double weight =
        1 + std::clamp(std::log2(1.0 + static_cast<double>(line.bytes) / 1024) / 5, 0.0, 2.0);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, strong ? weight + 0.8 : weight,
                        crossesIpus(line) ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    if (scale_ < detail_scale) {
        painter.drawPolyline(line.route.data(), static_cast<int>(line.route.size()));
        return;
    }
    std::vector<QPointF> route = line.route;
    const QPointF tip = route.back();
    double before = tip.y(); // lines end vertically, some without a vertical piece
    for (auto p = route.rbegin(); p != route.rend() && before == tip.y(); ++p)
        before = p->y();
    const double up = tip.y() < before ? -1 : 1;
    if (std::abs(tip.y() - route[route.size() - 2].y()) > arrow)
        route.back().ry() -= up * (arrow - 1);
    painter.drawPath(path_of(route));
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const double half = arrow / 2 + weight / 2;
    painter.drawPolygon(
        QPolygonF({tip, tip + QPointF(-half, -up * arrow * 1.2), tip + QPointF(half, -up * arrow * 1.2)}));
}

void GraphPainter::paintBox(QPainter& painter, const GraphBox& box, bool chosen, bool focus, bool hit,
                            bool hovered) const {
    const QColor phase = colorOf(box);
    const QColor border = chosen     ? theme_.accent
                          : hit      ? theme_.warning
                          : shaded() ? ChartStyle::mixed(theme_.muted, phase, 0.5)
                                     : phase;
    const double thick = chosen ? (focus ? 3 : 2) : hit || hovered ? 2 : 1.2;
    if (box.kind == GraphBox::Kind::Frame) {
        if (chosen || hit || hovered) {
            painter.setPen(QPen(border, thick));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(box.rect, 10, 10);
        }
        if (scale_ >= text_scale)
            paintFrameTitle(painter, box);
        return;
    }
    if (scale_ < detail_scale) {
        painter.fillRect(box.rect, chosen || hit ? border : ChartStyle::mixed(theme_.panel, phase, 0.6));
        return;
    }
    if (chosen && focus) {
        painter.setPen(QPen(faded(theme_.accent, 0.25), 9));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(outline(box.rect, phaseOf(box), kindOf(box)));
    }
    constexpr double shade = 0.5; // of a colour whose lightness tells the amount
    const QColor fill = ChartStyle::mixed(theme_.panel, phase, shaded() ? shade : theme_.dark ? 0.16 : 0.11);
    const bool gone = difference_ && changeOf(box) == GraphChange::Removed;
    painter.setPen(QPen(border, thick, gone ? Qt::DashLine : Qt::SolidLine));
    const QRectF front = sheet(graph_, box);
    painter.setBrush(ChartStyle::mixed(theme_.panel, phase, theme_.dark ? 0.3 : 0.25));
    for (int behind = sheets_behind(graph_, box); behind > 0; --behind)
        painter.drawPath(
            outline(front.translated(behind * sheet_step, behind * sheet_step), phaseOf(box), kindOf(box)));
    painter.setBrush(fill);
    painter.drawPath(outline(front, phaseOf(box), kindOf(box)));
    if (scale_ >= text_scale)
        paintCard(painter, box);
    else if (scale_ >= name_scale)
        paintName(painter, box);
}

/// From afar, the name alone and larger.
void GraphPainter::paintName(QPainter& painter, const GraphBox& box) const {
    constexpr double larger = 1.8;
    QFont font = font_;
    font.setPointSizeF(font.pointSizeF() * larger);
    font.setWeight(QFont::DemiBold);
    const QRectF inside = sheet(graph_, box).adjusted(8, 0, -8, 0);
    painter.setFont(font);
    painter.setPen(theme_.text);
    painter.drawText(inside, Qt::AlignCenter,
                     shortened(nameOf(graph_, box), QFontMetrics(font), static_cast<int>(inside.width())));
}

void GraphPainter::paintFrameTitle(QPainter& painter, const GraphBox& box) const {
    const GraphGroup& group = graph_.groups[box.index];
    const QFontMetricsF metrics(font_);
    QFont bold = font_;
    bold.setWeight(QFont::DemiBold);
    const QRectF title(box.rect.left() + 14, box.rect.top() + 5, box.rect.width() - 28, metrics.height() + 4);
    painter.setFont(bold);
    painter.setPen(theme_.text);
    const QString name = shortened(group.name, QFontMetrics(bold), static_cast<int>(title.width()));
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, name);
    const double used = QFontMetricsF(bold).horizontalAdvance(name) + 8;
    painter.setFont(font_);
    painter.setPen(theme_.muted);
    painter.drawText(
        title.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
        metrics.elidedText(group.kind, Qt::ElideRight, std::max(0.0, title.width() - used - 20)));
    painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("–"));
}

void GraphPainter::paintCard(QPainter& painter, const GraphBox& box) const {
    const bool group = box.kind == GraphBox::Kind::Group;
    const bool operation = kindOf(box) == GraphNode::Kind::Operation;
    const GraphNode& node = graph_.nodes[group ? graph_.groups[box.index].members.front() : box.index];
    const GraphGroup& whole = graph_.groups[group ? box.index : node.group];
    const GraphCost& cost = cost_of(graph_, box);
    const QString name = nameOf(graph_, box);
    const auto tr = [](const char* source) { return QCoreApplication::translate("GraphPainter", source); };
    QString below = group ? whole.kind : node.type;
    QString shape = group ? whole.shape : node.shape;
    if (group && (shape.isEmpty() || below.isEmpty()))
        (below.isEmpty() ? below : shape) = tr("%1 inside").arg(formatCount(std::ssize(whole.members)));
    if (shape == QLatin1String("[]"))
        shape = tr("scalar");
    const double side = phaseOf(box) == profile::Phase::Update ? 22 : 13;
    const QRectF inside = sheet(graph_, box).adjusted(side, operation ? 6 : 4, -side, -6);
    const QFontMetricsF metrics(font_);
    QFont bold = font_;
    bold.setWeight(QFont::DemiBold);
    const auto [share, share_color] = operation ? figureOf(box) : std::pair<QString, QColor>();
    const QRectF first(inside.left(), inside.top(), inside.width(), metrics.height());
    const QRectF second = first.translated(0, metrics.height());
    painter.setFont(font_);
    painter.setPen(share_color);
    painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter, share);
    painter.setPen(shaded() ? theme_.text : theme_.muted);
    const double shape_width = std::min(metrics.horizontalAdvance(shape), second.width() * 0.75);
    painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(shape, Qt::ElideRight, shape_width + 1));
    painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(below, Qt::ElideRight, second.width() - shape_width - 8));
    painter.setFont(bold);
    painter.setPen(theme_.text);
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                     shortened(name, QFontMetrics(bold),
                               static_cast<int>(first.width() - metrics.horizontalAdvance(share) - 8)));
    if (operation)
        paintCost(painter, QRectF(inside.left(), second.bottom() + 4, inside.width(), 4), cost);
}

std::pair<QString, QColor> GraphPainter::figureOf(const GraphBox& box) const {
    const GraphCost& cost = cost_of(graph_, box);
    if (base_ != nullptr) {
        const std::int64_t cycles = shownCycles(graph_, base_, cost);
        const auto base = box.kind == GraphBox::Kind::Node
                              ? baseCycles(graph_, *base_, base_->nodes, box.index)
                              : baseCycles(graph_, *base_, base_->groups, box.index);
        if (difference_ && changeOf(box) == GraphChange::Removed)
            return {changeName(GraphChange::Removed), theme_.text};
        if (difference_ && changeOf(box) == GraphChange::Added)
            return {changeName(GraphChange::Added), theme_.backward};
        const QColor color = base == cycles        ? theme_.muted
                             : !base || *base == 0 ? theme_.accent
                             : *base > cycles      ? theme_.less()
                                                   : theme_.more();
        return {changeText(base, cycles), color};
    }
    if (shaded() && shades_->coloring() != GraphColoring::Cycles &&
        shades_->coloring() != GraphColoring::Share)
        return {shades_->textOf(graph_, box), theme_.text};
    const auto share = graph_.costs.share_or_planned(cost.time);
    if (!share || *share == 0)
        return {};
    return {formatPercent(*share), shaded() ? theme_.text : theme_.muted};
}

void GraphPainter::paintCost(QPainter& painter, const QRectF& rect, const GraphCost& cost) const {
    painter.fillRect(rect, faded(theme_.muted, 0.18));
    double x = rect.left();
    const profile::PhaseCycles& time = cost.time.cycles;
    for (const auto& [cycles, color] :
         {std::pair{time.compute, theme_.compute}, std::pair{time.exchange, theme_.exchange},
          std::pair{time.inter_ipu, theme_.inter_ipu}, std::pair{time.sync, theme_.sync},
          std::pair{time.host, theme_.host}}) {
        const double width = rect.width() * static_cast<double>(cycles) / static_cast<double>(largest_);
        painter.fillRect(QRectF(x, rect.top(), width, rect.height()), color);
        x += width;
    }
}

void GraphPainter::paintSmall(QPainter& painter) const {
    for (const GraphBox& box : scene_.boxes) {
        const QColor color = colorOf(box);
        painter.fillRect(box.rect, faded(color, box.kind == GraphBox::Kind::Frame ? 0.25 : 0.8));
    }
}

} // namespace tilescope::ui
