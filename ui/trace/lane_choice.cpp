// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/lane_choice.h"

#include "trace_text.h"

#include <QJsonArray>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

std::vector<std::int64_t> idsOf(const std::vector<profile::IpuRecord>& ipus) {
    std::vector<std::int64_t> ids;
    ids.reserve(ipus.size());
    for (const profile::IpuRecord& ipu : ipus)
        ids.push_back(ipu.id);
    return ids;
}

/// Puts one of `all` before another, or at the end; false: one of them is not there.
template<class T>
bool moved(std::vector<T>& all, const T& one, const std::optional<T>& before) {
    const bool there = std::find(all.begin(), all.end(), one) != all.end() &&
                       (!before || std::find(all.begin(), all.end(), *before) != all.end());
    if (!there)
        return false;
    std::erase(all, one);
    all.insert(before ? std::find(all.begin(), all.end(), *before) : all.end(), one);
    return true;
}

QStringList namesOf(const std::set<LaneKind>& kinds) {
    QStringList names;
    for (const LaneKind kind : kinds)
        names.append(laneKindName(kind, false));
    return names;
}

std::optional<LaneKind> laneKindNamed(const QString& name) {
    const auto found = std::find_if(LaneChoice::kinds.begin(), LaneChoice::kinds.end(),
                                    [&](LaneKind kind) { return laneKindName(kind, false) == name; });
    return found == LaneChoice::kinds.end() ? std::nullopt : std::optional(*found);
}

} // namespace

QString laneKindName(LaneKind kind, bool updates) {
    switch (kind) {
    case LaneKind::Execution:
        return text("Execution");
    case LaneKind::Step:
        return updates ? text("Weight update") : text("Step");
    case LaneKind::MicroBatch:
        return text("Micro-batch");
    case LaneKind::Layer:
        return text("Layer");
    case LaneKind::Operation:
        return text("Operation");
    case LaneKind::Program:
        return text("Program step");
    case LaneKind::Phases:
        return text("Phases");
    case LaneKind::Tiles:
        return text("Tiles");
    case LaneKind::LiveBytes:
        return text("Live memory");
    case LaneKind::ExchangeRate:
        return text("Exchange rate");
    case LaneKind::FlopRate:
        return text("FLOP rate");
    case LaneKind::BusyTiles:
        return text("Tiles busy");
    case LaneKind::Host:
        return text("Host");
    case LaneKind::LinkRate:
        return text("Links");
    case LaneKind::Activity:
        break;
    }
    return text("Activity");
}

bool LaneChoice::shows(std::int64_t ipu, LaneKind kind) const {
    if (!shows(kind) || !shows(ipu) || hidden_lanes.contains({ipu, kind}))
        return false;
    const auto matches = [&](bool updates) {
        const QString kind_name = laneKindName(kind, updates);
        return pattern_.match(ipu < 0 ? kind_name : text("IPU %1 %2").arg(ipu).arg(kind_name)).hasMatch();
    };
    return filter_.isEmpty() || matches(false) || matches(true);
}

void LaneChoice::setFilter(const QString& wanted) {
    filter_ = wanted;
    const QString typed = wanted.trimmed(); // a blank is of a word that is still to come
    pattern_ = typed.isEmpty() ? QRegularExpression()
                               : QRegularExpression(typed, QRegularExpression::CaseInsensitiveOption);
    if (!pattern_.isValid())
        pattern_.setPattern(QRegularExpression::escape(typed));
}

bool LaneChoice::showsAny(std::int64_t ipu) const {
    return ipu == the_host ? shows(ipu, LaneKind::Host)
           : ipu == the_links
               ? shows(ipu, LaneKind::LinkRate)
               : std::any_of(kinds.begin(), kinds.end(), [&](LaneKind kind) {
                     return kind != LaneKind::Host && kind != LaneKind::LinkRate && shows(ipu, kind);
                 });
}

bool LaneChoice::pins(std::int64_t ipu) const {
    return std::find(pinned.begin(), pinned.end(), ipu) != pinned.end();
}

void LaneChoice::show(LaneKind kind, bool shown) {
    if (!shown && hidden_kinds.size() + 1 >= kinds.size())
        return;
    std::erase_if(hidden_lanes, [kind](const auto& lane) { return lane.second == kind; });
    if (shown)
        hidden_kinds.erase(kind);
    else
        hidden_kinds.insert(kind);
}

void LaneChoice::show(std::int64_t ipu, LaneKind kind, bool shown,
                      const std::vector<profile::IpuRecord>& ipus) {
    if (shown && hidden_kinds.erase(kind) > 0)
        for (const profile::IpuRecord& other : ipus)
            hidden_lanes.insert({other.id, kind});
    if (shown)
        hidden_lanes.erase({ipu, kind});
    else
        hidden_lanes.insert({ipu, kind});
    const bool none = std::all_of(ipus.begin(), ipus.end(), [&](const profile::IpuRecord& other) {
        return hidden_lanes.contains({other.id, kind});
    });
    if (none && !ipus.empty())
        show(kind, false);
}

void LaneChoice::show(std::int64_t ipu, bool shown, const std::vector<profile::IpuRecord>& ipus) {
    if (shown)
        hidden_ipus.erase(ipu);
    else if (ordered(ipus).size() > 1)
        hidden_ipus.insert(ipu);
}

std::set<LaneKind> LaneChoice::flatKinds() {
    std::set<LaneKind> hidden(kinds.begin(), kinds.end());
    hidden.erase(LaneKind::Program);
    hidden.erase(LaneKind::Host);
    return hidden;
}

void LaneChoice::setFlat(bool wanted) {
    if (wanted == flat())
        return;
    if (wanted)
        hidden_before_flat = std::exchange(hidden_kinds, flatKinds());
    else
        hidden_kinds = std::exchange(hidden_before_flat, LaneChoice().hidden_kinds);
}

void LaneChoice::pin(std::int64_t ipu, bool wanted) {
    std::erase(pinned, ipu);
    if (wanted)
        pinned.push_back(ipu);
}

void LaneChoice::pin(std::int64_t ipu, LaneKind kind, bool wanted) {
    if (wanted)
        pinned_lanes.insert({ipu, kind});
    else
        pinned_lanes.erase({ipu, kind});
}

/// Those that are pinned change places among themselves.
void LaneChoice::setOrder(std::vector<std::int64_t> ids) {
    const auto place = [&](std::int64_t id) { return std::find(ids.begin(), ids.end(), id); };
    std::sort(pinned.begin(), pinned.end(), [&](auto a, auto b) { return place(a) < place(b); });
    order = std::move(ids);
}

void LaneChoice::move(std::int64_t ipu, int by, const std::vector<profile::IpuRecord>& ipus) {
    const std::vector<std::int64_t> ids = idsOf(ordered(ipus));
    const auto from = std::find(ids.begin(), ids.end(), ipu) - ids.begin();
    const auto to = from + by;
    if (from == std::ssize(ids) || to < 0 || to >= std::ssize(ids))
        return;
    const auto before = static_cast<std::size_t>(by < 0 ? to : to + 1);
    moveBefore(ipu, before < ids.size() ? std::optional(ids[before]) : std::nullopt, ipus);
}

void LaneChoice::moveBefore(std::int64_t ipu, std::optional<std::int64_t> before,
                            const std::vector<profile::IpuRecord>& ipus) {
    LaneChoice all = *this;
    all.hidden_ipus.clear(); // which keep their places
    std::vector<std::int64_t> ids = idsOf(all.ordered(ipus));
    const std::vector<std::int64_t> old = ids;
    if (before != ipu && moved(ids, ipu, before) && ids != old)
        setOrder(std::move(ids));
}

void LaneChoice::moveBefore(LaneKind kind, std::optional<LaneKind> before) {
    std::vector<LaneKind> all = orderedKinds();
    if (before != kind && moved(all, kind, before))
        lane_order = std::equal(all.begin(), all.end(), kinds.begin()) ? std::vector<LaneKind>() : all;
}

std::vector<LaneKind> LaneChoice::orderedKinds() const {
    std::vector<LaneKind> all(kinds.begin(), kinds.end());
    const auto place = [this](LaneKind kind) {
        return std::find(lane_order.begin(), lane_order.end(), kind) - lane_order.begin();
    };
    std::stable_sort(all.begin(), all.end(), [&](LaneKind a, LaneKind b) { return place(a) < place(b); });
    return all;
}

void LaneChoice::showOneReplica(const std::vector<profile::IpuRecord>& ipus) {
    hidden_ipus.clear();
    for (const profile::IpuRecord& ipu : ipus)
        if (ipu.replica > 0)
            hidden_ipus.insert(ipu.id);
}

std::set<LaneKind> LaneChoice::kindsHiddenOfSeveral() {
    std::set<LaneKind> hidden(kinds.begin(), kinds.end());
    for (const LaneKind shown : {LaneKind::MicroBatch, LaneKind::Operation, LaneKind::Phases, LaneKind::Host})
        hidden.erase(shown);
    return hidden;
}

void LaneChoice::showUsual(const std::vector<profile::IpuRecord>& ipus) {
    showOneReplica(ipus);
    const std::set<LaneKind> of_one = LaneChoice().hidden_kinds;
    if (hidden_kinds == of_one || hidden_kinds == kindsHiddenOfSeveral())
        hidden_kinds = ordered(ipus).size() > 1 ? kindsHiddenOfSeveral() : of_one;
}

std::vector<profile::IpuRecord> LaneChoice::ordered(const std::vector<profile::IpuRecord>& ipus) const {
    std::vector<profile::IpuRecord> shown;
    for (const profile::IpuRecord& ipu : ipus)
        if (shows(ipu.id))
            shown.push_back(ipu);
    const auto place = [this](const profile::IpuRecord& ipu) {
        const auto in = [&](const std::vector<std::int64_t>& some) {
            return std::find(some.begin(), some.end(), ipu.id) - some.begin();
        };
        return std::pair(in(pinned), in(order));
    };
    std::stable_sort(shown.begin(), shown.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return shown;
}

std::vector<std::int64_t> LaneChoice::standsFor(const profile::IpuRecord& ipu,
                                                const std::vector<profile::IpuRecord>& ipus) const {
    std::vector<std::int64_t> others;
    const auto first = std::find_if(ipus.begin(), ipus.end(), [&](const profile::IpuRecord& other) {
        return other.shard == ipu.shard && shows(other.id);
    });
    if (first != ipus.end() && first->id == ipu.id)
        for (const profile::IpuRecord& other : ipus)
            if (other.shard == ipu.shard && other.replica != ipu.replica && !shows(other.id))
                others.push_back(other.id);
    return others;
}

std::vector<profile::IpuRecord> LaneChoice::distinct(const std::vector<profile::IpuRecord>& ipus) const {
    std::set<std::int64_t> stood_for;
    for (const profile::IpuRecord& ipu : ipus)
        for (const std::int64_t other : standsFor(ipu, ipus))
            stood_for.insert(other);
    std::vector<profile::IpuRecord> all = ipus;
    std::erase_if(all, [&](const profile::IpuRecord& ipu) { return stood_for.contains(ipu.id); });
    return all;
}

QString LaneChoice::hiddenText(const std::vector<profile::IpuRecord>& ipus) const {
    const std::size_t shown = ordered(ipus).size();
    QStringList parts;
    if (shown != ipus.size())
        parts << (distinct(ipus).size() == shown ? text("%1 of %2 IPUs, which do the same, hidden")
                                                 : text("%1 of %2 IPUs hidden"))
                     .arg(ipus.size() - shown)
                     .arg(ipus.size());
    const auto single = std::count_if(hidden_lanes.begin(), hidden_lanes.end(),
                                      [this](const auto& lane) { return shows(lane.first); });
    if (single > 0)
        parts << (single == 1 ? text("1 lane hidden") : text("%1 lanes hidden").arg(single));
    if (!filter_.isEmpty())
        parts << text("only lanes with “%1”").arg(filter_);
    return parts.join(QStringLiteral(", "));
}

QStringList LaneChoice::names() const {
    return namesOf(hidden_kinds);
}

void LaneChoice::setNames(const QStringList& names) {
    hidden_kinds.clear();
    for (const LaneKind kind : kinds)
        if (names.contains(laneKindName(kind, false)))
            show(kind, false);
}

QJsonObject LaneChoice::written() const {
    QJsonObject object{{QStringLiteral("lanes not shown"), QJsonArray::fromStringList(names())}};
    if (flat())
        object[QStringLiteral("lanes not shown but for flat")] =
            QJsonArray::fromStringList(namesOf(hidden_before_flat));
    if (!filter_.isEmpty())
        object[QStringLiteral("filter")] = filter_;
    const auto put = [&](const char* key, const auto& ipus) {
        QJsonArray ids;
        for (const std::int64_t ipu : ipus)
            ids.append(static_cast<qint64>(ipu));
        if (!ids.isEmpty())
            object[QLatin1String(key)] = ids;
    };
    put("hidden IPUs", hidden_ipus);
    put("pinned IPUs", pinned);
    put("order of IPUs", order);
    const auto put_lanes = [&](const char* key, const auto& some) {
        QJsonArray lanes;
        for (const auto& [ipu, kind] : some)
            lanes.append(QJsonObject{{QStringLiteral("ipu"), static_cast<qint64>(ipu)},
                                     {QStringLiteral("lane"), laneKindName(kind, false)}});
        if (!lanes.isEmpty())
            object[QLatin1String(key)] = lanes;
    };
    put_lanes("hidden lanes", hidden_lanes);
    put_lanes("pinned lanes", pinned_lanes);
    QStringList names;
    for (const LaneKind kind : lane_order)
        names << laneKindName(kind, false);
    if (!names.isEmpty())
        object[QStringLiteral("order of lanes")] = QJsonArray::fromStringList(names);
    QJsonObject rows;
    for (const auto& [kind, height] : heights)
        rows[laneKindName(kind, false)] = height;
    if (!rows.isEmpty())
        object[QStringLiteral("heights")] = rows;
    QJsonArray own;
    for (const auto& [lane, height] : own_heights)
        own.append(QJsonObject{{QStringLiteral("ipu"), static_cast<qint64>(lane.first)},
                               {QStringLiteral("lane"), laneKindName(lane.second, false)},
                               {QStringLiteral("height"), height}});
    if (!own.isEmpty())
        object[QStringLiteral("own heights")] = own;
    return object;
}

LaneChoice LaneChoice::read(const QJsonObject& object) {
    LaneChoice choice;
    const auto hide = [&](const char* key) {
        QStringList names;
        for (const auto& name : object[QLatin1String(key)].toArray())
            names.append(name.toString());
        choice.setNames(names);
    };
    if (const char* before = "lanes not shown but for flat"; object.contains(QLatin1String(before))) {
        hide(before);
        choice.hidden_before_flat = choice.hidden_kinds;
    }
    hide("lanes not shown");
    choice.setFilter(object[QStringLiteral("filter")].toString());
    for (const auto& ipu : object[QStringLiteral("hidden IPUs")].toArray())
        choice.hidden_ipus.insert(ipu.toInteger());
    for (const auto& ipu : object[QStringLiteral("pinned IPUs")].toArray())
        choice.pin(ipu.toInteger(), true);
    for (const auto& ipu : object[QStringLiteral("order of IPUs")].toArray())
        choice.order.push_back(ipu.toInteger());
    for (const auto& [key, some] :
         {std::pair("hidden lanes", &choice.hidden_lanes), std::pair("pinned lanes", &choice.pinned_lanes)})
        for (const auto& lane : object[QLatin1String(key)].toArray())
            if (const auto kind = laneKindNamed(lane.toObject()[QStringLiteral("lane")].toString()))
                some->insert({lane.toObject()[QStringLiteral("ipu")].toInteger(), *kind});
    for (const auto& name : object[QStringLiteral("order of lanes")].toArray())
        if (const auto kind = laneKindNamed(name.toString()))
            choice.lane_order.push_back(*kind);
    const QJsonObject rows = object[QStringLiteral("heights")].toObject();
    for (auto row = rows.begin(); row != rows.end(); ++row)
        if (const auto kind = laneKindNamed(row.key()); kind && row->toDouble() > 0)
            choice.heights[*kind] = row->toDouble();
    for (const auto& each : object[QStringLiteral("own heights")].toArray()) {
        const QJsonObject lane = each.toObject();
        const double height = lane[QStringLiteral("height")].toDouble();
        if (const auto kind = laneKindNamed(lane[QStringLiteral("lane")].toString()); kind && height > 0)
            choice.own_heights[{lane[QStringLiteral("ipu")].toInteger(), *kind}] = height;
    }
    return choice;
}

LaneChoice LaneChoice::habits() const {
    LaneChoice some;
    some.takeHabits(*this);
    return some;
}

void LaneChoice::takeHabits(const LaneChoice& of) {
    hidden_kinds = of.hidden_kinds;
    hidden_before_flat = of.hidden_before_flat;
    lane_order = of.lane_order;
    heights = of.heights;
}

std::vector<LaneSet> laneSets(std::int64_t ipu, const std::vector<profile::IpuRecord>& ipus) {
    const auto only = [](const std::set<LaneKind>& kinds) {
        LaneChoice choice;
        choice.hidden_kinds.clear();
        for (const LaneKind kind : LaneChoice::kinds)
            if (kinds.count(kind) == 0)
                choice.hidden_kinds.insert(kind);
        return choice;
    };
    LaneChoice overview = only({LaneKind::Execution, LaneKind::Phases, LaneKind::Host});
    LaneChoice deep;
    deep.hidden_kinds.clear();
    for (const profile::IpuRecord& other : ipus)
        if (other.id != ipu)
            deep.hidden_ipus.insert(other.id);
    LaneChoice pipeline = only({LaneKind::Step, LaneKind::MicroBatch, LaneKind::Phases, LaneKind::LinkRate});
    pipeline.showOneReplica(ipus);
    LaneChoice host = only({LaneKind::Execution, LaneKind::Host});
    host.showOneReplica(ipus);
    LaneChoice usual;
    usual.showUsual(ipus);
    return {{text("As at first"), usual},
            {text("Overview"), overview},
            {text("One IPU in depth"), deep},
            {text("Program steps"), only({LaneKind::Program, LaneKind::Phases})},
            {text("Pipeline"), pipeline},
            {text("Host"), host}};
}

} // namespace tilescope::ui
