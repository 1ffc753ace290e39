// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <CLI/CLI.hpp>
#include <functional>

/// The commands of the program, one file each. Each adds itself with its options and, when the user has
/// chosen it, leaves what is to be done in `action`.
namespace tilescope::app {

using Action = std::function<Result<void>()>;

void add_profile_command(CLI::App& program, Action& action);
void add_run_command(CLI::App& program, Action& action);
void add_report_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, Action& action);
void add_history_command(CLI::App& program, Action& action);
void add_check_command(CLI::App& program, Action& action);
void add_trim_command(CLI::App& program, Action& action);
void add_export_command(CLI::App& program, Action& action);
void add_query_command(CLI::App& program, Action& action);
void add_infer_command(CLI::App& program, Action& action);
void add_summary_command(CLI::App& program, Action& action);
void add_devices_command(CLI::App& program, Action& action);
void add_monitor_command(CLI::App& program, Action& action);
void add_completion_command(CLI::App& program, Action& action);
void add_manual_command(CLI::App& program, Action& action);

} // namespace tilescope::app
