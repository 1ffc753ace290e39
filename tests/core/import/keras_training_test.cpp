// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/keras_training.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope::import {

// As tf.keras 2 writes a model that was compiled with a schedule.
TEST(KerasTraining, ALearningRateMayBeASchedule) {
    const auto settings = compile_settings(R"({"loss": "mse", "optimizer_config": {"class_name": "Adam",
        "config": {"name": "Adam", "beta_1": 0.8, "learning_rate": {"class_name": "ExponentialDecay", "config":
        {"initial_learning_rate": 0.1, "decay_steps": 100, "decay_rate": 0.9, "staircase": true, "name": null}}}}})");
    const nlohmann::json rate{{"name", "ExponentialDecay"},
                              {"initial_learning_rate", 0.1},
                              {"decay_steps", 100},
                              {"decay_rate", 0.9},
                              {"staircase", true}};
    EXPECT_EQ(settings.at("optimizer").at("learning_rate"), rate);
    EXPECT_EQ(settings.at("optimizer").at("beta_1"), 0.8);
    EXPECT_EQ(settings.at("loss"), "mse");
}

TEST(KerasTraining, ALearningRateMayBeANumber) {
    const auto settings =
        compile_settings(R"({"optimizer_config": {"class_name": "SGD", "config": {"learning_rate": 0.5}}})");
    EXPECT_EQ(settings.at("optimizer").at("learning_rate"), 0.5);
}

} // namespace tilescope::import
