// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/counters.h"
#include "analyse/tile_rows.h"
#include "ui/session/profile_source.h"
#include "ui/trace/lane_choice.h"
#include "ui/trace/trace_lanes.h"
#include "ui/trace/trace_tables.h"

#include <QObject>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tilescope::ui {

class ReplicaLanes;

/// Tiles of every IPU, both ends included.
struct TileRange {
    std::int64_t first = 0;
    std::int64_t last = -1; ///< -1: the last one
    bool operator==(const TileRange&) const = default;
};

/// Brings slices of one file to a time line: a window two views wide at the resolution of a pixel, one
/// question per IPU at a time, so that panning never starves. What was brought last stays until then.
class TraceFeed : public QObject {
    Q_OBJECT
  public:
    TraceFeed(std::shared_ptr<ProfileSource> source, bool base, QObject* parent);

    /// Reads what the time line begins with; again when the file has grown.
    void refresh();
    /// Which lanes are wanted, and which tiles in those of tiles; asks for what is not there yet.
    void setLanes(const LaneChoice& lanes, const TileRange& tiles = {});
    /// Its groups stand so many cycles later than they say; the view is told without that.
    void setShift(std::int64_t cycles);
    std::int64_t shift() const { return shift_; }
    /// The view moved: asks for what is not there yet, first for what is seen, then one by one for what can
    /// be scrolled to. `seen`: IPUs, the_host and the_links; none: it is not known yet.
    void want(double from, double to, double cycles_per_pixel, std::set<std::int64_t> seen);
    bool hasAllSeen() const;                             ///< of what want() was told last
    bool hasCounters() const { return counters_asked_; } ///< those that the file has are in it
    const std::shared_ptr<const TraceTables>& tables() const {
        return tables_;
    } ///< null until they were read
    ProfileSource& source() const { return *source_; }
    const std::shared_ptr<ProfileSource>& shared() const { return source_; }
    bool base() const { return base_; }
    const std::vector<OverviewPiece>& overview() const { return overview_; } ///< over the whole time line
    bool knows(LaneKind kind) const;                   ///< whether the file has anything for such a lane
    QString name(const profile::IpuRecord& ipu) const; ///< "IPU 3, stage 3 (also 11)"
    /// One group per IPU that is wanted, the pinned ones first.
    std::vector<TimelineGroup> groups() const;

  Q_SIGNALS:
    void tablesRead();
    void programRead(); ///< tables() knows it
    void slicesRead();
    void overviewRead();
    void failed(const QString& message);

  private:
    struct Track {
        TraceWindow window;
        SharedLanes lanes;
        bool loaded = false;
        bool asking = false;
        bool stale = false;
    };
    void readRest();
    void readProgram();
    void readOverview();
    void readCounters();
    void ask(std::int64_t ipu);
    bool shows(std::int64_t ipu) const; ///< or the_host, the_links
    bool sees(std::int64_t ipu) const { return seen_.empty() || seen_.contains(ipu); }
    bool satisfied(const Track& track) const;

    std::shared_ptr<ProfileSource> source_;
    bool base_ = false;
    std::shared_ptr<const TraceTables> tables_;         ///< shared with questions that are under way
    std::shared_ptr<const analyse::Counters> counters_; ///< the same; null until they were read
    bool rest_read_ = false;                            ///< or asked for
    bool counters_asked_ = false;                       ///< and answered, though there may be none
    std::vector<OverviewPiece> overview_;
    std::map<std::int64_t, Track> tracks_;
    LaneChoice lanes_;
    TileRange tiles_;
    /// What is known of tiles so far; only questions, which the source asks one after another, touch it.
    std::shared_ptr<std::optional<analyse::TileActivity>> activity_;
    std::shared_ptr<ReplicaLanes> made_; ///< the same
    std::int64_t shift_ = 0;
    std::set<std::int64_t> seen_;
    double from_ = 0; ///< of its own cycles
    double to_ = 0;
    void wantOwn();
    double cycles_per_pixel_ = 0;
};

} // namespace tilescope::ui
