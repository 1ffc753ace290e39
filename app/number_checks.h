// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

/// As CLI11's own checks of numbers, in words that a person reads.
namespace tilescope::app {

CLI::Validator at_least(std::int64_t least); ///< for whole numbers
CLI::Validator not_negative();               ///< for any that are finite

} // namespace tilescope::app
