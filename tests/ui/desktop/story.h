// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "tests/ui/desktop/desktop.h"

namespace tilescope::tests {

/// A question that someone comes with, answered in the real program; what they read is compared with the
/// file.
class Story : public Desktop {
  protected:
    /// Records NAME.tilescope of a sample.
    void record(const std::string& name, const std::string& sample, const std::string& options) const;
    std::unique_ptr<profile::Profile> file(const std::string& name) const;
    /// What the file of that name answers, NULL as "".
    Rows answer(const std::string& name, const std::string& sql) const;
    static bool headed(const Rows& rows, const std::string& first);
};

} // namespace tilescope::tests
