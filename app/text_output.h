// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace tilescope::app {

std::string thousands(std::int64_t value); ///< "1,234,567"
std::string bytes_text(double bytes);      ///< "12.3 MiB"
std::string microseconds_text(double us);  ///< "223 us", "3.01 ms"
std::string number_text(double value);     ///< up to five significant digits
std::string percent_text(double share);    ///< "12.3 %"

/// Columns with two spaces between them; those that `right` names are aligned to the right.
class TextTable {
  public:
    TextTable(std::vector<std::string> header, std::vector<bool> right);
    void add(std::vector<std::string> row);
    void print(std::ostream& out, const std::string& indent = "") const;

  private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<bool> right_;
};

/// Writes a whole file. Errors: System with the path.
Result<void> write_file(const std::string& path, const std::string& text);

} // namespace tilescope::app
