// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/costs.h"
#include "analyse/devices.h"
#include "analyse/phases.h"
#include "analyse/training_metrics.h"
#include "analyse/training_progress.h"
#include "app/command.h"
#include "app/running_runs.h"
#include "base/host_process.h"
#include "base/text.h"
#include "base/try.h"
#include "base/wait_text.h"
#include "export/text_table.h"
#include "profile/profile.h"

#include <chrono>
#include <cmath>
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
    TRY(const auto kind, analyse::main_kind(profile));
    TRY(const auto phases, profile.phase_cycles(kind));
    TRY(const auto devices, profile.devices());
    s = {run, target, progress, phases, devices, {}};
    if (auto metrics = profile.last_metrics())
        s.metrics = std::move(*metrics);
    return s;
}

std::string progress_line(const State& s) {
    std::string line = profile::words(s.run.status) + ": " + profile::to_string(s.progress.activity);
    if (s.progress.activity == profile::RunActivity::Train)
        line += ", epoch " + std::to_string(s.progress.epoch + 1) + "/" + std::to_string(s.progress.epochs);
    if (const auto done = analyse::share_of_pass(s.progress))
        line += ", " + share_text(*done) + " of pass " + std::to_string(s.progress.step + 1) + " of " +
                std::to_string(s.progress.steps);
    else if (s.progress.steps > 0)
        line += ", " + std::to_string(s.progress.step) + "/" + std::to_string(s.progress.steps);
    for (const auto& metric : s.metrics)
        line += ", " + metric.name + " " + analyse::metric_text(metric.name, metric.value);
    return line + ", " + wait_text(static_cast<double>(s.progress.elapsed_ms) * 1e-3);
}

void print_phases(const State& s, std::ostream& out) {
    TextTable table({"phase", "share"}, {false, true});
    for (const analyse::NamedPhase& phase : analyse::phases)
        if (const auto share = analyse::phase_share(s.phases, phase.cycles); share.value_or(0) > 0)
            table.add({phase.name, share_text(*share)});
    table.print(out);
    out << '\n';
}

const char* const none = "N/A"; ///< as the vendor's tool says what there is no reading of

/// The machines and their IPUs, as gc-monitor lists them. What only real machines have is N/A.
void print_devices(const State& s, std::ostream& out) {
    std::int64_t ipus = 0;
    TextTable table(
        {"IPU-M", "Serial", "IPU-M SW", "Server version", "ICU FW", "Type", "ID", "IPU#", "Routing", "State"},
        {false, false, false, false, false, false, true, true, false, false});
    for (const auto& d : s.devices) {
        if (d.multi)
            continue;
        ++ipus;
        table.add({d.machine.empty() ? none : d.machine, none, none, none, none, d.type, std::to_string(d.id),
                   std::to_string(d.ipu_number), d.routing.empty() ? none : d.routing,
                   profile::to_string(analyse::device_state(d, s.run))});
    }
    out << "Partition: " << s.target.system << " [active] has "
        << tilescope::counted_text(ipus, "simulated IPU") << "\n\n";
    table.print(out);
}

/// Who holds which IPUs, as gc-monitor lists attached processes.
void print_processes(const State& s, std::ostream& out) {
    TextTable table({"PID", "Command", "Time", "User", "ID", "Clock", "Temp", "Board temp", "Board power"},
                    {true, false, true, false, true, true, true, true, true});
    const HostProcess process = host_process(s.run.pid).value_or(HostProcess{none, none});
    const std::string time = wait_text(static_cast<double>(s.progress.elapsed_ms) * 1e-3);
    const std::string clock = std::to_string(std::llround(s.target.clock_hz / 1e6)) + "MHz";
    bool any = false;
    for (const auto& d : s.devices)
        if (!d.multi && analyse::device_state(d, s.run) == profile::DeviceState::Attached) {
            table.add({std::to_string(s.run.pid), process.command, time, process.user, std::to_string(d.id),
                       clock, none, none, none});
            any = true;
        }
    out << (any ? "\nAttached processes\n\n" : "\nNo attached processes\n");
    if (any)
        table.print(out);
}

void print(const State& s, std::ostream& out) {
    out << s.run.name << "  " << progress_line(s) << "\n\n";
    if (s.phases.total() > 0)
        print_phases(s, out);
    if (s.devices.empty())
        return;
    print_devices(s, out);
    print_processes(s, out);
}

/// All that this user runs now, as gc-monitor shows who holds IPUs.
void print_running(const std::vector<std::string>& files, std::ostream& out) {
    bool any = false;
    for (const std::string& file : files) {
        const auto profile = profile::Profile::follow(file);
        if (!profile) // it is just being made, or has just ended
            continue;
        if (const auto state = read(**profile)) {
            out << (any ? "\n" : "") << file << '\n';
            print(*state, out);
            any = true;
        }
    }
    if (!any)
        out << "No run of this user is going on\n";
}

/// The one run whose file need not be named.
Result<std::string> only_one(const std::vector<std::string>& files) {
    if (files.size() == 1)
        return files.front();
    if (files.empty())
        return wrong_usage("no run of this user is going on", "FILE",
                           "name the profile of one that has ended");
    std::string names;
    for (const std::string& file : files)
        names += (names.empty() ? "" : ", ") + file;
    return wrong_usage(std::to_string(files.size()) + " runs are going on", "FILE",
                       "name the profile of one: " + names);
}

Result<void> monitor(MonitorOptions o) {
    if (o.file.empty()) {
        const std::vector<std::string> files = running_runs();
        if (!o.follow) {
            print_running(files, std::cout);
            return {};
        }
        TRY(o.file, only_one(files));
    }
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
    CLI::App* command = program.add_subcommand("monitor", "Show where a run stands, or what is going on");
    command->add_option("FILE", options->file,
                        "Profile, finished or being written; without it, what you run now");
    command->add_flag("--follow", options->follow, "Keep showing it until the run ends");
    command->footer("Examples:\n  tilescope monitor\n  tilescope monitor run.tilescope --follow\n");
    command->callback([options, &action] { action = [options] { return monitor(*options); }; });
}

} // namespace tilescope::app
