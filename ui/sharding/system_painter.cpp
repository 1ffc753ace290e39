// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/system_painter.h"

#include "analyse/phases.h"
#include "base/share.h"
#include "sharding_text.h"
#include "ui/session/format.h"
#include "ui/theme/chart_style.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace tilescope::ui {
namespace {

QColor frameColor(const Theme& theme) {
    return ChartStyle::mixed(theme.window, theme.text, theme.dark ? 0.03 : 0.02);
}

QString titleOf(const ReplicaFrame& f) {
    return shardingText("Replica %1").arg(f.replica);
}

/// As many can have their figures beside them wherever large boxes let them go.
constexpr std::size_t few_arrows = 8;

} // namespace

QColor linkColor(const Theme& theme, profile::LinkKind kind) {
    return kind == profile::LinkKind::AllReduce ? theme.update : theme.inter_ipu;
}

SystemPainter::SystemPainter(QPainter& painter, const SystemMap& map, const SystemLayout& layout,
                             const Theme& theme, const ChartStyle& style)
    : painter_(painter), map_(map), layout_(layout), theme_(theme), style_(style), font_(painter.font()),
      bold_(painter.font()), small_(painter.font()), line_(QFontMetricsF(painter.font()).height()) {
    bold_.setWeight(QFont::DemiBold);
    small_.setPointSizeF(font_.pointSizeF() * 0.86);
}

void SystemPainter::paint(const SystemMarks& marks, const QRectF& visible,
                          const std::vector<LinkLabel>& labels) {
    painter_.setRenderHint(QPainter::Antialiasing);
    for (const ReplicaFrame& f : layout_.frames)
        if (f.rect.intersects(visible))
            frame(f);
    const auto idOf = [&](std::size_t box) {
        return box == SystemLayout::none ? std::int64_t{-1} : map_.ipus[layout_.boxes[box].ipu].record.id;
    };
    const std::int64_t hovered = idOf(marks.hovered_box);
    const bool any = marks.hovered_box != SystemLayout::none || marks.hovered_arrow != SystemLayout::none ||
                     marks.arrow != SystemLayout::none;
    for (const bool strong_ones : {false, true})
        for (std::size_t a = 0; a < layout_.arrows.size(); ++a) {
            const LinkArrow& one = layout_.arrows[a];
            const profile::LinkTrafficRecord& link = map_.traffic.links[one.link];
            const bool touched = hovered >= 0 && (link.ipu == hovered || link.peer == hovered);
            const bool strong = a == marks.hovered_arrow || a == marks.arrow || touched;
            if (strong == strong_ones && !one.path.isEmpty() && !hides(one) &&
                one.path.boundingRect().adjusted(-40, -40, 40, 40).intersects(visible))
                arrow(one, strong, any && !strong);
        }
    for (const ReplicaFrame& f : layout_.frames)
        if (f.rect.intersects(visible))
            frameTitle(f);
    for (std::size_t b = 0; b < layout_.boxes.size(); ++b)
        if (layout_.boxes[b].rect.intersects(visible))
            box(layout_.boxes[b], b == marks.box, b == marks.hovered_box, marks.focused);
    arrowLabels(marks, labels);
    note(labels);
}

QString linkLegendKind(profile::LinkKind kind) {
    return kind == profile::LinkKind::Copy ? QStringLiteral("copies") : QStringLiteral("collectives");
}

bool SystemPainter::hides(const LinkArrow& one) const {
    return style_.hidden.contains(linkLegendKind(map_.traffic.links[one.link].kind));
}

void SystemPainter::frame(const ReplicaFrame& f) {
    painter_.setPen(QPen(theme_.border, 1));
    painter_.setBrush(frameColor(theme_));
    painter_.drawRoundedRect(f.rect, 8, 8);
}

QRectF SystemPainter::titlePlace(const ReplicaFrame& f) const {
    return QRectF(f.rect.left() + line_, f.rect.top() + line_ * 0.5,
                  QFontMetricsF(font_).horizontalAdvance(titleOf(f)), line_)
        .adjusted(-3, 0, 3, 0);
}

/// On paper of its own, so that arrows do not run through it.
void SystemPainter::frameTitle(const ReplicaFrame& f) {
    const QRectF place = titlePlace(f);
    painter_.setFont(font_);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(frameColor(theme_));
    painter_.drawRoundedRect(place, 3, 3);
    painter_.setPen(theme_.muted);
    painter_.drawText(place, Qt::AlignCenter, titleOf(f));
}

void SystemPainter::arrow(const LinkArrow& one, bool strong, bool faint) {
    const profile::LinkKind kind = map_.traffic.links[one.link].kind;
    QColor color = linkColor(theme_, kind);
    if (faint)
        color = ChartStyle::mixed(theme_.window, color, 0.22);
    const double width = one.width + (strong ? 1 : 0);
    const double head = std::max(one.head(), width * 1.9);
    QPen pen(color, width, Qt::SolidLine, Qt::FlatCap);
    if (kind == profile::LinkKind::AllReduce)
        pen.setDashPattern({std::max(1.5, 5 / width), std::max(1.0, 3 / width)});
    painter_.setPen(pen);
    painter_.setBrush(Qt::NoBrush);
    // The line ends within the head, so that a thick one does not show beside its tip.
    const double length = one.path.length();
    const double end = length <= head ? 0.1 : one.path.percentAtLength(length - head * 0.8);
    if (one.path.elementCount() == 2) {
        painter_.drawLine(one.path.pointAtPercent(0), one.path.pointAtPercent(end));
    } else {
        QPainterPath cut;
        cut.moveTo(one.path.pointAtPercent(0));
        const int pieces = std::max(32, static_cast<int>(length / 3)); // corners stay corners
        for (int i = 1; i <= pieces; ++i)
            cut.lineTo(one.path.pointAtPercent(end * i / pieces));
        painter_.drawPath(cut);
    }
    const QPointF along(std::cos(one.angle), std::sin(one.angle));
    const QPointF aside(-along.y(), along.x());
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(color);
    painter_.drawPolygon(QPolygonF(
        {one.tip, one.tip - along * head + aside * head * 0.5, one.tip - along * head - aside * head * 0.5}));
}

std::vector<QRectF> SystemPainter::names() const {
    std::vector<QRectF> places;
    for (const ReplicaFrame& f : layout_.frames)
        places.push_back(titlePlace(f));
    return places;
}

std::vector<LinkLabel> SystemPainter::labels() const {
    const bool all = layout_.compact || layout_.arrows.size() <= few_arrows;
    std::set<std::size_t> arrows;
    for (std::size_t a = 0; a < layout_.arrows.size(); ++a)
        if (!hides(layout_.arrows[a]) && (all || layout_.arrows[a].course != LinkArrow::Course::Around))
            arrows.insert(a);
    return linkLabels(map_, layout_, small_, names(), arrows, {});
}

void SystemPainter::arrowLabels(const SystemMarks& marks, const std::vector<LinkLabel>& labels) {
    std::set<std::size_t> others; // that are told since they are pointed at, or chosen
    for (const std::size_t a : {marks.hovered_arrow, marks.arrow})
        if (a != SystemLayout::none && !hides(layout_.arrows[a]))
            others.insert(a);
    std::vector<QRectF> taken = names();
    for (const LinkLabel& label : labels) {
        others.erase(label.arrow);
        taken.push_back(label.bytes_place);
        taken.push_back(label.time_place);
        arrowLabel(label);
    }
    for (const LinkLabel& label : linkLabels(map_, layout_, small_, std::move(taken), {}, others))
        arrowLabel(label);
}

void SystemPainter::arrowLabel(const LinkLabel& label) {
    constexpr int flags = static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextDontClip);
    painter_.setFont(small_);
    if (label.on_paper) {
        painter_.setPen(Qt::NoPen);
        QColor veil = theme_.window;
        veil.setAlphaF(0.88F);
        painter_.setBrush(veil);
        painter_.drawRoundedRect(label.bytes_place.united(label.time_place), 4, 4);
    }
    painter_.setPen(theme_.text);
    painter_.drawText(label.bytes_place, flags, label.bytes);
    painter_.setPen(theme_.muted);
    painter_.drawText(label.time_place, flags, label.time);
}

/// How many links have no bytes at them; and what these are, where that fits.
void SystemPainter::note(const std::vector<LinkLabel>& labels) {
    std::set<std::size_t> labelled;
    for (const LinkLabel& label : labels)
        labelled.insert(label.arrow);
    std::int64_t drawn = 0;
    std::vector<std::pair<QString, QStringList>> others; // by bytes, as the links come
    for (std::size_t a = 0; a < layout_.arrows.size(); ++a) {
        if (layout_.arrows[a].path.isEmpty() || hides(layout_.arrows[a]))
            continue;
        ++drawn;
        if (labelled.contains(a))
            continue;
        const profile::LinkTrafficRecord& link = map_.traffic.links[layout_.arrows[a].link];
        const QString bytes = formatBytes(map_.traffic.of(link).bytes);
        auto same =
            std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.first == bytes; });
        if (same == others.end())
            same = others.insert(others.end(), {bytes, {}});
        same->second << QStringLiteral("%1 → %2").arg(link.ipu).arg(link.peer);
    }
    if (others.empty())
        return;
    painter_.setFont(small_);
    painter_.setPen(theme_.muted);
    const QFontMetricsF metrics(small_);
    const QString count = shardingText("%1 of %2 links have their bytes at them")
                              .arg(formatCount(std::ssize(labels)), formatCount(drawn));
    QStringList each;
    for (const auto& [bytes, links] : others)
        each << QStringLiteral("%1: %2").arg(links.join(QStringLiteral(", ")), bytes);
    QString all = (drawn - std::ssize(labels) == 1 ? shardingText("%1; the other, from IPU to IPU:  %2")
                                                   : shardingText("%1; the others, from IPU to IPU:  %2"))
                      .arg(count, each.join(QStringLiteral("  ·  ")));
    if (metrics.horizontalAdvance(all) > layout_.note.width())
        all = shardingText("%1, those of most first; point at another, or see Links.").arg(count);
    painter_.drawText(layout_.note, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(all, Qt::ElideRight, layout_.note.width()));
}

void SystemPainter::box(const IpuBox& one, bool selected, bool hovered, bool focused) {
    const MappedIpu& ipu = map_.ipus[one.ipu];
    painter_.setPen(QPen(selected || hovered ? theme_.accent : theme_.border, selected ? 2 : 1));
    painter_.setBrush(selected ? ChartStyle::mixed(theme_.panel, theme_.accent, focused ? 0.1 : 0.05)
                               : theme_.panel);
    painter_.drawRoundedRect(one.rect, 7, 7);
    painter_.save();
    painter_.setClipRect(one.rect);
    const double pad = line_ * 0.55;
    const QRectF inside = one.rect.adjusted(pad, pad * 0.8, -pad, -pad * 0.6);
    if (layout_.compact)
        compactBox(ipu, inside);
    else
        fullBox(ipu, inside);
    painter_.restore();
}

void SystemPainter::line(const QRectF& rect, const QString& left, const QString& right,
                         const QColor& left_color, bool right_is_bad) {
    const QFontMetricsF metrics(painter_.font());
    const double taken = right.isEmpty() ? 0 : QFontMetricsF(font_).horizontalAdvance(right) + 6;
    painter_.setPen(left_color);
    painter_.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(left, Qt::ElideRight, rect.width() - taken));
    painter_.setFont(font_);
    painter_.setPen(right_is_bad ? theme_.bad : theme_.muted);
    painter_.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, right);
}

std::int64_t SystemPainter::Bar::sum() const {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0},
                           [](std::int64_t sum, const Part& part) { return sum + part.value; });
}

/// Of more than there is room for, all is shown, with the end of the room in it.
void SystemPainter::bar(const QRectF& rect, const Bar& of) {
    painter_.save();
    QPainterPath clip;
    clip.addRoundedRect(rect, 2.5, 2.5);
    painter_.setClipPath(clip, Qt::IntersectClip);
    painter_.fillRect(rect, theme_.dark ? theme_.waiting : theme_.grid);
    const std::int64_t most = std::max(of.whole, of.sum());
    double x = rect.left();
    for (const Part& part : of.parts) {
        const double width = rect.width() * share_of(part.value, most).value_or(0);
        painter_.fillRect(QRectF(x, rect.top(), width, rect.height()), part.brush);
        x += width;
    }
    if (of.isOver())
        painter_.fillRect(QRectF(rect.left() + rect.width() * share_of(of.whole, most).value_or(0) - 1,
                                 rect.top(), 2, rect.height()),
                          theme_.bad);
    painter_.restore();
}

void SystemPainter::gauge(QRectF& rest, const QString& name, const QString& figure, const Bar& now,
                          const Bar& base) {
    const QRectF text(rest.left(), rest.top(), rest.width(), line_ * 1.2);
    painter_.setFont(font_);
    line(text, name, figure, theme_.text, now.isOver());
    const double height = line_ * (base.whole > 0 ? 0.36 : 0.5);
    bar(QRectF(rest.left(), text.bottom(), rest.width(), height), now);
    if (base.whole > 0)
        bar(QRectF(rest.left(), text.bottom() + line_ * 0.42, rest.width(), line_ * 0.22), base);
    rest.setTop(rest.top() + line_ * 2.05);
}

std::vector<SystemPainter::Part> SystemPainter::memoryParts(std::int64_t bytes, std::int64_t always) const {
    return {{liveBrush(theme_, true), always}, {liveBrush(theme_, false), bytes - always}};
}

std::vector<SystemPainter::Part> SystemPainter::phaseParts(const MappedIpu& ipu) const {
    return {{style_.compute, ipu.phases.compute},
            {style_.exchange, ipu.phases.exchange},
            {style_.inter_ipu, ipu.phases.inter_ipu},
            {style_.sync, ipu.phases.sync},
            {style_.host, ipu.phases.host}}; // the rest is waiting
}

void SystemPainter::layers(const MappedIpu& ipu, QRectF& rest) {
    const double height = line_ * 1.15;
    const std::size_t room = layout_.layer_lines;
    const std::size_t shown = ipu.layers.size() <= room ? ipu.layers.size() : room - 1;
    for (std::size_t l = 0; l < shown; ++l) {
        const MappedLayer& layer = ipu.layers[l];
        const QRectF row(rest.left(), rest.top() + static_cast<double>(l) * height, rest.width(), height);
        QColor soft = theme_.accent;
        soft.setAlpha(theme_.dark ? 60 : 38);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(soft);
        painter_.drawRoundedRect(QRectF(row.left() - 3, row.top() + 1,
                                        (row.width() + 6) * layer.share.value_or(0), row.height() - 2),
                                 2.5, 2.5);
        painter_.setFont(font_);
        if (layer.share_before) {
            soft.setAlpha(theme_.dark ? 190 : 150);
            painter_.fillRect(QRectF(row.left() - 3, row.bottom() - 2,
                                     (row.width() + 6) * *layer.share_before, line_ * 0.12),
                              soft);
        }
        const QString share = layer.share ? formatPercent(*layer.share) : QString();
        painter_.setFont(font_);
        line(row, layer.name, share, theme_.text);
        const QFontMetricsF metrics(font_);
        const double used = metrics.horizontalAdvance(layer.name) + 8;
        const QRectF kind = row.adjusted(used, 0, -metrics.horizontalAdvance(share) - 8, 0);
        painter_.setFont(small_);
        painter_.setPen(layer.moved.isEmpty() ? theme_.muted : theme_.accent);
        if (kind.width() > line_ * 2)
            painter_.drawText(
                kind, Qt::AlignLeft | Qt::AlignVCenter,
                QFontMetricsF(small_).elidedText(layer.moved.isEmpty() ? layer.kind : layer.moved,
                                                 Qt::ElideRight, kind.width()));
    }
    if (shown < ipu.layers.size()) {
        painter_.setFont(font_);
        painter_.setPen(theme_.muted);
        painter_.drawText(
            QRectF(rest.left(), rest.top() + static_cast<double>(shown) * height, rest.width(), height),
            Qt::AlignLeft | Qt::AlignVCenter, shardingText("and %1 more").arg(ipu.layers.size() - shown));
    }
    rest.setTop(rest.top() + static_cast<double>(room) * height + line_ * 0.3);
}

void SystemPainter::fullBox(const MappedIpu& ipu, QRectF rest) {
    painter_.setFont(bold_);
    line({rest.left(), rest.top(), rest.width(), line_ * 1.2}, shardingText("IPU %1").arg(ipu.record.id),
         shardingText("device %1").arg(ipu.record.device_id), theme_.text);
    painter_.setFont(font_);
    line({rest.left(), rest.top() + line_ * 1.1, rest.width(), line_ * 1.2}, shardName(map_, ipu), {},
         theme_.muted);
    rest.setTop(rest.top() + line_ * 2.5);
    layers(ipu, rest);
    const MappedIpu* before = map_.before(ipu);
    const auto memory = [&](const QString& name, std::int64_t MappedIpu::*bytes,
                            std::int64_t MappedIpu::*always, std::int64_t capacity,
                            std::int64_t capacity_before) {
        if (ipu.fullest_tile < 0)
            return gauge(rest, name, shardingText("not recorded"), {}, {});
        const double share = share_of(ipu.*bytes, capacity).value_or(0);
        const bool compared = before != nullptr && before->fullest_tile >= 0;
        const QString figure =
            compared ? QStringLiteral("%1  %2").arg(
                           formatPercent(share),
                           formatPoints(share_of(before->*bytes, capacity_before).value_or(0), share))
                     : QStringLiteral("%1  ·  %2").arg(formatBytes(ipu.*bytes), formatPercent(share));
        gauge(rest, name, figure, {memoryParts(ipu.*bytes, ipu.*always), capacity},
              compared ? Bar{memoryParts(before->*bytes, before->*always), capacity_before} : Bar{});
    };
    const SystemMap& base = map_.base ? *map_.base : map_;
    memory(shardingText("Fullest tile"), &MappedIpu::fullest_bytes, &MappedIpu::fullest_always_live,
           map_.bytes_per_tile, base.bytes_per_tile);
    memory(shardingText("Tile peaks"), &MappedIpu::total_bytes, &MappedIpu::total_always_live,
           map_.capacity(), base.capacity());
    const std::int64_t all = ipu.phases.total();
    const auto computes = [](const MappedIpu& of) {
        return analyse::phase_share(of.phases, &profile::PhaseCycles::compute).value_or(0);
    };
    const double compute = computes(ipu);
    const bool compared = before != nullptr && map_.comparesTime() && before->phases.total() > 0;
    gauge(rest, compared ? shardingText("Compute") : shardingText("Cycles"),
          all == 0 ? shardingText("none yet")
          : compared
              ? QStringLiteral("%1  %2").arg(formatPercent(compute), formatPoints(computes(*before), compute))
          : map_.planned ? shardingText("planned, compute %1").arg(formatPercent(compute))
                         : shardingText("compute %1").arg(formatPercent(compute)),
          {phaseParts(ipu), all}, compared ? Bar{phaseParts(*before), before->phases.total()} : Bar{});
}

void SystemPainter::compactBox(const MappedIpu& ipu, QRectF rest) {
    painter_.setFont(bold_);
    const QString name =
        shardingText("IPU %1").arg(ipu.record.id); // which must be read; what it has may give way
    const QString part = !ipu.stages.empty() ? stagesName(ipu)
                         : map_.shards > 1   ? shardingText("shard %1").arg(ipu.record.shard)
                                             : shardingText("device %1").arg(ipu.record.device_id);
    const double beside = rest.width() - QFontMetricsF(bold_).horizontalAdvance(name) - 6;
    line({rest.left(), rest.top(), rest.width(), line_ * 1.1}, name,
         QFontMetricsF(font_).elidedText(part, Qt::ElideRight, beside), theme_.text);
    const double figure = QFontMetricsF(small_).horizontalAdvance(QStringLiteral("100 %")) + 5;
    const std::int64_t all = ipu.phases.total();
    const MappedIpu* before = map_.before(ipu);
    const auto row = [&](int index, const Bar& now, const Bar& base, std::int64_t part) {
        const QRectF text(rest.left(), rest.top() + line_ * (1.3 + 1.0 * index), rest.width(), line_);
        const QRectF place(text.left(), text.center().y() - line_ * 0.22, text.width() - figure,
                           line_ * 0.44);
        bar(base.whole > 0 ? place.adjusted(0, 0, 0, -line_ * 0.1) : place, now);
        if (base.whole > 0)
            bar(place.adjusted(0, line_ * 0.4, 0, line_ * 0.14), base);
        painter_.setFont(small_);
        painter_.setPen(now.isOver() ? theme_.bad : theme_.muted);
        painter_.drawText(text, Qt::AlignRight | Qt::AlignVCenter,
                          now.whole > 0 ? formatWholePercent(share_of(part, now.whole).value_or(0))
                                        : QStringLiteral("–"));
    };
    const auto memory = [&](const MappedIpu& of, const SystemMap& map) {
        return Bar{memoryParts(of.fullest_bytes, of.fullest_always_live), map.bytes_per_tile};
    };
    row(0, memory(ipu, map_), before != nullptr ? memory(*before, *map_.base) : Bar{}, ipu.fullest_bytes);
    row(1, {phaseParts(ipu), all},
        before != nullptr ? Bar{phaseParts(*before), before->phases.total()} : Bar{}, ipu.phases.compute);
}

} // namespace tilescope::ui
