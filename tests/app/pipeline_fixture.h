// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/command_fixture.h"

#include <string>

namespace tilescope::tests {

class Pipeline : public CommandTest {
  protected:
    /// Four dense layers of one size, a stage each: equal work but for the loss.
    std::string balanced() {
        nlohmann::json layers = {{{"class_name", "InputLayer"},
                                  {"config", {{"name", "input"}, {"batch_input_shape", {nullptr, 784}}}}}};
        for (int i = 0; i < 4; ++i)
            layers.push_back({{"class_name", "Dense"},
                              {"config",
                               {{"name", "dense" + std::to_string(i)},
                                {"units", i < 3 ? 784 : 10},
                                {"activation", "relu"}}}});
        const nlohmann::json workload = {
            {"model",
             {{"keras", {{"class_name", "Sequential"}, {"config", {{"name", "m"}, {"layers", layers}}}}}}},
            {"system", "pod4"},
            {"ipu_config", {{"auto_select_ipus", 4}}},
            {"data", {{"train", {{"synthetic", true}, {"samples", 1024}}}}},
            {"compile", {{"loss", "sparse_categorical_crossentropy"}, {"steps_per_execution", 16}}},
            {"fit", {{"batch_size", 64}, {"epochs", 1}}},
            {"pipeline",
             {{"gradient_accumulation_steps_per_replica", 16},
              {"stages", {{"dense1", 1}, {"dense2", 2}, {"dense3", 3}}}}}};
        return write("balanced.json", workload.dump());
    }
    void record(const std::string& name, const Arguments& more = {}) {
        Arguments arguments{"profile", balanced(), "--estimate", "-o", name, "--progress", "none"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        printed(arguments);
    }
    std::string query(const std::string& name, const std::string& sql) {
        return printed({"query", name, sql, "--format", "csv"});
    }
    double cycles(const std::string& name) {
        return document({"report", name, "--format", "json"})["timing"]["cycles_total"].get<double>();
    }
};

} // namespace tilescope::tests
