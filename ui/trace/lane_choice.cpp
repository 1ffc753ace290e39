// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/lane_choice.h"

#include <QCoreApplication>
#include <algorithm>

namespace tilescope::ui {
namespace {

QString text(const char* source) {
    return QCoreApplication::translate("LaneChoice", source);
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
    case LaneKind::Activity:
        break;
    }
    return text("Activity");
}

bool LaneChoice::pins(std::int64_t ipu) const {
    return std::find(pinned.begin(), pinned.end(), ipu) != pinned.end();
}

void LaneChoice::show(LaneKind kind, bool shown) {
    if (shown)
        hidden_kinds.erase(kind);
    else if (hidden_kinds.size() + 1 < kinds.size())
        hidden_kinds.insert(kind);
}

void LaneChoice::show(std::int64_t ipu, bool shown, const std::vector<profile::IpuRecord>& ipus) {
    if (shown)
        hidden_ipus.erase(ipu);
    else if (ordered(ipus).size() > 1)
        hidden_ipus.insert(ipu);
}

void LaneChoice::pin(std::int64_t ipu, bool wanted) {
    std::erase(pinned, ipu);
    if (wanted)
        pinned.push_back(ipu);
}

void LaneChoice::showOneReplica(const std::vector<profile::IpuRecord>& ipus) {
    hidden_ipus.clear();
    for (const profile::IpuRecord& ipu : ipus)
        if (ipu.replica > 0)
            hidden_ipus.insert(ipu.id);
}

std::vector<profile::IpuRecord> LaneChoice::ordered(const std::vector<profile::IpuRecord>& ipus) const {
    std::vector<profile::IpuRecord> shown;
    for (const profile::IpuRecord& ipu : ipus)
        if (shows(ipu.id))
            shown.push_back(ipu);
    const auto place = [this](const profile::IpuRecord& ipu) {
        return std::find(pinned.begin(), pinned.end(), ipu.id) - pinned.begin();
    };
    std::stable_sort(shown.begin(), shown.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return shown;
}

QString LaneChoice::hiddenText(const std::vector<profile::IpuRecord>& ipus) const {
    const std::size_t shown = ordered(ipus).size();
    return shown == ipus.size() ? QString()
                                : text("%1 of %2 IPUs hidden").arg(ipus.size() - shown).arg(ipus.size());
}

QStringList LaneChoice::names() const {
    QStringList names;
    for (const LaneKind kind : hidden_kinds)
        names.append(laneKindName(kind, false));
    return names;
}

void LaneChoice::setNames(const QStringList& names) {
    hidden_kinds.clear();
    for (const LaneKind kind : kinds)
        if (names.contains(laneKindName(kind, false)))
            show(kind, false);
}

} // namespace tilescope::ui
