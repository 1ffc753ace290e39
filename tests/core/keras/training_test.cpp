// SPDX-License-Identifier: GPL-3.0-or-later
#include "keras/training.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tilescope::keras {

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

// As ipu_tensorflow_addons and keras.ipu describe their optimisers.
TEST(KerasTraining, OptimisersOfTheIpuAreThoseOfKeras) {
    const nlohmann::json plain{
        {"name", "adam"}, {"learning_rate", 0.25}, {"beta_1", 0.8}, {"corrected_epsilon", true}};
    EXPECT_EQ(
        compile_settings(R"({"optimizer_config": {"class_name": "AdamIpuOptimizer", "config": {"name": "Adam",
                  "learning_rate": 0.25, "beta_1": 0.8, "decay": 0.0, "amsgrad": false, "debiasing": true,
                  "m_dtype": null, "v_dtype": "float32", "vhat_dtype": null,
                  "optimizer_compute_precisions": ["float32"], "outline_apply_gradients": false,
                  "outline_apply_gradients_kwargs": {}}}})")
            .at("optimizer"),
        plain);
    const auto lamb = compile_settings(R"({"optimizer_config": {"class_name": "LAMBIpuOptimizer", "config":
        {"weight_decay_rate": 0.01, "m_dtype": "float16", "debiasing": false}}})")
                          .at("optimizer");
    EXPECT_EQ(lamb,
              (nlohmann::json{
                  {"name", "lamb"}, {"weight_decay", 0.01}, {"m_dtype", "float16"}, {"debiasing", false}}));
    const auto accumulated =
        compile_settings(R"({"optimizer_config": {"class_name": "GradientAccumulationOptimizer",
        "config": {"inner_optimizer_type": "SGD", "inner_optimizer_config": {"learning_rate": 0.5},
        "num_mini_batches": 4, "offload_weight_update_variables": null, "reduction_method": 1}}})");
    EXPECT_EQ(accumulated, (nlohmann::json{{"optimizer", {{"name", "SGD"}, {"learning_rate", 0.5}}},
                                           {"gradient_accumulation_steps_per_replica", 4},
                                           {"gradient_reduction", "mean"}}));
}

TEST(KerasTraining, LossesMayBeThoseOfOutputs) {
    const auto settings =
        compile_settings(R"({"loss": {"y": "mse", "z": {"class_name": "Huber", "config": {}}},
                                              "loss_weights": {"y": 0.5}})");
    EXPECT_EQ(settings.at("loss"), (nlohmann::json{{"y", "mse"}, {"z", "huber"}}));
    EXPECT_EQ(settings.at("loss_weights"), (nlohmann::json{{"y", 0.5}}));
    EXPECT_EQ(compile_settings(R"({"loss": ["mae", null], "loss_weights": null})"),
              (nlohmann::json{{"loss", {"mae", nullptr}}}));
}

// What a workload's loss has not is refused by it, not left out.
TEST(KerasTraining, LossesAndMetricsKeepWhatIsNotTheirDefault) {
    const auto settings = compile_settings(R"({
        "loss": {"class_name": "Huber", "config": {"reduction": "auto", "name": "huber_loss", "delta": 0.1}},
        "metrics": [{"class_name": "TopKCategoricalAccuracy", "config": {"name": "top_k_categorical_accuracy",
                     "dtype": "float32", "k": 1}},
                    {"class_name": "TopKCategoricalAccuracy", "config": {"name": "top_k_categorical_accuracy",
                     "dtype": "float32", "k": 5}}]})");
    EXPECT_EQ(settings.at("loss"), "huber_loss(delta=0.1)");
    EXPECT_EQ(settings.at("metrics"),
              (nlohmann::json{"top_k_categorical_accuracy(k=1)", "top_k_categorical_accuracy"}));
    const auto plain = compile_settings(R"({"loss": {"class_name": "CategoricalCrossentropy", "config":
        {"reduction": "auto", "name": "categorical_crossentropy", "from_logits": true, "label_smoothing": 0.0,
         "axis": -1, "fn": "categorical_crossentropy"}}})");
    EXPECT_EQ(plain, (nlohmann::json{{"loss", "categorical_crossentropy"}, {"from_logits", true}}));
    const auto summed = compile_settings(R"({"loss": {"class_name": "MeanSquaredError", "config":
        {"reduction": "sum", "name": "mean_squared_error", "fn": "mean_squared_error"}}})");
    EXPECT_EQ(summed.at("loss"), "mean_squared_error(reduction=\"sum\")");
}

} // namespace tilescope::keras
