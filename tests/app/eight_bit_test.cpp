// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/command_fixture.h"

#include <cmath>
#include <filesystem>
#include <fstream>

namespace tilescope::tests {
namespace {

using nlohmann::json;

/// Images that come as bytes and become numbers on the IPU: a dense network on IDX files of its own.
class EightBit : public CommandTest {
  protected:
    static constexpr int images = 400;

    EightBit() {
        const std::filesystem::path data = folder.path() / "bytes";
        std::filesystem::create_directories(data);
        std::ofstream pictures(data / "train-images-idx3-ubyte", std::ios::binary);
        std::ofstream classes(data / "train-labels-idx1-ubyte", std::ios::binary);
        const auto number = [](std::ofstream& out, unsigned value) {
            for (int shift = 24; shift >= 0; shift -= 8)
                out.put(static_cast<char>(value >> shift & 255U));
        };
        for (const unsigned value : {0x803U, static_cast<unsigned>(images), 28U, 28U})
            number(pictures, value);
        for (const unsigned value : {0x801U, static_cast<unsigned>(images)})
            number(classes, value);
        unsigned random = 1;
        for (unsigned i = 0; i < images; ++i) {
            classes.put(static_cast<char>(i % 10));
            for (unsigned p = 0; p < 784; ++p) { // a bar for each class, under noise
                random = random * 1664525U + 1013904223U;
                pictures.put(static_cast<char>(p / 78 == i % 10 ? 255U - (random >> 27) : random >> 25));
            }
        }
    }
    /// The network, behind a layer of its own.
    void workload(const json& first = nullptr, const std::string& data = R"({"idx": "bytes"})") const {
        json layers = {{{"class_name", "InputLayer"},
                        {"config", {{"name", "x"}, {"batch_input_shape", {nullptr, 784}}}}}};
        if (!first.is_null())
            layers.push_back(first);
        for (const int units : {32, 10})
            layers.push_back({{"class_name", "Dense"},
                              {"config",
                               {{"name", "dense" + std::to_string(units)},
                                {"units", units},
                                {"activation", units == 32 ? "relu" : "softmax"}}}});
        const json document = {
            {"model",
             {{"keras", {{"class_name", "Sequential"}, {"config", {{"name", "m"}, {"layers", layers}}}}}}},
            {"data", {{"train", json::parse(data)}}},
            {"compile",
             {{"loss", "sparse_categorical_crossentropy"},
              {"optimizer", {{"name", "sgd"}, {"learning_rate", 0.1}}}}},
            {"fit", {{"batch_size", 4}}}};
        write("w.json", document.dump());
    }
    Arguments command(const std::string& name, const Arguments& settings) const {
        Arguments all{"profile",    "w.json", "-o",     name,
                      "--progress", "none",   "--data", folder.path().string()};
        for (const std::string& each : settings)
            all.insert(all.end(), {"--set", each});
        return all;
    }
    /// Of each of a hundred steps.
    std::vector<double> losses(const Arguments& settings) const {
        printed(command("run.tilescope", settings));
        std::vector<double> found;
        for (const auto& row :
             document({"query", "run.tilescope", "--format", "json",
                       "SELECT value FROM metric WHERE name = 'loss' ORDER BY execution_id"}))
            found.push_back(row.at("value"));
        return found;
    }
    static void expect_near(const std::vector<double>& one, const std::vector<double>& other) {
        ASSERT_EQ(one.size(), 100U);
        ASSERT_EQ(other.size(), 100U);
        EXPECT_LT(one.back(), one.front() / 2) << "it learns";
        for (std::size_t i = 0; i < one.size(); ++i)
            EXPECT_NEAR(one[i], other[i], 1e-4) << "step " << i;
    }
    std::string query(const std::string& sql) const {
        return printed({"query", "run.tilescope", sql, "--format", "csv"});
    }
};

// Four images of 784 pixels: a byte each over the stream, and float32 behind the cast.
TEST_F(EightBit, BytesOverTheStreamTrainToTheSameLosses) {
    workload();
    const std::vector<double> plain = losses({});
    const std::string stream = "SELECT max(bytes) AS bytes FROM exchange WHERE kind = 'host'";
    EXPECT_EQ(query(stream), "bytes\n12544\n");
    EXPECT_EQ(query("SELECT cut, eight_bit_io FROM run"), "cut,eight_bit_io\nnone,off\n");
    expect_near(losses({"data.eight_bit_io=true"}), plain);
    EXPECT_EQ(query(stream), "bytes\n3136\n");
    EXPECT_EQ(query("SELECT cut, eight_bit_io FROM run"), "cut,eight_bit_io\nnone,on\n");
    EXPECT_EQ(query("SELECT dtype, bytes FROM tensor WHERE name = 'x'"), "dtype,bytes\nuint8,3136\n");
    EXPECT_EQ(query("SELECT count(*) AS n FROM operation WHERE name = 'x/Cast'"), "n\n1\n");
}

// (x - 0.5) * 4 is 4 x - 2.
TEST_F(EightBit, ChannelsAreNormalisedOnTheIpu) {
    workload({{"class_name", "Rescaling"}, {"config", {{"name", "r"}, {"scale", 4.0}, {"offset", -2.0}}}});
    const std::vector<double> by_layer = losses({"compile.optimizer.learning_rate=0.01"});
    workload();
    const std::vector<double> here = losses(
        {"compile.optimizer.learning_rate=0.01", R"(data.eight_bit_io={"offsets": 0.5, "scales": [4]})"});
    ASSERT_EQ(here.size(), by_layer.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        EXPECT_NEAR(here[i], by_layer[i], 1e-4) << "step " << i;
}

TEST_F(EightBit, WhatAreNoBytesIsRefusedInALine) {
    workload();
    const auto refused = [&](const std::string& setting, const std::vector<std::string>& parts) {
        expect_failure(run(command("no.tilescope", {setting})), 3, parts);
    };
    refused(R"(data.eight_bit_io={"offsets": [1, 2, 3]})",
            {"data.eight_bit_io.offsets", "has 3 numbers, and the input 784 channels"});
    refused(R"(data.eight_bit_io={"scales": []})", {"data.eight_bit_io.scales", "one for each channel"});
    refused("data.eight_bit_io=8", {"data.eight_bit_io", "true or an object"});
    std::string table;
    for (int i = 0; i < 4; ++i) {
        for (int p = 0; p < 784; ++p)
            table += std::to_string(p) + ",";
        table += std::to_string(i) + "\n";
    }
    write("table.csv", table);
    workload(nullptr, R"({"file": "table.csv"})");
    refused("data.eight_bit_io=true", {"data.eight_bit_io", "values of 0 … 1"});
}

} // namespace
} // namespace tilescope::tests
