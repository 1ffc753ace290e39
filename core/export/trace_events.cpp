// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace_events.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tilescope::exports {
namespace {

using nlohmann::ordered_json;

/// The format counts in microseconds. The double that is nearest to a thousandth of a whole number is
/// printed with three digits, and read back as the same nanosecond.
double microseconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1000;
}

} // namespace

TraceEvents::TraceEvents(std::ostream& out, double clock_hz, Range range)
    : out_(out), ns_per_cycle_(1e9 / clock_hz), range_(range) {
    out_ << R"({"displayTimeUnit":"ns","otherData":{"written by":"tilescope"},"traceEvents":[)";
}

void TraceEvents::close() {
    out_ << "\n]}\n";
}

void TraceEvents::name_process(std::int64_t process, const std::string& name) {
    const Track none{process, 0};
    ordered_json named = event("M", "process_name", none);
    named["args"]["name"] = name;
    write(named);
    ordered_json order = event("M", "process_sort_index", none);
    order["args"]["sort_index"] = named_++;
    write(order);
}

void TraceEvents::name_track(Track track, const std::string& name) {
    ordered_json named = event("M", "thread_name", track);
    named["args"]["name"] = name;
    write(named);
    ordered_json order = event("M", "thread_sort_index", track);
    order["args"]["sort_index"] = named_++;
    write(order);
}

void TraceEvents::slice(Track track, const std::string& name, std::int64_t from, std::int64_t to,
                        const ordered_json& arguments) {
    if (to <= from || !shows(from, to))
        return;
    const std::int64_t begin = nanoseconds(from);
    ordered_json slice = event("X", name, track);
    slice["ts"] = microseconds(begin);
    slice["dur"] = microseconds(nanoseconds(to) - begin);
    if (!arguments.is_null())
        slice["args"] = arguments;
    write(slice);
}

void TraceEvents::slice(Track track, const std::string& name, std::int64_t from, std::int64_t to) {
    slice(track, name, from, to, nullptr);
}

void TraceEvents::counter(std::int64_t process, const std::string& name, const std::string& unit,
                          std::int64_t at, double value) {
    if (!shows(at, at + 1))
        return;
    ordered_json counter = event("C", name, {process, 0});
    counter["ts"] = microseconds(nanoseconds(at));
    counter["args"][unit] = value;
    write(counter);
}

void TraceEvents::flow(Track track, const std::string& name, std::int64_t id, FlowPart part,
                       std::int64_t at) {
    ordered_json flow = event(part == FlowPart::Begin    ? "s"
                              : part == FlowPart::Middle ? "t"
                                                         : "f",
                              name, track);
    flow["cat"] = name;
    flow["id"] = id;
    flow["ts"] = microseconds(nanoseconds(at));
    if (part == FlowPart::End)
        flow["bp"] = "e"; // to the slice around it, not to the next one
    write(flow);
}

std::int64_t TraceEvents::nanoseconds(std::int64_t cycles) const {
    return std::llround(static_cast<double>(cycles) * ns_per_cycle_);
}

ordered_json TraceEvents::event(const char* kind, const std::string& name, Track track) const {
    return {{"ph", kind}, {"name", name}, {"pid", track.process}, {"tid", track.thread}};
}

void TraceEvents::write(const ordered_json& event) {
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    first_ = false;
}

} // namespace tilescope::exports
