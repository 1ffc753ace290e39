// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tilescope::exports {

/// Columns with two spaces between them; those that `right` names are aligned to the right. A table may have
/// no header. Lists of JSON of more than 60 characters go over several lines, each of which ends behind a
/// comma.
class TextTable {
  public:
    TextTable(std::vector<std::string> header, std::vector<bool> right);
    void add(std::vector<std::string> row);
    void print(std::ostream& out, const std::string& indent = "") const;

  private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<bool> right_;
};

} // namespace tilescope::exports
