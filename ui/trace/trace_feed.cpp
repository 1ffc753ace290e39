// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/trace_feed.h"

#include "analyse/replicas.h"
#include "analyse/stage_ipus.h"
#include "analyse/time_line.h"
#include "base/try.h"
#include "trace_text.h"
#include "ui/session/also_text.h"
#include "ui/session/format.h"
#include "ui/trace/whole_turns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

namespace tilescope::ui {
namespace {

/// Adds a lane of tiles beneath the phases, whose slices it has.
Result<void> add_tiles(std::vector<TimelineLane>& lanes, const profile::Profile& file,
                       std::optional<analyse::TileActivity>& activity, const TraceWindow& window,
                       const TileRange& tiles) {
    constexpr std::size_t most_rows = 184;
    constexpr std::int64_t most_columns = 3000;
    if (!activity) {
        TRY(activity, analyse::TileActivity::read(file));
    }
    const auto phases = std::find_if(lanes.begin(), lanes.end(),
                                     [](const TimelineLane& lane) { return lane.kind == LaneKind::Phases; });
    if (phases == lanes.end() || activity->tiles() <= 0)
        return {};
    const std::int64_t length = window.to - window.from;
    const std::int64_t width =
        std::max({std::int64_t{1}, window.resolution, (length + most_columns - 1) / most_columns});
    TRY(auto rows, activity->rows(file, window.ipu, {window.from, window.to}, width, tiles.first,
                                  tiles.last < 0 ? activity->tiles() - 1 : tiles.last, most_rows));
    TimelineLane lane{
        LaneKind::Tiles, laneKindName(LaneKind::Tiles, false), phases->slices, {}, -1, phases->unit, {}, {}};
    lane.remark = text("%1 to %2").arg(formatCount(rows.first_tile), formatCount(rows.last_tile));
    lane.tiles = std::make_shared<const analyse::TileRows>(std::move(rows));
    lanes.insert(phases + 1, std::move(lane));
    return {};
}

std::int64_t first_like(std::int64_t ipu, const std::vector<profile::IpuRecord>& ipus) {
    const auto own = std::find_if(ipus.begin(), ipus.end(), [&](const auto& r) { return r.id == ipu; });
    return own == ipus.end() ? ipu : analyse::first_like(*own, ipus);
}

/// Whether two pictures of a time line show the same.
bool alike(const std::vector<profile::TraceSlice>& a, const std::vector<profile::TraceSlice>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.start_cycle == y.start_cycle && x.end_cycle == y.end_cycle && x.program_id == y.program_id &&
               x.execution_id == y.execution_id && x.step == y.step && x.merged == y.merged &&
               x.cycles == y.cycles;
    });
}

} // namespace

/// The lanes that were made last of each IPU of a replica: those of another replica that are asked for over
/// the same cycles are the same, since all replicas do.
class ReplicaLanes {
  public:
    struct Wanted {
        TraceWindow window; ///< with the slices
        std::vector<LaneKind> kinds;
        TileRange tiles;
        std::shared_ptr<const TraceTables> tables;
        std::shared_ptr<const analyse::Counters> counters;
        bool same(const Wanted& other) const {
            return window.from == other.window.from && window.to == other.window.to &&
                   window.resolution == other.window.resolution && kinds == other.kinds &&
                   tiles == other.tiles && tables == other.tables && counters == other.counters &&
                   alike(window.slices, other.window.slices);
        }
    };
    /// Null: they are not there.
    const SharedLanes* find(const Wanted& wanted) const {
        const auto found = made_.find(first_like(wanted.window.ipu, wanted.tables->ipus));
        return found != made_.end() && found->second.first.same(wanted) ? &found->second.second : nullptr;
    }
    void keep(Wanted wanted, SharedLanes lanes) {
        const std::int64_t first = first_like(wanted.window.ipu, wanted.tables->ipus);
        made_[first] = {std::move(wanted), std::move(lanes)};
    }

  private:
    std::map<std::int64_t, std::pair<Wanted, SharedLanes>> made_;
};

TraceFeed::TraceFeed(std::shared_ptr<ProfileSource> source, bool base, QObject* parent)
    : QObject(parent), source_(std::move(source)), base_(base), made_(std::make_shared<ReplicaLanes>()) {}

void TraceFeed::refresh() {
    source_->ask<TraceTables>(this, QStringLiteral("trace tables"), &TraceTables::read,
                              [this](Result<TraceTables> tables) {
                                  if (!tables) {
                                      if (tables.error().kind != ErrorKind::Cancelled)
                                          Q_EMIT failed(QString::fromStdString(tables.error().line()));
                                      return;
                                  }
                                  const std::int64_t old_end = tables_ ? tables_->range.second : 0;
                                  if (tables_)
                                      tables->keepProgramOf(*tables_);
                                  activity_ = std::make_shared<std::optional<analyse::TileActivity>>();
                                  tables_ = std::make_shared<const TraceTables>(std::move(*tables));
                                  for (auto& [ipu, track] : tracks_)
                                      track.stale = track.window.to >= old_end;
                                  for (const profile::IpuRecord& ipu : tables_->ipus)
                                      tracks_.try_emplace(ipu.id);
                                  if (!tables_->fed.empty())
                                      tracks_.try_emplace(the_host);
                                  if (!tables_->links.empty())
                                      tracks_.try_emplace(the_links);
                                  Q_EMIT tablesRead();
                                  rest_read_ = false;
                                  wantOwn();
                                  readRest();
                              });
}

/// What the first picture does not need.
void TraceFeed::readRest() {
    const bool nothing_seen = !(to_ > from_);
    if (rest_read_ || !(nothing_seen || hasAllSeen()))
        return;
    rest_read_ = true;
    readProgram();
    readOverview();
    readCounters();
}

void TraceFeed::readProgram() {
    source_->ask<bool>(
        this, QStringLiteral("trace program"),
        [tables = tables_](const profile::Profile& file) -> Result<bool> {
            TRY(tables->program(file));
            return true;
        },
        [this](const Result<bool>& read) {
            if (read)
                Q_EMIT programRead();
            else if (read.error().kind != ErrorKind::Cancelled)
                Q_EMIT failed(QString::fromStdString(read.error().line()));
        });
}

void TraceFeed::readOverview() {
    constexpr std::size_t pieces = 1500; // about as many as a strip has pixels
    const auto range = tables_->range;
    if (base_ || range.second <= range.first)
        return;
    source_->ask<analyse::TimeColumns>(
        this, QStringLiteral("trace overview"),
        [range](const profile::Profile& file) { return analyse::time_overview(file, range, pieces); },
        [this, range](Result<analyse::TimeColumns> columns) {
            if (!columns)
                return;
            overview_.clear();
            for (const auto& column : columns->columns()) {
                OverviewPiece piece;
                const auto count = static_cast<double>(overview_.size());
                piece.start = range.first + std::llround(count * columns->width());
                piece.end = range.first + std::llround((count + 1) * columns->width());
                piece.cycles = analyse::phase_cycles_of(column);
                overview_.push_back(piece);
            }
            Q_EMIT overviewRead();
        });
}

void TraceFeed::readCounters() {
    source_->ask<analyse::Counters>(this, QStringLiteral("trace counters"), &analyse::Counters::read,
                                    [this](Result<analyse::Counters> counters) {
                                        counters_asked_ = true;
                                        if (!counters)
                                            return Q_EMIT slicesRead();
                                        counters_ =
                                            std::make_shared<const analyse::Counters>(std::move(*counters));
                                        for (auto& [ipu, track] : tracks_)
                                            track.stale = true;
                                        wantOwn();
                                    });
}

bool TraceFeed::satisfied(const Track& track) const {
    if (!track.loaded || track.stale)
        return false;
    const double low = std::max(from_, static_cast<double>(tables_->range.first));
    const double high = std::min(to_, static_cast<double>(tables_->range.second));
    const double margin = (to_ - from_) / 4; // ask before the edge comes into view
    const auto near_enough = [&](double edge, double wanted, double limit) {
        return edge <= std::max(limit, wanted - margin);
    };
    const bool covers =
        near_enough(static_cast<double>(track.window.from), low, static_cast<double>(tables_->range.first)) &&
        near_enough(-static_cast<double>(track.window.to), -high,
                    -static_cast<double>(tables_->range.second));
    const auto resolution = static_cast<double>(track.window.resolution);
    return covers && resolution <= std::max(1.0, cycles_per_pixel_) && resolution * 4 >= cycles_per_pixel_;
}

void TraceFeed::setLanes(const LaneChoice& lanes, const TileRange& tiles) {
    const bool others = tiles != tiles_ && lanes.shows(LaneKind::Tiles);
    tiles_ = tiles;
    const bool kinds = others || lanes.hidden_kinds != lanes_.hidden_kinds ||
                       lanes.hidden_lanes != lanes_.hidden_lanes || lanes.filter() != lanes_.filter();
    const bool senders = lanes.hidden_ipus != lanes_.hidden_ipus;
    lanes_ = lanes;
    for (auto& [ipu, track] : tracks_)
        if (kinds || (senders && ipu == the_links))
            track.stale = true;
    wantOwn();
}

void TraceFeed::setShift(std::int64_t cycles) {
    const auto later = static_cast<double>(cycles - shift_);
    shift_ = cycles;
    from_ -= later;
    to_ -= later;
    wantOwn();
}

bool TraceFeed::shows(std::int64_t ipu) const {
    return lanes_.showsAny(ipu) && (ipu >= 0 || !base_);
}

void TraceFeed::want(double from, double to, double cycles_per_pixel, std::set<std::int64_t> seen) {
    seen_ = std::move(seen);
    from_ = from - static_cast<double>(shift_);
    to_ = to - static_cast<double>(shift_);
    cycles_per_pixel_ = cycles_per_pixel;
    wantOwn();
}

void TraceFeed::wantOwn() {
    if (!tables_ || !(to_ > from_))
        return;
    bool busy = false;
    for (const auto& [ipu, track] : tracks_) {
        if (shows(ipu) && sees(ipu) && !track.asking && !satisfied(track))
            ask(ipu);
        busy = busy || track.asking;
    }
    const auto next = std::find_if(tracks_.begin(), tracks_.end(), [this](const auto& each) {
        return shows(each.first) && !satisfied(each.second);
    });
    if (!busy && next != tracks_.end())
        ask(next->first);
}

bool TraceFeed::hasAllSeen() const {
    return tables_ && std::all_of(tracks_.begin(), tracks_.end(), [this](const auto& each) {
               return !shows(each.first) || !sees(each.first) ||
                      (satisfied(each.second) && !each.second.asking);
           });
}

void TraceFeed::ask(std::int64_t ipu) {
    Track& track = tracks_[ipu];
    track.asking = true;
    track.stale = false;
    const double span = to_ - from_;
    TraceWindow window;
    window.ipu = ipu;
    const auto within = [range = tables_->range](double cycle) { // all of it may be out of view
        return std::clamp(static_cast<std::int64_t>(cycle), range.first, range.second);
    };
    window.from = within(std::floor(from_ - span / 2));
    window.to = within(std::ceil(to_ + span / 2));
    window.resolution = static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max(1.0, cycles_per_pixel_))));
    source_->ask<SharedLanes>(
        this, QStringLiteral("trace %1").arg(ipu),
        [window, tables = tables_, counters = counters_, base = base_, wanted = lanes_, tiles = tiles_,
         activity = activity_, made = made_](const profile::Profile& file) -> Result<SharedLanes> {
            if (window.ipu == the_links) {
                TRY(auto of_links, link_lanes(*tables, file, window, wanted));
                return SharedLanes(std::move(of_links));
            }
            if (window.ipu == the_host) {
                TRY(auto of_host, host_lanes(*tables, file, window));
                return SharedLanes(std::move(of_host));
            }
            ReplicaLanes::Wanted own{window, {}, tiles, tables, counters};
            std::copy_if(LaneChoice::kinds.begin(), LaneChoice::kinds.end(), std::back_inserter(own.kinds),
                         [&](LaneKind kind) { return wanted.shows(window.ipu, kind); });
            TRY(own.window.slices, seen_slices(*tables, file, window));
            if (const SharedLanes* same = made->find(own))
                return *same;
            TRY(read_names(*tables, file, own.window.slices));
            std::vector<TimelineLane> lanes = trace_lanes(*tables, own.window);
            if (wanted.shows(window.ipu, LaneKind::Tiles))
                TRY(add_tiles(lanes, file, *activity, window, tiles));
            if (base) // beneath the new file only what is compared
                std::erase_if(lanes, [](const TimelineLane& lane) {
                    return lane.kind == LaneKind::MicroBatch || lane.kind == LaneKind::Program;
                });
            std::erase_if(lanes,
                          [&](const TimelineLane& lane) { return !wanted.shows(window.ipu, lane.kind); });
            if (counters)
                TRY(add_counters(lanes, file, *counters, window, tables->clock_hz, wanted));
            SharedLanes shared(std::move(lanes));
            made->keep(std::move(own), shared);
            return shared;
        },
        [this, ipu, window](Result<SharedLanes> answer) {
            Track& answered = tracks_[ipu];
            answered.asking = false;
            if (!answer) {
                if (answer.error().kind == ErrorKind::Cancelled)
                    wantOwn();
                else
                    Q_EMIT failed(QString::fromStdString(answer.error().line()));
                return;
            }
            answered.lanes = std::move(*answer);
            answered.window = window;
            answered.loaded = true;
            Q_EMIT slicesRead();
            wantOwn();
            readRest();
        });
}

bool TraceFeed::knows(LaneKind kind) const {
    if (!tables_)
        return false;
    if (kind == LaneKind::MicroBatch)
        return !tables_->pipelines.empty();
    if (kind == LaneKind::Host)
        return !tables_->fed.empty();
    if (kind == LaneKind::LinkRate)
        return !tables_->links.empty();
    const auto counter = counterOf(kind);
    return !counter || (counters_ && counters_->most(*counter) > 0);
}

QString TraceFeed::name(const profile::IpuRecord& ipu) const {
    std::vector<std::int64_t> alike = lanes_.standsFor(ipu, tables_->ipus);
    alike.insert(alike.begin(), ipu.id);
    QString name =
        ipuName(ipu.id, alike, text(analyse::stages_text(analyse::stages_on(ipu, tables_->stage_ipus))));
    if (ipu.replica > 0)
        name += tr(", replica %1").arg(ipu.replica);
    return name;
}

std::vector<TimelineGroup> TraceFeed::groups() const {
    std::vector<TimelineGroup> result;
    if (!tables_)
        return result;
    const std::vector<LaneKind> kinds = lanes_.orderedKinds();
    const auto place = [&](const TimelineLane& lane) {
        return std::find(kinds.begin(), kinds.end(), lane.kind) - kinds.begin();
    };
    struct Named {
        std::int64_t track;
        QString name;
        std::int64_t shift;
    };
    std::vector<Named> tracks;
    for (const profile::IpuRecord& ipu : lanes_.ordered(tables_->ipus))
        tracks.push_back({ipu.id, name(ipu), shift_});
    tracks.push_back({the_host, tr("Host"), 0});
    tracks.push_back({the_links, tr("Links"), 0});
    for (const bool part : {true, false}) // single lanes that are pinned come first
        for (const auto& [id, name, shift] : tracks) {
            const auto track = tracks_.find(id);
            if (track == tracks_.end() || !shows(id) || !track->second.loaded)
                continue;
            // What was hidden since they were read goes at once.
            const SharedLanes lanes = track->second.lanes.those([&, ipu = id](const TimelineLane& lane) {
                return lanes_.shows(ipu, lane.kind) && lanes_.pins(ipu, lane.kind) == part;
            });
            if (lanes.empty())
                continue;
            const bool fixed = part || lanes_.pins(id);
            result.push_back(
                {id,
                 base_,
                 name + (fixed ? tr("  ·  pinned") : QString()) + QStringLiteral("  ·  ") + source_->name(),
                 id < 0 ? lanes : lanes.sortedBy(place),
                 shift,
                 {},
                 fixed,
                 part});
        }
    return result;
}

} // namespace tilescope::ui
