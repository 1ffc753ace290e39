// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/timeline/timeline_lane.h"

#include <QJsonObject>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// What stands for the host among the IPUs of a time line.
inline constexpr std::int64_t the_host = -1;
inline constexpr std::int64_t the_links = -2; ///< the same for what goes over the links

/// Which lanes and IPUs of a trace are shown, and which of these stand first.
struct LaneChoice {
    static constexpr std::array<LaneKind, 14> kinds = {
        LaneKind::Execution, LaneKind::Step,         LaneKind::MicroBatch, LaneKind::Layer,
        LaneKind::Operation, LaneKind::Program,      LaneKind::Phases,     LaneKind::Tiles,
        LaneKind::LiveBytes, LaneKind::ExchangeRate, LaneKind::FlopRate,   LaneKind::BusyTiles,
        LaneKind::Host,      LaneKind::LinkRate};
    std::set<LaneKind> hidden_kinds = {LaneKind::Tiles, LaneKind::LinkRate}; ///< which take much room
    std::set<LaneKind> hidden_before_flat = hidden_kinds;                    ///< where flat()
    std::set<std::int64_t> hidden_ipus;
    std::set<std::pair<std::int64_t, LaneKind>> hidden_lanes; ///< of single IPUs
    std::vector<std::int64_t> pinned; ///< IPUs, in the order in which they were pinned
    std::set<std::pair<std::int64_t, LaneKind>> pinned_lanes; ///< single ones, also of host and links
    std::vector<std::int64_t> order;  ///< of the others; those that are missing come last
    std::vector<LaneKind> lane_order; ///< within each IPU; empty: that of `kinds`
    LaneHeights heights;
    OwnLaneHeights own_heights; ///< of single IPUs
    bool shows(LaneKind kind) const { return hidden_kinds.count(kind) == 0; }
    bool shows(std::int64_t ipu) const { return hidden_ipus.count(ipu) == 0; }
    /// Whether it is neither hidden nor filtered out; the host is `the_host`, the links `the_links`.
    bool shows(std::int64_t ipu, LaneKind kind) const;
    bool showsAny(std::int64_t ipu) const; ///< of its lanes
    /// A regular expression: lanes whose names ("IPU 3 Phases", "Host") have no match are not shown. What is
    /// none stands for itself; case does not matter. Empty: all match.
    void setFilter(const QString& wanted);
    const QString& filter() const { return filter_; }
    bool pins(std::int64_t ipu) const;
    bool pins(std::int64_t ipu, LaneKind kind) const { return pinned_lanes.contains({ipu, kind}); }
    /// On every IPU. The last kind and the last of `ipus` stay.
    void show(LaneKind kind, bool shown);
    /// On one IPU alone; showing a kind that all have hidden shows it there only.
    void show(std::int64_t ipu, LaneKind kind, bool shown, const std::vector<profile::IpuRecord>& ipus);
    void show(std::int64_t ipu, bool shown, const std::vector<profile::IpuRecord>& ipus);
    void pin(std::int64_t ipu, bool wanted);
    void pin(std::int64_t ipu, LaneKind kind, bool wanted);
    /// Past so many of those that are shown, up (negative) or down.
    void move(std::int64_t ipu, int by, const std::vector<profile::IpuRecord>& ipus);
    /// One lane for each IPU: its program steps, one after the other. What was shown before comes back with
    /// `wanted` false.
    void setFlat(bool wanted);
    bool flat() const { return hidden_kinds == flatKinds(); }
    /// To the place before another one; nullopt: to the end.
    void moveBefore(std::int64_t ipu, std::optional<std::int64_t> before,
                    const std::vector<profile::IpuRecord>& ipus);
    /// The same of the lanes of every IPU.
    void moveBefore(LaneKind kind, std::optional<LaneKind> before);
    std::vector<LaneKind> orderedKinds() const;
    /// The first replica alone: the others do the same.
    void showOneReplica(const std::vector<profile::IpuRecord>& ipus);
    /// How a file is shown at first: one replica, and of several IPUs few lanes each, so that one sees them
    /// beside each other. Lanes that were chosen otherwise stay.
    void showUsual(const std::vector<profile::IpuRecord>& ipus);
    /// Those of other replicas that do the same as `ipu` and are not shown: it stands for them.
    std::vector<std::int64_t> standsFor(const profile::IpuRecord& ipu,
                                        const std::vector<profile::IpuRecord>& ipus) const;
    /// Those that are shown, and those for which none of them stands.
    std::vector<profile::IpuRecord> distinct(const std::vector<profile::IpuRecord>& ipus) const;
    /// IPUs that are shown, the pinned ones first.
    std::vector<profile::IpuRecord> ordered(const std::vector<profile::IpuRecord>& ipus) const;
    /// "9 of 16 IPUs hidden, only lanes with “phases”", and whether those shown stand for them; empty: all
    /// are shown.
    QString hiddenText(const std::vector<profile::IpuRecord>& ipus) const;

    QStringList names() const; ///< of the hidden kinds, to be remembered
    void setNames(const QStringList& names);
    QJsonObject written() const; ///< all of it
    static LaneChoice read(const QJsonObject& object);
    LaneChoice habits() const; ///< what of it is for any file: not IPUs, nor a filter
    void takeHabits(const LaneChoice& of);
    bool operator==(const LaneChoice&) const = default;

  private:
    static std::set<LaneKind> flatKinds(); ///< what is hidden then
    static std::set<LaneKind> kindsHiddenOfSeveral();
    void setOrder(std::vector<std::int64_t> ids);
    QString filter_;
    QRegularExpression pattern_;
};

/// What lanes are shown for one purpose; `name` is what it is called.
struct LaneSet {
    QString name;
    LaneChoice lanes;
    bool operator==(const LaneSet&) const = default;
};
/// Those that are always there: several IPUs as they are shown at first, an overview, one IPU in depth, steps
/// alone, the pipeline, the host.
std::vector<LaneSet> laneSets(std::int64_t ipu, const std::vector<profile::IpuRecord>& ipus);

/// "Program step"; a step is a weight update where that takes several.
QString laneKindName(LaneKind kind, bool updates);

} // namespace tilescope::ui
