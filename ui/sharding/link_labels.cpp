// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/link_labels.h"

#include "ui/session/format.h"

#include <QFontMetricsF>
#include <QLineF>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr double apart = 3; ///< between a label and an arrow
constexpr double pad = 4;   ///< beside the text of a plate

/// Whether a line from point to point goes through a rectangle.
bool crosses(const QRectF& rect, const QPointF& from, const QPointF& to) {
    double begin = 0, end = 1; // of the way, within what has been cut off so far
    const auto cut = [&](double at, double by, double low, double high) {
        if (by == 0)
            return at >= low && at <= high;
        const auto [first, last] = std::minmax({(low - at) / by, (high - at) / by});
        begin = std::max(begin, first);
        end = std::min(end, last);
        return begin <= end;
    };
    return cut(from.x(), to.x() - from.x(), rect.left(), rect.right()) &&
           cut(from.y(), to.y() - from.y(), rect.top(), rect.bottom());
}

QRectF larger(const QRectF& rect, double by) {
    return rect.adjusted(-by, -by, by, by);
}

/// What a label must not lie on.
class Ground {
  public:
    Ground(const SystemLayout& layout, std::vector<QRectF> taken)
        : canvas_(layout.canvas), taken_(std::move(taken)) {
        for (const IpuBox& box : layout.boxes)
            taken_.push_back(box.rect);
        for (const LinkArrow& arrow : layout.arrows) {
            if (arrow.path.isEmpty())
                continue;
            const double head = arrow.head();
            const QPointF within =
                arrow.tip - QPointF(std::cos(arrow.angle), std::sin(arrow.angle)) * head / 2;
            taken_.push_back(larger(QRectF(within, within), head / 2));
            for (const QPolygonF& line : arrow.path.toSubpathPolygons())
                strokes_.push_back({line, line.boundingRect(), arrow.width / 2 + 1, &arrow});
        }
    }

    /// `own`: the arrow that the label may lie on; null: on none.
    bool clear(const QRectF& place, const LinkArrow* own = nullptr) const {
        return canvas_.contains(place) &&
               std::none_of(taken_.begin(), taken_.end(),
                            [&](const QRectF& other) { return other.intersects(place); }) &&
               std::none_of(strokes_.begin(), strokes_.end(), [&](const Stroke& stroke) {
                   return (own == nullptr || stroke.arrow != own) && lies(larger(place, stroke.half), stroke);
               });
    }
    bool take(const std::vector<QRectF>& places, const LinkArrow* own = nullptr) {
        if (!std::all_of(places.begin(), places.end(),
                         [&](const QRectF& place) { return clear(place, own); }))
            return false;
        taken_.insert(taken_.end(), places.begin(), places.end());
        return true;
    }

  private:
    struct Stroke {
        QPolygonF line;
        QRectF bounds;
        double half = 0; ///< of its width
        const LinkArrow* arrow = nullptr;
    };
    static bool lies(const QRectF& on, const Stroke& stroke) {
        // A level or upright line has bounds of no area, which intersect nothing.
        if (!larger(stroke.bounds, 1).intersects(on))
            return false;
        for (qsizetype i = 1; i < stroke.line.size(); ++i)
            if (crosses(on, stroke.line[i - 1], stroke.line[i]))
                return true;
        return false;
    }

    QRectF canvas_;
    std::vector<QRectF> taken_;
    std::vector<Stroke> strokes_;
};

/// Where a plate of this size lies close to an arrow, `near`: where there are many others; nullopt: nowhere.
std::optional<QRectF> plateOf(Ground& ground, const LinkArrow& arrow, const QSizeF& size, bool near) {
    const double own = arrow.width / 2 + apart;
    for (const double farther : near ? std::vector{0.0, 6.0} : std::vector{0.0, 6.0, 14.0, 24.0, 36.0})
        for (const double from_middle : {0.0, 0.08, 0.16, 0.24, 0.32})
            for (const double along : {0.5 - from_middle, 0.5 + from_middle}) {
                const QPointF at = arrow.path.pointAtPercent(along);
                const double angle = -arrow.path.angleAtPercent(along) * std::numbers::pi / 180; // counts up
                const QPointF aside(-std::sin(angle), std::cos(angle));
                const double reach = std::abs(aside.x()) * size.width() / 2 +
                                     std::abs(aside.y()) * size.height() / 2 + own + farther;
                for (const double side : {1.0, -1.0}) {
                    QRectF place(QPointF(), size);
                    place.moveCenter(at + aside * side * reach);
                    if (ground.take({place}))
                        return place;
                }
            }
    return std::nullopt;
}

/// Where a plate lies on the arrow itself, which goes on to both sides of it; nullopt: nowhere.
std::optional<QRectF> plateOn(Ground& ground, const LinkArrow& arrow, const QSizeF& size) {
    const double length = arrow.path.length();
    const double seen = arrow.head() + 4; // of the arrow, before the plate and beyond it
    constexpr double step = 4;
    for (int steps = 0; steps * step < length / 2; ++steps)
        for (const double side : {1.0, -1.0}) {
            const double along = arrow.path.percentAtLength(length / 2 + side * steps * step);
            QRectF place(QPointF(), size);
            place.moveCenter(arrow.path.pointAtPercent(along));
            const QRectF with_ends = larger(place, seen);
            if (!with_ends.contains(arrow.path.pointAtPercent(0)) && !with_ends.contains(arrow.tip) &&
                ground.take({place}, &arrow))
                return place;
        }
    return std::nullopt;
}

} // namespace

std::vector<LinkLabel> linkLabels(const SystemMap& map, const SystemLayout& layout, const QFont& font,
                                  std::vector<QRectF> taken, const std::set<std::size_t>& arrows,
                                  const std::set<std::size_t>& always) {
    const QFontMetricsF metrics(font);
    Ground ground(layout, std::move(taken));
    std::vector<LinkLabel> labels;
    std::vector<std::size_t> on_their_arrows; // beside which there is no place for them
    const auto add = [&](std::size_t at) {
        const bool brief = layout.compact && !always.contains(at);
        const LinkArrow& arrow = layout.arrows[at];
        if (arrow.path.isEmpty())
            return;
        const analyse::LinkFigures figures = map.traffic.of(map.traffic.links[arrow.link]);
        LinkLabel label;
        label.arrow = at;
        label.bytes = formatBytes(figures.bytes);
        if (!brief)
            label.time = formatTime(figures.cycles, map.clock_hz);
        const double high = metrics.height();
        const QPointF middle = arrow.path.pointAtPercent(0.5);
        const double away = arrow.width / 2 + apart;
        const auto tell = [&](const QRectF& bytes_place, const QRectF& time_place) {
            label.bytes_place = bytes_place;
            label.time_place = time_place;
            labels.push_back(label);
        };
        if (arrow.course == LinkArrow::Course::Across) {
            const auto beside = [&](const QString& text, double along, double top) {
                const double width = metrics.horizontalAdvance(text);
                return QRectF(middle.x() + along * arrow.path.length() - width / 2, top, width, high);
            };
            for (const double along : {0.0, -0.15, 0.15, -0.25, 0.25}) {
                const QRectF above = beside(label.bytes, along, middle.y() - away - high);
                const QRectF below = beside(brief ? label.bytes : label.time, along, middle.y() + away);
                if (!brief && ground.take({above, below}))
                    return tell(above, below);
                for (const QRectF& place : {above, below})
                    if (brief && ground.take({place}))
                        return tell(place, {});
            }
        }
        const auto width_of = [&](const QString& text) { return metrics.horizontalAdvance(text); };
        const double lines = brief ? 1 : 2;
        const QSizeF size(std::max(width_of(label.bytes), width_of(label.time)) + 2 * pad, lines * high);
        const auto plate = plateOf(ground, arrow, size, brief);
        if (!plate && brief)
            return on_their_arrows.push_back(at);
        if (!plate && !always.contains(at))
            return;
        label.on_paper = !plate;
        QRectF place = plate.value_or(QRectF(QPointF(), size));
        if (!plate)
            place.moveCenter(middle);
        brief ? tell(place, {}) : tell(place.adjusted(0, 0, 0, -high), place.adjusted(0, high, 0, 0));
    };
    // Of as many bytes what can stand in one place only comes before what can move, and what is told once it
    // is pointed at last.
    std::vector<std::size_t> order(arrows.begin(), arrows.end());
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto first = [&](std::size_t at) {
            const LinkArrow& arrow = layout.arrows[at];
            return std::tuple(-map.traffic.links[arrow.link].bytes,
                              arrow.course == LinkArrow::Course::Around);
        };
        return first(a) < first(b);
    });
    for (const std::size_t at : order)
        add(at);
    for (const std::size_t at : on_their_arrows) {
        LinkLabel label;
        label.arrow = at;
        label.bytes = formatBytes(map.traffic.of(map.traffic.links[layout.arrows[at].link]).bytes);
        const QSizeF size(metrics.horizontalAdvance(label.bytes) + 2 * pad, metrics.height());
        if (const auto plate = plateOn(ground, layout.arrows[at], size)) {
            label.on_paper = true;
            label.bytes_place = *plate;
            labels.push_back(label);
        }
    }
    for (const std::size_t at : always)
        if (at < layout.arrows.size() &&
            std::none_of(labels.begin(), labels.end(),
                         [at](const LinkLabel& label) { return label.arrow == at; }))
            add(at);
    return labels;
}

} // namespace tilescope::ui
