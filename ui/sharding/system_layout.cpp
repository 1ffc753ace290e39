// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/system_layout.h"

#include <QPainterPathStroker>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t most_layer_lines = 8;
constexpr double margin = 16;

/// A grid whose rows turn at their ends: 0 1 2 / 5 4 3.
struct Turning {
    std::int64_t columns = 1;
    std::int64_t rows = 1;

    /// As few rows as `most` columns allow, evenly filled.
    static Turning of(std::int64_t count, std::int64_t most) {
        most = std::clamp<std::int64_t>(most, 1, count);
        const std::int64_t rows = (count + most - 1) / most;
        return {(count + rows - 1) / rows, rows};
    }
    QPointF place(std::int64_t index) const {
        const std::int64_t row = index / columns;
        const std::int64_t column = index % columns;
        return {static_cast<double>(row % 2 == 0 ? column : columns - 1 - column), static_cast<double>(row)};
    }
};

/// How many pieces of `size` with gaps between them fit into `room`.
std::int64_t fitting(double room, double size, double gap) {
    return static_cast<std::int64_t>(std::floor((room + gap) / (size + gap)));
}

struct Sizes {
    QSizeF box;
    QSizeF gap;
    double pad = 0; ///< between a frame and its boxes
    double title = 0;
    double bytes = 0; ///< at the left of what goes beside the first column
};

Sizes sizesOf(const SystemMap& map, bool compact, std::size_t layer_lines, const SystemMetrics& m) {
    Sizes sizes;
    if (compact) {
        sizes.box = {m.digit * 17, m.line * 4.4};
        sizes.gap = {m.digit * 5, m.line * 2};
    } else {
        // Head of two lines, the layers, three gauges of a line and a bar each.
        sizes.box = {m.digit * 29, m.line * (2.9 + static_cast<double>(layer_lines) * 1.15 + 3 * 2.05 + 0.4)};
        sizes.gap = {m.digit * 12, m.line * 4};
    }
    if (map.replicas > 1) {
        sizes.pad = m.line;
        sizes.title = m.line * 1.6;
    }
    return sizes;
}

/// Of so many pieces with gaps between them.
double extent(std::int64_t count, double each, double gap) {
    return static_cast<double>(count) * (each + gap) - gap;
}

/// The shards and the replicas that there are, from the first: a file that was trimmed has not all.
struct Present {
    explicit Present(const SystemMap& map) {
        std::set<std::int64_t> shards_of, replicas_of;
        for (const MappedIpu& ipu : map.ipus) {
            shards_of.insert(ipu.record.shard);
            replicas_of.insert(ipu.record.replica);
        }
        shards.assign(shards_of.begin(), shards_of.end());
        replicas.assign(replicas_of.begin(), replicas_of.end());
    }
    static std::int64_t rank(const std::vector<std::int64_t>& all, std::int64_t of) {
        return std::lower_bound(all.begin(), all.end(), of) - all.begin();
    }
    std::vector<std::int64_t> shards, replicas;
};

/// How far to the left of its column what goes from replica to replica does past other boxes, of `near_x`.
constexpr double beside_down = 0.3, beside_up = 0.42;

/// In how many rows and columns the boxes of a replica stand, and the replicas.
struct Grid {
    Grid(const Present& present, const Sizes& s, double width, double line)
        : near_x(std::max(s.gap.width(), line + 2 * s.pad) + 1),
          left(std::max(margin,
                        present.replicas.size() > 1 ? near_x * beside_up + margin / 2 - s.pad + s.bytes : 0)),
          room(width - left - margin),
          shards(Turning::of(std::ssize(present.shards),
                             fitting(room - 2 * s.pad, s.box.width(), s.gap.width()))),
          frame(extent(shards.columns, s.box.width(), s.gap.width()) + 2 * s.pad,
                extent(shards.rows, s.box.height(), s.gap.height()) + 2 * s.pad + s.title),
          apart(std::max(line, s.gap.width() - 2 * s.pad), std::max(line, s.gap.height() - 2 * s.pad)),
          replicas(Turning::of(std::ssize(present.replicas), fitting(room, frame.width(), apart.width()))) {}

    double near_x; ///< between neighbours of a row
    double left;   ///< of the first frame: room for what goes beside the first column
    double room;
    Turning shards;
    QSizeF frame;
    QSizeF apart; ///< replicas are as far from each other as their boxes, so that arrows have the same room
    Turning replicas;
};

/// Which side of the middle an arrow keeps to, so that there and back, and the kinds, do not cover each
/// other. Between small boxes copies are closer, so that their bytes have room above and below them.
double lane(const profile::LinkTrafficRecord& link, bool compact) {
    const double side = link.peer > link.ipu ? -1 : 1;
    return side * (link.kind == profile::LinkKind::AllReduce ? 0.36 : compact ? 0.12 : 0.16);
}

void straight(LinkArrow& arrow, const QPointF& from, const QPointF& to) {
    arrow.path.moveTo(from);
    arrow.path.lineTo(to);
    arrow.tip = to;
    arrow.angle = std::atan2(to.y() - from.y(), to.x() - from.x());
}

void curve(LinkArrow& arrow, const QPointF& from, const QPointF& by, const QPointF& to) {
    arrow.path.moveTo(from);
    arrow.path.quadTo(by, to);
    arrow.tip = to;
    arrow.angle = std::atan2(to.y() - by.y(), to.x() - by.x());
}

/// Down or up beside a column, at its left, from the side of a box to that of another: what goes from replica
/// to replica does not cross what does so beside it.
void beside(LinkArrow& arrow, const QRectF& a, const QRectF& b, double away, bool compact) {
    const bool below = b.center().y() > a.center().y();
    const double at = (compact ? 0.46 : 0.36) * (below ? 1 : -1); // of a box's height: towards the other
    const QPointF from(a.left(), a.center().y() + at * a.height());
    const QPointF to(b.left(), b.center().y() - at * b.height());
    const double x = std::min(a.left(), b.left()) - away;
    const double bend = std::min(4.0, away) * (below ? 1 : -1);
    arrow.path.moveTo(from);
    arrow.path.lineTo(x + std::abs(bend), from.y());
    arrow.path.quadTo(x, from.y(), x, from.y() + bend);
    arrow.path.lineTo(x, to.y() - bend);
    arrow.path.quadTo(x, to.y(), x + std::abs(bend), to.y());
    arrow.path.lineTo(to);
    arrow.tip = to;
    arrow.angle = 0;
}

/// Where the way from the middle of a box to a point leaves the box.
QPointF exitOf(const QRectF& box, const QPointF& towards) {
    const QPointF middle = box.center();
    const QPointF way = towards - middle;
    const double x = std::abs(way.x()) > 0 ? box.width() / 2 / std::abs(way.x()) : 1e9;
    const double y = std::abs(way.y()) > 0 ? box.height() / 2 / std::abs(way.y()) : 1e9;
    return middle + way * std::min({x, y, 1.0});
}

void route(LinkArrow& arrow, const profile::LinkTrafficRecord& link, const QRectF& a, const QRectF& b,
           double near_x, double near_y, bool compact) {
    const double off = lane(link, compact);
    const bool one_row = std::abs(a.center().y() - b.center().y()) < 1;
    const bool one_column = std::abs(a.center().x() - b.center().x()) < 1;
    const bool right = b.center().x() > a.center().x();
    const bool below = b.center().y() > a.center().y();
    const double across = right ? b.left() - a.right() : a.left() - b.right();
    const double down = below ? b.top() - a.bottom() : a.top() - b.bottom();
    if (one_row && across <= near_x) {
        arrow.course = LinkArrow::Course::Across;
        const double y = a.center().y() + off * a.height();
        straight(arrow, {right ? a.right() : a.left(), y}, {right ? b.left() : b.right(), y});
    } else if (one_column && down <= near_y) {
        arrow.course = LinkArrow::Course::Down;
        const bool reduces =
            link.kind == profile::LinkKind::AllReduce; // clear of the names of replicas, at the left
        const double x = a.center().x() + (reduces ? (below ? 0.24 : 0.4) : off) * a.width();
        straight(arrow, {x, below ? a.bottom() : a.top()}, {x, below ? b.top() : b.bottom()});
    } else if (one_column && link.kind == profile::LinkKind::AllReduce) {
        arrow.course = LinkArrow::Course::Around;
        beside(arrow, a, b, near_x * (below ? beside_down : beside_up), compact);
    } else if (one_column) { // past other boxes: beside the column, down at its right, up at its left
        arrow.course = LinkArrow::Course::Around;
        const double edge = below ? a.right() : a.left();
        const double bow = near_x * (below ? 0.8 : -0.8);
        curve(arrow, {edge, a.center().y()}, {edge + bow, (a.center().y() + b.center().y()) / 2},
              {edge, b.center().y()});
    } else if (one_row) { // the same along a row, to the right below it, to the left above
        arrow.course = LinkArrow::Course::Around;
        const double shift = a.width() * 0.3 * (right ? 1 : -1);
        const double edge = right ? a.bottom() : a.top();
        const double bow = near_y * (right ? 0.55 : -0.55);
        curve(arrow, {a.center().x() + shift, edge}, {(a.center().x() + b.center().x()) / 2, edge + bow},
              {b.center().x() - shift, edge});
    } else {
        arrow.course = LinkArrow::Course::Around;
        const QPointF way = b.center() - a.center();
        const double length = std::hypot(way.x(), way.y());
        const QPointF aside(-way.y() / length, way.x() / length);
        const QPointF by = (a.center() + b.center()) / 2 + aside * std::min(0.15 * length, near_x);
        curve(arrow, exitOf(a, by), by, exitOf(b, by));
    }
}

} // namespace

SystemLayout SystemLayout::make(const SystemMap& map, double width, bool compact,
                                const SystemMetrics& metrics) {
    SystemLayout layout;
    layout.compact = compact;
    for (const MappedIpu& ipu : map.ipus)
        layout.layer_lines = std::max(layout.layer_lines, std::min(ipu.layers.size(), most_layer_lines));
    if (map.ipus.empty())
        return layout;
    Sizes s = sizesOf(map, compact, layout.layer_lines, metrics);
    const Present present(map);
    Grid grid(present, s, width, metrics.line);
    // Room for bytes beside arrows, and where there is more also for what goes between replicas beside these,
    // where that takes no more rows.
    const std::vector<std::pair<double, double>> digits{{8, 0},  {8, 7},  {10, 0}, {10, 7},
                                                        {12, 0}, {12, 7}, {15, 0}, {15, 7}};
    for (const auto& [gap, bytes] : compact ? digits : std::vector<std::pair<double, double>>()) {
        Sizes wider = s;
        wider.gap.setWidth(metrics.digit * gap);
        wider.bytes = metrics.digit * bytes;
        const Grid other(present, wider, width, metrics.line);
        if (other.shards.rows == grid.shards.rows && other.replicas.rows == grid.replicas.rows) {
            s = wider;
            grid = other;
        }
    }
    const Turning &shards = grid.shards, &replicas = grid.replicas;
    const QSizeF frame = grid.frame, apart = grid.apart;
    const double top = margin + (map.traffic.links.empty() ? 0 : metrics.line);
    layout.size = {extent(replicas.columns, frame.width(), apart.width()) + grid.left + margin,
                   extent(replicas.rows, frame.height(), apart.height()) + top + margin};
    layout.canvas = {0, 0, std::max(width, layout.size.width()), layout.size.height()};
    const double left = std::max(0.0, (width - layout.size.width()) / 2) + grid.left;
    layout.note = {left, margin / 2, layout.size.width() - grid.left - margin, metrics.line};
    const auto corner = [&](std::int64_t replica) {
        const QPointF place = replicas.place(Present::rank(present.replicas, replica));
        return QPointF(left + place.x() * (frame.width() + apart.width()),
                       top + place.y() * (frame.height() + apart.height()));
    };
    if (map.replicas > 1)
        for (const std::int64_t replica : present.replicas)
            layout.frames.push_back({replica, QRectF(corner(replica), frame)});
    for (std::size_t i = 0; i < map.ipus.size(); ++i) {
        const profile::IpuRecord& ipu = map.ipus[i].record;
        const QPointF place = shards.place(Present::rank(present.shards, ipu.shard));
        const QPointF at(s.pad + place.x() * (s.box.width() + s.gap.width()),
                         s.pad + s.title + place.y() * (s.box.height() + s.gap.height()));
        layout.boxes.push_back({i, QRectF(corner(ipu.replica) + at, s.box)});
    }
    std::int64_t most = 1;
    for (const profile::LinkTrafficRecord& link : map.traffic.links)
        most = std::max(most, link.bytes);
    const double near_y = std::max(s.gap.height(), apart.height() + 2 * s.pad + s.title) + 1;
    const auto boxOf = [&](std::int64_t id) {
        return std::find_if(layout.boxes.begin(), layout.boxes.end(),
                            [&](const IpuBox& box) { return map.ipus[box.ipu].record.id == id; });
    };
    for (std::size_t l = 0; l < map.traffic.links.size(); ++l) {
        LinkArrow arrow;
        arrow.link = l;
        const double thickest = compact ? 7 : 10;
        arrow.width = 1.5 + (thickest - 1.5) * static_cast<double>(map.traffic.links[l].bytes) /
                                static_cast<double>(most);
        const auto from = boxOf(map.traffic.links[l].ipu);
        const auto to = boxOf(map.traffic.links[l].peer);
        if (from != layout.boxes.end() && to != layout.boxes.end() && from != to)
            route(arrow, map.traffic.links[l], from->rect, to->rect, grid.near_x, near_y, compact);
        layout.arrows.push_back(std::move(arrow));
    }
    return layout;
}

std::size_t SystemLayout::boxAt(const QPointF& at) const {
    for (std::size_t b = 0; b < boxes.size(); ++b)
        if (boxes[b].rect.contains(at))
            return b;
    return none;
}

std::size_t SystemLayout::arrowAt(const QPointF& at, double slack) const {
    for (std::size_t a = arrows.size(); a-- > 0;) { // what was drawn last lies on top
        if (!arrows[a].path.boundingRect().adjusted(-16, -16, 16, 16).contains(at))
            continue;
        QPainterPathStroker stroker;
        stroker.setWidth(arrows[a].width + 2 * slack);
        if (stroker.createStroke(arrows[a].path).contains(at))
            return a;
    }
    return none;
}

std::size_t SystemLayout::neighbour(std::size_t box, int dx, int dy) const {
    std::size_t best = box;
    double nearest = 0;
    for (std::size_t b = 0; box < boxes.size() && b < boxes.size(); ++b) {
        const QPointF off = boxes[b].rect.center() - boxes[box].rect.center();
        const double ahead = off.x() * dx + off.y() * dy;
        const double aside = std::abs(off.x() * dy) + std::abs(off.y() * dx);
        const double distance = ahead + 2 * aside;
        if (ahead > 1 && (best == box || distance < nearest)) {
            best = b;
            nearest = distance;
        }
    }
    return best;
}

} // namespace tilescope::ui
