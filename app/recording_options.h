// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tilescope::app {

/// What the commands that record a profile are told alike.
struct RecordingOptions {
    std::string label; ///< what the run is of: the commit that CI names, where nothing else is said
    std::string cache; ///< the folder of executables; "" for none
    bool overwrite = false;
};

/// Adds --overwrite, --label and --cache. The options must outlive the command.
void add_recording_options(CLI::App& command, RecordingOptions& options);

} // namespace tilescope::app
