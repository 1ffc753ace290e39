// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "build_paths.h"
#include "tests/app/command_fixture.h"
#include "tests/runs_scripts.h"

#include <string>

namespace tilescope::tests {

/// How the lines end that tell of what is not there.
inline const std::string asks = "; ask for it where Tilescope's issues are kept\n";

/// IPU TensorFlow's line where a pipeline's micro-batches do not fill its slots.
inline std::string pipeline_iterations(const std::string& multiple, const std::string& given) {
    return "The number of iterations of the pipeline must be a multiple of " + multiple + ", but it is " +
           given +
           ". This number might be called `gradient_accumulation_count`, "
           "`gradient_accumulation_steps_per_replica` or `steps_per_execution` depending on the API used.\n";
}

/// Scripts for IPU TensorFlow under `tilescope run`.
class RunScript : public CommandTest {
  protected:
    void SetUp() override {
        if (!runs_scripts())
            GTEST_SKIP() << "this build has no Python";
    }
    /// The script that the tests bring along, or one of the tutorials' where they are beside the checkout.
    static std::string own(const std::string& name) {
        return TILESCOPE_SOURCE_DIR "/tests/app/scripts/" + name;
    }
    static std::string tutorial(const std::string& name) {
        return TILESCOPE_SOURCE_DIR "/../shared/scripts/" + name;
    }
    /// What a script prints; its profile is run.tilescope.
    std::string output_of(const std::string& script, const Arguments& options = {},
                          const Arguments& arguments = {}) const {
        Arguments all{"run", "-o", "run.tilescope"};
        all.insert(all.end(), options.begin(), options.end());
        all.push_back(script);
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return outcome.out;
    }
};

} // namespace tilescope::tests
