// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/chrome_trace.h"

#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace tilescope::exports {
namespace {

enum Thread { executions_thread = 1, operations_thread, steps_thread, phases_thread };

/// Events one after another in the array "traceEvents".
class Events {
  public:
    Events(std::ostream& out, double clock_hz)
        : out_(out), us_per_cycle_(clock_hz > 0 ? 1e6 / clock_hz : 1.0) {
        out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    }
    void close() { out_ << "\n]}\n"; }

    void name(const char* what, std::int64_t process, int thread, const std::string& text) {
        begin();
        out_ << "{\"ph\":\"M\",\"name\":\"" << what << "\",\"pid\":" << process << ",\"tid\":" << thread
             << ",\"args\":{\"name\":" << quoted(text) << "}}";
    }
    void slice(const std::string& text, std::int64_t process, int thread, std::int64_t from, std::int64_t to,
               const std::string& arguments = {}) {
        if (to <= from)
            return;
        begin();
        out_ << "{\"ph\":\"X\",\"name\":" << quoted(text) << ",\"pid\":" << process << ",\"tid\":" << thread
             << ",\"ts\":" << time(from) << ",\"dur\":" << time(to - from);
        if (!arguments.empty())
            out_ << ",\"args\":{" << arguments << "}";
        out_ << "}";
    }
    void counter(const std::string& text, std::int64_t process, std::int64_t at, std::int64_t value) {
        begin();
        out_ << "{\"ph\":\"C\",\"name\":" << quoted(text) << ",\"pid\":" << process << ",\"ts\":" << time(at)
             << ",\"args\":{\"bytes\":" << value << "}}";
    }

  private:
    void begin() {
        out_ << (first_ ? "\n" : ",\n");
        first_ = false;
    }
    static std::string quoted(const std::string& text) {
        return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    std::string time(std::int64_t cycles) const {
        char text[64];
        std::snprintf(text, sizeof text, "%.4f", static_cast<double>(cycles) * us_per_cycle_);
        return text;
    }
    std::ostream& out_;
    double us_per_cycle_;
    bool first_ = true;
};

} // namespace

Result<void> chrome_trace(const profile::Profile& profile, std::ostream& out) {
    const auto target = profile.target();
    const auto ipus = profile.ipus();
    const auto program = profile.program();
    const auto operations = profile.operations();
    const auto executions = profile.executions();
    if (!target || !ipus || !program || !operations || !executions)
        return Failure((!target       ? target.error()
                        : !ipus       ? ipus.error()
                        : !program    ? program.error()
                        : !operations ? operations.error()
                                      : executions.error()));
    std::map<std::int64_t, const profile::ProgramRecord*> steps;
    for (const auto& step : *program)
        steps[step.id] = &step;
    std::map<std::int64_t, std::string> names;
    for (const auto& op : *operations)
        names[op.id] = op.name;

    Events events(out, target->clock_hz);
    for (const auto& ipu : *ipus) {
        events.name("process_name", ipu.id, 0, "IPU " + std::to_string(ipu.id) + " (" + ipu.device + ")");
        events.name("thread_name", ipu.id, executions_thread, "executions");
        events.name("thread_name", ipu.id, operations_thread, "operations");
        events.name("thread_name", ipu.id, steps_thread, "program steps");
        events.name("thread_name", ipu.id, phases_thread, "phases");
        for (const auto& e : *executions)
            events.slice(to_string(e.kind) + " epoch " + std::to_string(e.epoch + 1) + ", steps " +
                             std::to_string(e.first_step) + " to " +
                             std::to_string(e.first_step + e.steps - 1),
                         ipu.id, executions_thread, e.start_cycle, e.start_cycle + e.cycles,
                         "\"steps\":" + std::to_string(e.steps));
        const auto liveness = profile.liveness(ipu.id);
        if (!liveness)
            return Failure(liveness.error());
        const auto trace = profile.trace(ipu.id, 0, std::numeric_limits<std::int64_t>::max(), 0);
        if (!trace)
            return Failure(trace.error());
        std::int64_t operation = -1;
        std::int64_t operation_begin = 0;
        std::int64_t last_end = 0;
        const auto close_operation = [&] {
            if (operation >= 0)
                events.slice(names[operation], ipu.id, operations_thread, operation_begin, last_end);
        };
        for (const auto& slice : *trace) {
            const auto found = steps.find(slice.program_id);
            if (found == steps.end()) // an execution without recorded steps
                continue;
            const profile::ProgramRecord& step = *found->second;
            if (step.operation_id != operation || slice.start_cycle != last_end) {
                close_operation();
                operation = step.operation_id;
                operation_begin = slice.start_cycle;
            }
            last_end = slice.end_cycle;
            events.slice(step.name, ipu.id, steps_thread, slice.start_cycle, slice.end_cycle,
                         "\"step\":" + std::to_string(slice.step));
            const std::int64_t exchange = slice.start_cycle + slice.cycles.sync;
            const std::int64_t compute = slice.end_cycle - slice.cycles.compute;
            events.slice("sync", ipu.id, phases_thread, slice.start_cycle, exchange);
            events.slice(slice.cycles.host > 0        ? "host copy"
                         : slice.cycles.inter_ipu > 0 ? "inter-IPU exchange"
                                                      : "exchange",
                         ipu.id, phases_thread, exchange, compute);
            events.slice("compute", ipu.id, phases_thread, compute, slice.end_cycle);
            if (step.liveness_step >= 0 && step.liveness_step < static_cast<std::int64_t>(liveness->size())) {
                const auto& live = (*liveness)[static_cast<std::size_t>(step.liveness_step)];
                events.counter("live memory", ipu.id, slice.start_cycle,
                               live.always_live_bytes + live.not_always_live_bytes);
            }
        }
        close_operation();
    }
    events.close();
    return {};
}

} // namespace tilescope::exports
