// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <utility>

namespace tilescope::exports {

/// A row of a trace viewer. Thread ids are unique over all processes, as viewers want them.
struct Track {
    std::int64_t process = 0; ///< not 0, which is the kernel's idle process to Perfetto
    std::int64_t thread = 0;
};

/// Writes the events of a trace in Chrome's format, one per line. Times are taken in cycles and written in
/// whole nanoseconds: begin and end are rounded each, and the duration is their difference, so that slices
/// which meet in cycles meet in the file.
class TraceEvents {
  public:
    /// Slices and counters outside the cycles [first, second) of `range` are left out.
    using Range = std::pair<std::int64_t, std::int64_t>;
    static constexpr Range always{std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max()};
    TraceEvents(std::ostream& out, double clock_hz, Range range = always);
    bool shows(std::int64_t from, std::int64_t to) const { return to > range_.first && from < range_.second; }
    void close();

    /// Viewers show processes, and tracks within them, in the order in which they are named.
    void name_process(std::int64_t process, const std::string& name);
    void name_track(Track track, const std::string& name);
    /// Nothing where the slice has no cycles. `arguments` is an object, or null for none.
    void slice(Track track, const std::string& name, std::int64_t from, std::int64_t to,
               const nlohmann::ordered_json& arguments);
    void slice(Track track, const std::string& name, std::int64_t from, std::int64_t to);
    /// The value of a counter of a process from `at` on.
    void counter(std::int64_t process, const std::string& name, const std::string& unit, std::int64_t at,
                 double value);

    enum class FlowPart { Begin, Middle, End };
    /// An arrow between slices: goes through the slice of `track` that begins at `at`, which is written
    /// already. Arrows of one `id` lead from the Begin over each Middle to the End.
    void flow(Track track, const std::string& name, std::int64_t id, FlowPart part, std::int64_t at);

  private:
    void write(const nlohmann::ordered_json& event);
    std::int64_t nanoseconds(std::int64_t cycles) const;
    nlohmann::ordered_json event(const char* kind, const std::string& name, Track track) const;

    std::ostream& out_;
    double ns_per_cycle_;
    Range range_;
    std::int64_t named_ = 0;
    bool first_ = true;
};

} // namespace tilescope::exports
