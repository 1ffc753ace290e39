// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/steps_csv.h"

#include "base/csv_field.h"
#include "base/try.h"

#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

namespace tilescope::exports {

Result<std::int64_t> steps_csv(const profile::Profile& profile, std::ostream& out,
                               std::pair<std::int64_t, std::int64_t> cycles,
                               const std::vector<std::int64_t>& ipus) {
    std::map<std::int64_t, std::string> steps, operations, layers;
    TRY(const auto program, profile.program());
    for (const auto& row : program)
        steps[row.id] = csv_field(row.name);
    TRY(const auto further, profile.further_steps());
    for (const auto& row : further)
        steps[row.id] = csv_field(row.name);
    TRY(const auto operation_rows, profile.operations());
    for (const auto& row : operation_rows)
        operations[row.id] = csv_field(row.name);
    TRY(const auto layer_rows, profile.layers());
    for (const auto& row : layer_rows)
        layers[row.id] = csv_field(row.name);
    TRY(const auto target, profile.target());
    const auto name = [](const std::map<std::int64_t, std::string>& names, std::int64_t id) {
        const auto found = names.find(id);
        return found == names.end() ? std::string_view() : std::string_view(found->second);
    };
    const auto time = [us = target.clock_hz / 1e6](std::int64_t at) {
        std::array<char, 40> text{};
        constexpr int digits = 6; // a millionth of a microsecond: every cycle can be told from the next
        if (us <= 0)
            return std::string();
        const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<double>(at) / us,
                                       std::chars_format::fixed, digits);
        return std::string(text.data(), end.ptr);
    };
    out << "ipu,execution,step_of_execution,program_step,name,operation,layer,start_cycle,end_cycle,"
           "start_us,length_us,compute_cycles,exchange_cycles,inter_ipu_cycles,sync_cycles,host_cycles\n";
    std::int64_t count = 0;
    for (const std::int64_t ipu : ipus)
        TRY(profile.trace_steps(ipu, cycles.first, cycles.second, nullptr, [&](const profile::TraceSlice& s) {
            out << ipu << ',' << s.execution_id << ',' << s.step << ',' << s.program_id << ','
                << name(steps, s.program_id) << ',' << name(operations, s.operation_id) << ','
                << name(layers, s.layer_id) << ',' << s.start_cycle << ',' << s.end_cycle << ','
                << time(s.start_cycle) << ',' << time(s.end_cycle - s.start_cycle) << ',' << s.cycles.compute
                << ',' << s.cycles.exchange << ',' << s.cycles.inter_ipu << ',' << s.cycles.sync << ','
                << s.cycles.host << '\n';
            ++count;
            return out.good();
        }));
    return count;
}

} // namespace tilescope::exports
