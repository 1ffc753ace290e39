// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/command_fixture.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace tilescope::tests {

/// Runs that are to end early, over a good profile or under a new name, and what is in their folder then.
class SuddenEnd : public CommandTest {
  public:
    /// Training of `epochs` epochs, 4 executions of 5 steps each, and its evaluation.
    static Arguments training(std::int64_t epochs, std::int64_t evaluated = 100);

  protected:
    /// How many ends are tried: the nightly runs have more.
    static int ends(int few, int many) { return std::getenv("TILESCOPE_LONG_TESTS") != nullptr ? many : few; }

    void SetUp() override;
    /// Empties the folder but for a good profile where there is to be one.
    void prepare_folder(bool over_good) const;
    /// The executions that a run has told of on stderr: 4 for each epoch whose last line is there.
    static std::int64_t reported(const std::string& said);
    /// Expects of a folder in which a run is gone: where there was a good profile, that or the whole new one;
    /// all that has a profile's name whole, and in one of them what was reported.
    void expect_whole_files(const std::string& in, bool over_good, std::int64_t executions) const;

    std::string good; ///< the bytes of the good profile

  private:
    /// The executions in a profile that is whole, and its status; -1 where it is the good one.
    std::int64_t expect_whole(const std::string& path) const;
};

} // namespace tilescope::tests
