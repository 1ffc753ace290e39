// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <cmath>

namespace tilescope::tests {
namespace {

using nlohmann::json;

/// Trains models of many kinds of layers on a few built-in digits.
class KerasLayerTraining : public CommandTest {
  protected:
    void write_model(const std::vector<std::pair<std::string, json>>& layers) const {
        json list = json::array({{{"class_name", "InputLayer"},
                                  {"config", {{"name", "x"}, {"batch_input_shape", {nullptr, 28, 28, 1}}}}}});
        for (const auto& [kind, settings] : layers) {
            json config = settings.is_null() ? json::object() : settings;
            config["name"] = "layer_" + std::to_string(list.size());
            list.push_back({{"class_name", kind}, {"config", std::move(config)}});
        }
        write("model.json",
              json{{"class_name", "Sequential"}, {"config", {{"name", "model"}, {"layers", list}}}}.dump());
        write("w.json", R"({"model": {"keras": "model.json"}, "system": "pod4",
            "data": {"train": {"synthetic": true, "samples": 128, "one_hot": 10},
                     "evaluate": {"synthetic": true, "samples": 64, "one_hot": 10}},
            "compile": {"optimizer": {"name": "sgd", "learning_rate": 0.05},
                        "loss": "categorical_crossentropy", "metrics": ["accuracy"],
                        "steps_per_execution": 16},
            "fit": {"batch_size": 8, "epochs": 1}})");
    }
    /// What training and evaluating give.
    json result(const Arguments& settings = {}) const {
        Arguments arguments{"profile", "w.json", "-o", "run.tilescope", "--progress", "none"};
        for (const std::string& each : settings)
            arguments.insert(arguments.end(), {"--set", each});
        printed(arguments);
        const auto report = document({"report", "run.tilescope", "--format", "json"}).at("result");
        return {{"train", report.at("epochs").at(0).at("loss")},
                {"evaluate", report.at("evaluate").at("loss")}};
    }
    static void expect_equal(const json& one, const json& other) {
        for (const char* kind : {"train", "evaluate"}) {
            const double expected = one.at(kind);
            EXPECT_TRUE(std::isfinite(expected));
            EXPECT_NEAR(other.at(kind).get<double>(), expected, 2e-4 * expected) << kind;
        }
    }
    /// One after another, on four replicas, or through a pipeline of two stages.
    void expect_the_same_however_four_batches_are_dealt_out() const {
        const json accumulated = result({"compile.gradient_accumulation_steps_per_replica=4"});
        json replicated = result({"ipu_config.auto_select_ipus=4"});
        replicated["evaluate"] =
            accumulated["evaluate"]; // by the running statistics of the first replica's batches
        expect_equal(accumulated, replicated);
        expect_equal(accumulated,
                     result({"ipu_config.auto_select_ipus=2",
                             R"(pipeline={"schedule": "Grouped", "gradient_accumulation_steps_per_replica": 4,
                                 "stages": {"layer_9": 1}})"}));
    }
};

TEST_F(KerasLayerTraining, IsTheSameOnAnyNumberOfIpus) {
    const json l1{{"class_name", "L1"}, {"config", {{"l1", 0.001}}}};
    write_model({{"ZeroPadding2D", {{"padding", 2}}},
                 {"Conv2D", {{"filters", 4}, {"kernel_size", 3}, {"strides", 4}, {"padding", "same"}}},
                 {"BatchNormalization", {{"momentum", 0.9}}},
                 {"ReLU", {{"max_value", 5.0}, {"negative_slope", 0.1}}},
                 {"DepthwiseConv2D", {{"kernel_size", 3}, {"padding", "same"}, {"depth_multiplier", 2}}},
                 {"SpatialDropout2D", {{"rate", 0.1}}},
                 {"SeparableConv2D", {{"filters", 8}, {"kernel_size", 3}, {"activation", "swish"}}},
                 {"GroupNormalization", {{"groups", 4}}},
                 {"UpSampling2D", {{"size", 2}}},
                 {"Cropping2D", {{"cropping", 3}}},
                 {"Conv2DTranspose", {{"filters", 4}, {"kernel_size", 3}, {"strides", 2}}},
                 {"PReLU", {{"shared_axes", {1, 2}}}},
                 {"GaussianNoise", {{"stddev", 0.1}}},
                 {"BatchNormalization", {{"momentum", 0.9}, {"scale", false}}},
                 {"GlobalAveragePooling2D", {}},
                 {"LayerNormalization", {}},
                 {"Dense", {{"units", 16}, {"activation", "gelu"}, {"activity_regularizer", l1}}},
                 {"RepeatVector", {{"n", 3}}},
                 {"Permute", {{"dims", {2, 1}}}},
                 {"Flatten", {}},
                 {"Dense", {{"units", 10}, {"activation", "softmax"}, {"kernel_regularizer", l1}}}});
    const json plain = result();
    expect_equal(plain, result({"ipu_config.allow_recompute=true"}));
    expect_equal(plain, result({"ipu_config.allow_recompute=true",
                                R"(model.recomputation_checkpoints=["layer_4", "layer_11", "layer_15"])"}));
    expect_the_same_however_four_batches_are_dealt_out();
}

TEST_F(KerasLayerTraining, IsTheSameForVolumesAndSteps) {
    const json dense{{"class_name", "Dense"},
                     {"config", {{"name", "inner"}, {"units", 6}, {"activation", "tanh"}}}};
    write_model({{"Rescaling", {{"scale", 2.0}, {"offset", -1.0}}},
                 {"Resizing", {{"height", 12}, {"width", 12}, {"interpolation", "bilinear"}}},
                 {"Reshape", {{"target_shape", {4, 6, 6, 1}}}},
                 {"Conv3D", {{"filters", 3}, {"kernel_size", {2, 3, 3}}, {"padding", "same"}}},
                 {"SpatialDropout3D", {{"rate", 0.1}}},
                 {"MaxPooling3D", {{"pool_size", 2}}},
                 {"Conv3DTranspose", {{"filters", 2}, {"kernel_size", 2}, {"strides", {2, 1, 1}}}},
                 {"AveragePooling3D", {{"pool_size", {1, 2, 2}}}},
                 {"BatchNormalization", {{"axis", 1}}},
                 {"GaussianDropout", {{"rate", 0.1}}},
                 {"Reshape", {{"target_shape", {4, 8}}}},
                 {"TimeDistributed", {{"layer", dense}}},
                 {"RMSNormalization", {{"epsilon", 1e-6}}},
                 {"EinsumDense",
                  {{"equation", "abc,cde->abde"}, {"output_shape", {nullptr, 2, 3}}, {"bias_axes", "de"}}},
                 {"AlphaDropout", {{"rate", 0.1}}},
                 {"UpSampling2D", {{"size", 2}, {"interpolation", "bicubic"}}},
                 {"Flatten", {}},
                 {"ActivityRegularization", {{"l2", 0.001}}},
                 {"Dense", {{"units", 10}, {"activation", "softmax"}}}});
    expect_the_same_however_four_batches_are_dealt_out();
}

TEST_F(KerasLayerTraining, LearnsTheRowsOfAnEmbedding) {
    write_model({{"Flatten", {}},
                 {"Embedding", {{"input_dim", 2}, {"output_dim", 6}}},
                 {"GlobalAveragePooling1D", {}},
                 {"Dense", {{"units", 10}, {"activation", "softmax"}}}});
    const json plain = result();
    EXPECT_TRUE(std::isfinite(plain.at("train").get<double>()));
    const auto sets =
        printed({"query", "run.tilescope", "SELECT DISTINCT name FROM compute_set", "--format", "csv"});
    EXPECT_TRUE(holds(sets, "MultiSlice")) << sets;
    EXPECT_TRUE(holds(sets, "MultiUpdateAdd")) << sets;
}

TEST_F(KerasLayerTraining, ComputesMixedPrecisionInFloat16AndKeepsItsWeightsInFloat32) {
    const auto trained = [&](const char* policy) {
        write_model({{"Conv2D", {{"filters", 8}, {"kernel_size", 3}, {"strides", 3}, {"dtype", policy}}},
                     {"BatchNormalization", {{"dtype", policy}}},
                     {"ReLU", {{"dtype", policy}}},
                     {"Flatten", {{"dtype", policy}}},
                     {"Dense", {{"units", 10}, {"activation", "softmax"}, {"dtype", "float32"}}}});
        return result();
    };
    const auto count = [&](const std::string& of) {
        return document({"query", "run.tilescope", "SELECT count(*) AS n FROM " + of, "--format", "json"})
            .at(0)
            .at("n")
            .get<int>();
    };
    const json full = trained("float32");
    EXPECT_EQ(count("tensor WHERE dtype = 'float16'"), 0);
    const json mixed = trained("mixed_float16");
    EXPECT_GT(count("tensor WHERE dtype = 'float16' AND name LIKE 'layer_1/%'"), 0);
    EXPECT_EQ(count("variable WHERE category = 'Variables' AND always_live AND dtype <> 'float32'"), 0);
    for (const char* kind : {"train", "evaluate"}) {
        EXPECT_NEAR(mixed.at(kind).get<double>(), full.at(kind).get<double>(), 0.01) << kind;
        EXPECT_NE(mixed.at(kind), full.at(kind)) << kind;
    }
    trained("float16");
    EXPECT_GT(count("variable WHERE category = 'Variables' AND always_live AND dtype = 'float16'"), 0);
}

TEST_F(KerasLayerTraining, ReadsDigitsRowByRow) {
    write_model({{"Reshape", {{"target_shape", {7, 112}}}},
                 {"LSTM", {{"units", 8}, {"activation", "tanh"}, {"recurrent_activation", "sigmoid"}}},
                 {"Dense", {{"units", 10}, {"activation", "softmax"}}}});
    expect_equal(result({"compile.gradient_accumulation_steps_per_replica=2"}),
                 result({"ipu_config.auto_select_ipus=2"}));
    // What the loops cost in an engine run is what its trace has of them.
    result();
    const auto sum = [&](const std::string& of) {
        return document({"query", "run.tilescope", "SELECT sum(" + of, "--format", "json"})
            .at(0)
            .at("n")
            .get<std::int64_t>();
    };
    EXPECT_EQ(
        sum("sync_cycles + exchange_cycles + compute_cycles) AS n FROM operation_cost WHERE kind = 'scan'"),
        sum("t.sync + t.exchange + t.compute) AS n FROM trace t JOIN program p ON p.id = t.program_id JOIN "
            "operation o ON o.id = p.operation_id WHERE o.kind = 'scan' AND t.execution_id = "
            "(SELECT min(execution_id) FROM trace)"));
}

} // namespace
} // namespace tilescope::tests
