// SPDX-License-Identifier: GPL-3.0-or-later
#include "live_step.h"

#include "analyse/costs.h"
#include "analyse/like_names.h"
#include "ui/session/format.h"
#include "ui/tiles/tile_text.h"

#include <optional>

namespace tilescope::ui {
namespace {

Cell layerCell(const LivenessView::Read& read, const profile::VariableRecord& variable) {
    const auto found = read.layers.find(variable.layer_id);
    return textCell(found == read.layers.end() ? QString() : found->second);
}
Cell typeCell(const profile::VariableRecord& variable) {
    return textCell(text(profile::type_text(variable)));
}

/// What is more or less live than at the same step of the base, alike variables in one row, and what is the
/// same in one.
void listDifferences(const LivenessView::Read& read, std::int64_t step, const LivenessView::Base& base,
                     std::int64_t step_before, LivenessView::Listed& listed) {
    listed.differences = true;
    const auto [changed, sum] =
        analyse::live_changes(*read.live, step, *base.read.live, step_before, base.old_names);
    for (const analyse::AlikeChanges& alike : analyse::fold_changes(changed)) {
        const analyse::VariableChange& first = alike.changes.front(); // all are in the same runs
        std::vector<std::string> layers, types;
        const std::int64_t key = first.now != nullptr ? alike.largest().now->id : -1;
        MemoryCategory category{};
        for (const analyse::VariableChange& each : alike.changes) {
            const bool gone = each.now == nullptr;
            if (!gone)
                listed.row_of[each.now->id] = key;
            const profile::VariableRecord& variable = gone ? *each.before : *each.now;
            category = variable.category;
            layers.push_back(layerCell(gone ? base.read : read, variable).text.toStdString());
            types.push_back(typeCell(variable).text.toStdString());
        }
        listed.live.push_back(
            {key,
             {textCell(text(alike.name)), first.now != nullptr ? bytesCell(alike.bytes_now) : absentCell(),
              first.before != nullptr ? bytesCell(alike.bytes_before) : absentCell(),
              bytesDifferenceCell(alike.change()), textCell(text(to_string(category))),
              textCell(text(analyse::common_text(layers))), textCell(text(analyse::common_text(types)))}});
    }
    if (sum.unchanged() > 0)
        listed.live.push_back(
            {-1,
             {textCell(LivenessView::tr("%1 unchanged").arg(formatCount(sum.unchanged()))),
              bytesCell(sum.of_unchanged()), bytesCell(sum.of_unchanged()), bytesDifferenceCell(0)}});
    listed.live_tab =
        LivenessView::tr("Live at step %1: %2").arg(formatCount(step), formatCount(sum.in_now()));
    listed.live_caption = LivenessView::tr("on %1, against step %2 of %3, which is the same; together %4")
                              .arg(placeOf(*read.live), formatCount(step_before), base.name,
                                   overAllTiles(formatBytesDifference(sum.by()), *read.live));
}

void listLive(const LivenessView::Read& read, std::int64_t step,
              const std::optional<LivenessCurve::Steps>& range, LivenessView::Listed& listed) {
    const analyse::Liveness& live = *read.live;
    for (const std::size_t i : range ? live.live_in(range->first, range->second) : live.live_at(step)) {
        const auto& v = live.variables[i];
        const analyse::Liveness::Life life = live.life_of(v);
        const LifetimeDelegate::Steps held(life.from, life.to);
        listed.lives[v.id] = {{held, held}};
        if (read.kept)
            if (const auto* kept = read.kept->of(i))
                listed.lives[v.id].front().needed = kept->needed;
        const auto last = live.last_use(v);
        const auto bound = [&](std::int64_t at) {
            return v.always_live ? numberCell(LivenessView::tr("always"), -1) : countCell(at);
        };
        listed.live.push_back(
            {v.id,
             {textCell(text(v.name)), bytesCell(v.bytes),
              writtenCell(v.always_live ? LivenessView::tr("always")
                                        : formatCounted(life.steps(), LivenessView::tr("step"),
                                                        LivenessView::tr("steps")),
                          countCell(life.steps())),
              bound(v.live_from), bound(v.live_to), last ? countCell(*last) : absentCell(),
              textCell(text(to_string(v.category))), layerCell(read, v), typeCell(v)}});
    }
    const auto count = static_cast<std::int64_t>(listed.live.size());
    if (range) {
        const std::int64_t peak = live.peak_in(range->first, range->second);
        listed.live_tab = LivenessView::tr("Live in steps %1 to %2: %3")
                              .arg(formatCount(range->first), formatCount(range->second), formatCount(count));
        listed.live_caption =
            LivenessView::tr("on %1, anywhere in these steps; the most at once is %2, at step %3")
                .arg(placeOf(live),
                     overAllTiles(formatBytes(live.points[static_cast<std::size_t>(peak)].total()), live),
                     formatCount(live.points[static_cast<std::size_t>(peak)].step));
        return;
    }
    listed.live_tab = LivenessView::tr("Live at step %1: %2").arg(formatCount(step), formatCount(count));
    listed.live_caption = LivenessView::tr("on %1, together %2")
                              .arg(placeOf(live), overAllTiles(formatBytes(live.bytes_live_at(step)), live));
}

/// What begins and ends to live between the step before and this one.
void listChanges(const LivenessView::Read& read, std::int64_t step, LivenessView::Listed& listed) {
    const auto add = [&](const std::vector<std::size_t>& indices, const QString& change) {
        for (const std::size_t i : indices) {
            const auto& v = read.live->variables[i];
            listed.changes.push_back({v.id,
                                      {textCell(text(v.name)), textCell(change), bytesCell(v.bytes),
                                       textCell(text(to_string(v.category))), layerCell(read, v)}});
        }
    };
    const auto come = read.live->appear_at(step);
    const auto go = read.live->gone_at(step);
    add(come, LivenessView::tr("appears"));
    add(go, LivenessView::tr("is gone"));
    listed.change_tab = LivenessView::tr("Appear %1, gone %2")
                            .arg(formatCount(std::ssize(come)), formatCount(std::ssize(go)));
    listed.change_caption = LivenessView::tr("from the step before to step %1").arg(formatCount(step));
}

} // namespace

QString placeOf(const analyse::Liveness& live) {
    if (live.ipu == analyse::every_ipu)
        return LivenessView::tr("all %1 IPUs").arg(formatCount(live.ipus));
    return live.chosen.empty() ? LivenessView::tr("IPU %1").arg(live.ipu)
           : live.chosen.size() == 1
               ? LivenessView::tr("IPU %1 tile %2").arg(live.ipu).arg(live.chosen[0])
               : LivenessView::tr("IPU %1 tiles %2").arg(live.ipu).arg(tilesText(-1, live.chosen));
}

QString sqlOfVariables(const analyse::Liveness& live, const QString& which) {
    if (live.chosen.empty())
        return QStringLiteral("SELECT name, category, bytes, live_from, live_to FROM variable\n"
                              "WHERE ipu %1 AND bytes > 0 AND %2\nORDER BY bytes DESC")
            .arg(live.ipu == analyse::every_ipu ? QStringLiteral("IN (SELECT id FROM ipu WHERE replica = 0)")
                                                : QStringLiteral("= %1").arg(live.ipu),
                 which);
    QStringList tiles;
    for (const std::int64_t tile : live.chosen)
        tiles << QString::number(tile);
    return QStringLiteral("SELECT name, category, sum(value) AS bytes, live_from, live_to\n"
                          "FROM variable, tile_values('variable', variable.id, %1, 'bytes')\n"
                          "WHERE ipu = %1 AND tile IN (%2) AND value > 0 AND %3\n"
                          "GROUP BY variable.id\nORDER BY sum(value) DESC")
        .arg(live.ipu)
        .arg(tiles.join(QStringLiteral(", ")), which);
}

QString overAllTiles(const QString& bytes, const analyse::Liveness& live) {
    return live.tiles == 1       ? bytes
           : live.chosen.empty() ? LivenessView::tr("%1 over all tiles").arg(bytes)
                                 : LivenessView::tr("%1 over these tiles").arg(bytes);
}

std::optional<std::int64_t> LivenessView::Base::stepOf(std::int64_t program) const {
    const auto same = steps.find(program);
    if (same != steps.end())
        for (const auto& point : read.live->points)
            if (point.program == same->second)
                return point.step;
    return {};
}

LivenessView::Listed listStep(const LivenessView::Read& now, std::int64_t step,
                              const std::optional<LivenessCurve::Steps>& range,
                              const LivenessView::Base* base, bool difference) {
    LivenessView::Listed listed;
    const auto& here = now.live->points[static_cast<std::size_t>(now.live->point_of(step))];
    const auto before = !range && difference && base != nullptr ? base->stepOf(here.program) : std::nullopt;
    if (before)
        listDifferences(now, step, *base, *before, listed);
    else
        listLive(now, step, range, listed);
    if (!range && difference && base != nullptr && !before)
        listed.live_caption += LivenessView::tr("; %1 has no such step").arg(base->name);
    listChanges(now, step, listed);
    return listed;
}

} // namespace tilescope::ui
