// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tilescope::tests {

std::string CommandTest::printed(const Arguments& arguments, int exit_code) const {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    return std::move(outcome.out);
}

nlohmann::ordered_json CommandTest::document(const Arguments& arguments, int exit_code) const {
    const std::string text = printed(arguments, exit_code);
    auto parsed = nlohmann::ordered_json::parse(text, nullptr, false);
    EXPECT_FALSE(parsed.is_discarded()) << text;
    return parsed;
}

std::string CommandTest::write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
}

std::set<std::string> CommandTest::files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        names.insert(entry.path().filename().string());
    return names;
}

std::string CommandTest::record_tutorial(const std::string& name) const {
    std::string path = folder / (name + ".tilescope");
    printed({"profile", sample("tutorial_basic"), "-o", path, "--progress", "none"});
    return path;
}

Arguments CommandTest::training_command(const std::string& output, std::int64_t epochs,
                                        const std::string& progress, const Arguments& more) {
    Arguments arguments{"profile",  sample("mnist_tf2"),      "-o",         output,
                        "--epochs", std::to_string(epochs),   "--progress", progress,
                        "--set",    "data.train.samples=640", "--set",      "data.evaluate.samples=100",
                        "--set",    "fit.steps_per_epoch=20", "--set",      "compile.steps_per_execution=5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::string CommandTest::record_training(const std::string& name, const Arguments& more) const {
    std::string path = folder / (name + ".tilescope");
    printed(training_command(path, 2, "none", more));
    return path;
}

std::string CommandTest::record_model(const std::string& name, const nlohmann::ordered_json& model,
                                      const Arguments& more) const {
    auto workload = nlohmann::ordered_json::parse(read_file(sample("keras_mnist_faster")));
    workload["model"]["keras"] = write(name + ".model.json", model.dump());
    workload.erase("evaluate");
    std::string path = name + ".tilescope";
    Arguments arguments{"profile",    write(name + ".json", workload.dump()),
                        "--epochs",   "1",
                        "-o",         path,
                        "--progress", "none",
                        "--estimate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    return path;
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void expect_failure(const Outcome& outcome, int exit_code, const std::vector<std::string>& parts,
                    const std::vector<std::string>& warnings) {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    std::string error = outcome.err;
    for (const std::string& warning : warnings) {
        const std::string line = error.substr(0, error.find('\n') + 1);
        EXPECT_TRUE(line.starts_with("tilescope: warning: ") && holds(line, warning))
            << "no warning \"" << warning << "\" in: " << outcome.err;
        error.erase(0, line.size());
    }
    EXPECT_EQ(error.rfind("tilescope: ", 0), 0U) << outcome.err;
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << outcome.err;
    for (const std::string& part : parts)
        EXPECT_TRUE(holds(error, part)) << "no \"" << part << "\" in: " << outcome.err;
}

} // namespace tilescope::tests
