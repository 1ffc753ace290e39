// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/trace_check.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace tilescope::tests {
namespace {

using nlohmann::json;

struct TrackId {
    std::int64_t process, thread;
    auto operator<=>(const TrackId&) const = default;
};

struct Open {
    std::int64_t begin, end;
};

struct Track {
    std::vector<Open> open; ///< slices that the last one lies in, and itself
    std::int64_t last_begin = 0;
    std::set<std::int64_t> begins;
    CheckedTrace::Lane lane;
};

struct Stop {
    std::string kind;
    TrackId track;
    std::int64_t at;
};

class Checker {
  public:
    void take(const json& event) {
        const std::string kind = event.at("ph");
        if (kind == "M")
            take_name(event);
        else if (kind == "X")
            take_slice(event);
        else if (kind == "C")
            take_counter(event);
        else if (kind == "s" || kind == "t" || kind == "f")
            flows_[event.at("id")].push_back({kind, track(event), nanoseconds(event, "ts")});
        else
            complain("phase " + kind, event);
    }

    CheckedTrace finish() {
        for (const auto& [id, stops] : flows_)
            check_flow(id, stops);
        for (auto& [id, track] : tracks_)
            if (!names_.contains(id) || !processes_.contains(id.process))
                complain("a track without a name", id.thread);
            else if (!checked_.lanes.try_emplace({processes_[id.process], names_[id]}, track.lane).second)
                complain("two tracks of one name", id.thread);
        for (const auto& [process_and_name, samples] : counters_)
            checked_.counters[{processes_[process_and_name.first], process_and_name.second}] = samples;
        return std::move(checked_);
    }

    void complain(const std::string& what, const json& where) {
        if (checked_.problems.size() < 20)
            checked_.problems.push_back(what + ": " + where.dump());
    }

  private:
    static TrackId track(const json& event) { return {event.at("pid"), event.at("tid")}; }

    std::int64_t nanoseconds(const json& event, const char* key) {
        const double microseconds = event.at(key);
        const std::int64_t ns = std::llround(microseconds * 1000);
        if (ns < 0 || static_cast<double>(ns) / 1000 != microseconds)
            complain("no whole nanoseconds", event);
        return ns;
    }

    void take_name(const json& event) {
        if (event.at("name") == "process_name") {
            if (event.at("pid") == 0 ||
                !processes_.try_emplace(event.at("pid"), event["args"]["name"]).second)
                complain("a process that is named twice, or the kernel", event);
        } else if (event.at("name") == "thread_name") {
            if (!threads_.insert(event.at("tid").get<std::int64_t>()).second)
                complain("a thread of two processes", event);
            names_[track(event)] = event["args"]["name"];
        }
    }

    void take_slice(const json& event) {
        Track& t = tracks_[track(event)];
        const std::int64_t begin = nanoseconds(event, "ts");
        const std::int64_t length = nanoseconds(event, "dur");
        if (begin < t.last_begin)
            complain("out of order", event);
        t.last_begin = begin;
        t.begins.insert(begin);
        while (!t.open.empty() && t.open.back().end <= begin)
            t.open.pop_back();
        if (t.open.empty())
            t.lane.outermost_ns += length;
        else if (begin + length > t.open.back().end)
            complain("overlaps the slice before it", event);
        t.open.push_back({begin, begin + length});
        ++t.lane.slices;
        t.lane.ns_by_name[event.at("name")] += length;
    }

    void take_counter(const json& event) {
        nanoseconds(event, "ts");
        if (event.at("args").size() != 1 || !event.at("args").front().is_number())
            complain("a counter without a number", event);
        ++counters_[{event.at("pid"), event.at("name")}];
    }

    void check_flow(std::int64_t id, const std::vector<Stop>& stops) {
        std::string kinds;
        for (std::size_t i = 0; i < stops.size(); ++i) {
            kinds += stops[i].kind;
            if (!tracks_[stops[i].track].begins.contains(stops[i].at))
                complain("an arrow to no slice", id);
            if (i == 0)
                continue;
            if (stops[i].at < stops[i - 1].at)
                complain("an arrow back in time", id);
            checked_.arrows.push_back({processes_[stops[i - 1].track.process],
                                       processes_[stops[i].track.process], stops[i - 1].at, stops[i].at});
        }
        if (kinds != "s" + std::string(kinds.size() < 2 ? 0 : kinds.size() - 2, 't') + "f")
            complain("an arrow of " + kinds, id);
    }

    CheckedTrace checked_;
    std::map<std::int64_t, std::string> processes_;
    std::set<std::int64_t> threads_;
    std::map<TrackId, std::string> names_;
    std::map<TrackId, Track> tracks_;
    std::map<std::pair<std::int64_t, std::string>, std::int64_t> counters_;
    std::map<std::int64_t, std::vector<Stop>> flows_;
};

} // namespace

CheckedTrace check_trace(std::istream& text) {
    Checker checker;
    try { // events are taken while they are read, and not kept
        const json document = json::parse(text, [&](int depth, json::parse_event_t what, json& value) {
            if (depth != 2 || what != json::parse_event_t::object_end || !value.contains("ph"))
                return true;
            checker.take(value);
            return false;
        });
        if (!document.contains("traceEvents"))
            checker.complain("no traceEvents", document);
    } catch (const json::exception& e) {
        checker.complain("no trace", e.what());
    }
    return checker.finish();
}

} // namespace tilescope::tests
