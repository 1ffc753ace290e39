// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tilescope::tests {

/// A test of the program in a folder of its own, where it runs.
class CommandTest : public testing::Test {
  protected:
    /// Runs the program in `folder`.
    Outcome run(const Arguments& arguments) const { return tilescope(arguments, {folder.path().string()}); }
    /// The same, expected to end with `exit_code`; returns what it prints.
    std::string printed(const Arguments& arguments, int exit_code = 0) const;
    /// The same, as the JSON document that it prints.
    nlohmann::ordered_json document(const Arguments& arguments, int exit_code = 0) const;
    std::string write(const std::string& name, const std::string& text) const;
    std::set<std::string> files() const; ///< names of the files in `folder`

    /// Records the small graph of the porting tutorial as NAME.tilescope; returns its path.
    std::string record_tutorial(const std::string& name = "tutorial") const;
    /// Trains the dense network of `mnist_tf2` on synthetic digits for epochs of 20 steps, 5 in each
    /// execution, and evaluates it on 100 digits.
    static Arguments training_command(const std::string& output, std::int64_t epochs,
                                      const std::string& progress = "none", const Arguments& more = {});
    /// Two epochs of that, as NAME.tilescope; returns its path.
    std::string record_training(const std::string& name = "training", const Arguments& more = {}) const;

    /// Estimates an epoch of `keras_mnist_faster` with another model, as NAME.tilescope; returns that name.
    std::string record_model(const std::string& name, const nlohmann::ordered_json& model,
                             const Arguments& more = {}) const;

    const TemporaryFolder folder;
};

bool holds(const std::string& text, const std::string& part);

/// Expects a failure as the program should report one: the exit code, nothing on stdout, and on stderr the
/// warnings, each a line with its text, and one line that has every part.
void expect_failure(const Outcome& outcome, int exit_code, const std::vector<std::string>& parts,
                    const std::vector<std::string>& warnings = {});

} // namespace tilescope::tests
