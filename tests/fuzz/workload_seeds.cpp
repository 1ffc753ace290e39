// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/fuzz/seeds.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace tilescope::tests {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path samples = TILESCOPE_SOURCE_DIR "/samples";

std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// A sample with its model in it, in as few bytes as it takes.
std::string whole(const fs::path& path) {
    Json workload = Json::parse(content(path));
    if (workload.contains("model") && workload["model"]["keras"].is_string())
        workload["model"]["keras"] =
            Json::parse(content(samples / workload["model"]["keras"].get<std::string>()));
    return workload.dump();
}

} // namespace

std::vector<Seed> workload_seeds() {
    std::vector<Seed> seeds;
    for (const auto& entry : fs::directory_iterator(samples))
        if (entry.path().extension() == ".json")
            seeds.push_back({entry.path().filename().string(), whole(entry.path())});
    seeds.push_back(
        {"schedule.json", R"({"model": {"keras": {"class_name": "Sequential", "config": {"layers": [
        {"class_name": "InputLayer", "config": {"name": "x", "batch_input_shape": [null, 4]}},
        {"class_name": "Dense", "config": {"name": "d", "units": 3}}]}}},
        "data": {"train": {"synthetic": true, "one_hot": 3, "samples": 64}},
        "compile": {"optimizer": {"name": "adam", "beta_1": 0.9, "learning_rate": {"name": "PiecewiseConstantDecay",
            "boundaries": [10, 20], "values": [0.1, 0.01, 0.001]}},
            "loss": "mse", "metrics": ["mae"], "global_step": "ipu", "gradient_reduction": "mean"},
        "ipu_config": {"ipu_model": {"version": "ipu2", "tiles_per_ipu": 4}},
        "fit": {"batch_size": 2, "epochs": 1, "steps_per_epoch": 2}})"});
    seeds.push_back({"graph.json", R"({"graph": {"nodes": [
        {"name": "c", "op": "conv2d", "inputs": ["x", "w"],
         "attributes": {"strides": [1, 1], "padding": [0, 0, 0, 0], "dilations": [1, 1], "groups": 1}},
        {"name": "s", "op": "slice", "inputs": ["c"],
         "attributes": {"begin": [0, 0, 0, 0], "size": [1, 1, 1, 2]}},
        {"name": "r", "op": "reduce_sum", "inputs": ["s"], "attributes": {"axes": [1], "keep_dims": true},
         "device": "/device:CPU:0"}],
        "feeds": {"x": {"shape": [1, 4, 4, 2]}, "w": {"shape": [3, 3, 2, 2], "dtype": "float32"}},
        "fetches": ["r"]}})"});
    return seeds;
}

std::vector<Seed> profile_seeds() {
    const TemporaryFolder folder;
    const std::string path = folder / "run.tilescope";
    if (const auto recorded = record_fixture(path, {4, 1, 1, 1, 1}); !recorded)
        throw std::runtime_error(recorded.error().line());
    return {{"run.tilescope", content(path)}};
}

} // namespace tilescope::tests
