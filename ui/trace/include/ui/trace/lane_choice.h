// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/timeline/timeline_lane.h"

#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace tilescope::ui {

/// Which lanes and IPUs of a trace are shown, and which of these stand first.
struct LaneChoice {
    static constexpr std::array<LaneKind, 12> kinds = {
        LaneKind::Execution,    LaneKind::Step,     LaneKind::MicroBatch, LaneKind::Layer,
        LaneKind::Operation,    LaneKind::Program,  LaneKind::Phases,     LaneKind::LiveBytes,
        LaneKind::ExchangeRate, LaneKind::FlopRate, LaneKind::BusyTiles,  LaneKind::Host};
    std::set<LaneKind> hidden_kinds;
    std::set<std::int64_t> hidden_ipus;
    std::vector<std::int64_t> pinned; ///< IPUs, in the order in which they were pinned

    bool shows(LaneKind kind) const { return hidden_kinds.count(kind) == 0; }
    bool shows(std::int64_t ipu) const { return hidden_ipus.count(ipu) == 0; }
    bool pins(std::int64_t ipu) const;
    /// The last kind and the last of `ipus` stay.
    void show(LaneKind kind, bool shown);
    void show(std::int64_t ipu, bool shown, const std::vector<profile::IpuRecord>& ipus);
    void pin(std::int64_t ipu, bool wanted);
    /// The first replica alone: the others do the same.
    void showOneReplica(const std::vector<profile::IpuRecord>& ipus);
    /// IPUs that are shown, the pinned ones first.
    std::vector<profile::IpuRecord> ordered(const std::vector<profile::IpuRecord>& ipus) const;
    /// "9 of 16 IPUs hidden"; empty: none is.
    QString hiddenText(const std::vector<profile::IpuRecord>& ipus) const;

    QStringList names() const; ///< of the hidden kinds, to be remembered
    void setNames(const QStringList& names);
    bool operator==(const LaneChoice&) const = default;
};

/// "Program step"; a step is a weight update where that takes several.
QString laneKindName(LaneKind kind, bool updates);

} // namespace tilescope::ui
