// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/devices.h"
#include "analyse/phases.h"
#include "app/command.h"
#include "base/text.h"
#include "base/try.h"
#include "export/text_table.h"
#include "profile/profile.h"

#include <chrono>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace tilescope::app {
namespace {

using namespace exports;

struct MonitorOptions {
    std::string file;
    bool follow = false;
};

struct State {
    profile::RunRecord run;
    profile::TargetRecord target;
    profile::ProgressRecord progress;
    profile::PhaseCycles phases;
    std::vector<profile::DeviceRecord> devices;
    std::vector<profile::MetricRecord> metrics; ///< of the newest execution
};

Result<State> read(const profile::Profile& profile) {
    State s;
    TRY(const auto run, profile.run());
    TRY(const auto target, profile.target());
    TRY(const auto progress, profile.progress());
    TRY(const auto phases, profile.phase_cycles());
    TRY(const auto devices, profile.devices());
    s = {run, target, progress, phases, devices, {}};
    if (auto metrics = profile.last_metrics())
        s.metrics = std::move(*metrics);
    return s;
}

std::string progress_line(const State& s) {
    std::string line = profile::to_string(s.run.status) + ": " + profile::to_string(s.progress.activity);
    if (s.progress.activity == profile::RunActivity::Train)
        line += ", epoch " + std::to_string(s.progress.epoch + 1) + "/" + std::to_string(s.progress.epochs);
    if (s.progress.steps > 0)
        line += ", " + std::to_string(s.progress.step) + "/" + std::to_string(s.progress.steps);
    for (const auto& metric : s.metrics)
        line += ", " + metric.name + " " + number_text(metric.value);
    return line + ", " + time_text(static_cast<double>(s.progress.elapsed_ms) * 1e-3);
}

void print(const State& s, std::ostream& out) {
    out << s.run.name << "  " << progress_line(s) << "\n\n";
    if (s.phases.total() > 0) {
        TextTable phases({"phase", "share"}, {false, true});
        const auto total = static_cast<double>(s.phases.total());
        for (const analyse::NamedPhase& phase : analyse::phases)
            if (const std::int64_t cycles = s.phases.*phase.cycles; cycles > 0)
                phases.add({phase.name, share_text(static_cast<double>(cycles) / total)});
        phases.print(out);
        out << '\n';
    }
    TextTable devices({"ID", "Type", "IPU#", "State", "PID", "Clock", "Temp", "Power"},
                      {true, false, true, false, true, true, true, true});
    for (const auto& d : s.devices) {
        if (d.multi)
            continue;
        const profile::DeviceState state = analyse::device_state(d, s.run);
        const bool ours = state == profile::DeviceState::Attached;
        devices.add({std::to_string(d.id), d.type, std::to_string(d.ipu_number), profile::to_string(state),
                     ours ? std::to_string(s.run.pid) : "N/A",
                     ours ? count_text(static_cast<std::int64_t>(s.target.clock_hz / 1e6)) + "MHz" : "N/A",
                     "N/A", "N/A"});
    }
    if (!s.devices.empty())
        devices.print(out);
}

Result<void> monitor(const MonitorOptions& o) {
    TRY(const auto profile, profile::Profile::follow(o.file));
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    std::int64_t seen = -1;
    while (true) {
        const std::int64_t version = profile->data_version();
        TRY(const auto run, profile->run()); // a writer that is gone changes its status, not the file
        const bool running = run.status == profile::RunStatus::Running;
        if (version != seen || !running) {
            seen = version;
            TRY(const auto state, read(*profile));
            if (terminal && o.follow)
                std::cout << "\033[H\033[2J";
            if (!o.follow || terminal)
                print(state, std::cout);
            else
                std::cout << progress_line(state) << '\n';
            std::cout.flush();
            if (!o.follow || !std::cout || !running)
                return {};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
}

} // namespace

void add_monitor_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<MonitorOptions>();
    CLI::App* command = program.add_subcommand("monitor", "Show where a run stands");
    command->add_option("FILE", options->file, "Profile, finished or being written")->required();
    command->add_flag("--follow", options->follow, "Keep showing it until the run ends");
    command->footer("Example:\n  tilescope monitor run.tilescope --follow\n");
    command->callback([options, &action] { action = [options] { return monitor(*options); }; });
}

} // namespace tilescope::app
