// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "ipu/target.h"
#include "tests/json_schema.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace tilescope::workload {
namespace {

using Json = nlohmann::json;

const std::string schema_path = std::string(TILESCOPE_SOURCE_DIR) + "/resources/workload.schema.json";

class WorkloadSchema : public testing::Test {
  protected:
    std::string write(const std::string& text) const {
        std::string path = folder / "w.json";
        std::ofstream(path) << text;
        return path;
    }
    const tests::TemporaryFolder folder;
    const tests::SchemaJson schema = tests::read_schema(schema_path);
    const tests::SchemaProperties properties{schema};
};

TEST_F(WorkloadSchema, HasTheKeysThatTheImporterAsksFor) {
    const std::vector<std::string> known = known_keys();
    EXPECT_EQ(properties.paths(), std::set<std::string>(known.begin(), known.end()));
}

TEST_F(WorkloadSchema, DescribesEveryKey) {
    for (const auto& property : properties.all())
        EXPECT_GT(property.schema.value("description", "").size(), 9U) << property.path;
}

TEST_F(WorkloadSchema, StatesTheDefaultsThatTheImporterFillsIn) {
    const auto workload = read_workload(write(R"({"model": {"keras": {}}, "data": {"train": {"idx": "mnist"},
        "evaluate": {"idx": "mnist"}}, "system": {}})"));
    ASSERT_TRUE(workload) << workload.error().line();
    const Json filled = Json::parse(workload->canonical_json());
    int compared = 0;
    for (const auto& property : properties.all()) {
        std::string pointer = "/" + property.path;
        std::replace(pointer.begin(), pointer.end(), '.', '/');
        const Json::json_pointer at(pointer);
        if (!property.schema.contains("default") || !filled.contains(at))
            continue;
        const Json& value = filled.at(at);
        EXPECT_EQ(value.is_object() ? value.at("name") : value, Json(property.schema["default"]))
            << property.path;
        ++compared;
    }
    EXPECT_GT(compared, 18);
}

TEST_F(WorkloadSchema, StatesTheFiguresOfEachGeneration) {
    for (const std::string& generation : ipu::generations()) {
        const auto target = ipu::find_target(generation);
        ASSERT_TRUE(target);
        std::set<std::string> compared;
        for (const ipu::TargetFigure& figure : ipu::target_figures())
            for (const auto& property : properties.all())
                if (property.path == std::string("ipu_config.ipu_model.") + figure.name) {
                    EXPECT_DOUBLE_EQ(property.schema.at("x-defaults").at(generation).get<double>(),
                                     figure.get(*target))
                        << generation << " " << figure.name;
                    compared.insert(figure.name);
                }
        EXPECT_EQ(compared.size(), ipu::target_figures().size());
    }
}

TEST_F(WorkloadSchema, AcceptsEverySample) {
    int samples = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(TILESCOPE_SOURCE_DIR) + "/samples"))
        if (entry.path().extension() == ".json") {
            EXPECT_EQ(tests::schema_errors(schema_path, entry.path().string()), "") << entry.path();
            ++samples;
        }
    EXPECT_GE(samples, 7);
}

TEST_F(WorkloadSchema, AcceptsTheWorkloadWithEveryDefaultFilledIn) {
    const auto workload = read_workload(std::string(TILESCOPE_SOURCE_DIR) + "/samples/tutorial_basic.json");
    ASSERT_TRUE(workload) << workload.error().line();
    Json filled = Json::parse(workload->canonical_json());
    filled["compile"].erase("loss"); // "" stands for none
    EXPECT_EQ(tests::schema_errors(schema_path, write(filled.dump())), "");
}

TEST_F(WorkloadSchema, AcceptsDevicesAndMappingsThatTheImporterAccepts) {
    for (
        const std::string config :
        {R"({"auto_select_ipus": 4})", R"({"auto_select_ipus": [2, 1]})", R"({"select_ipus": 24})",
         R"({"select_ipus": [24, 25], "selection_order": "HOOF"})",
         R"({"auto_select_ipus": 2, "products": [{"of": "matmuls", "stages": [1], "passes": ["backward"],
              "layers": "a*", "available_memory_proportion": 0.2, "partials_type": "float16"},
              {"partials_type": "float32"}]})",
         R"({"auto_select_ipus": 2, "available_memory_proportion": [0.2, 0.3], "allow_recompute": [true, false],
              "partials_type": ["float16", "float32"]})",
         R"({"auto_select_ipus": 2, "allow_recompute": [{"layers": "a*", "allow_recompute": true},
              {"ipus": [1], "allow_recompute": false}], "products": [{"ipus": [0], "partials_type": "float16"},
              {"of": "convolutions", "gather_output": true},
              {"of": "matmuls", "clear_pass_type": true}]})",
         R"([{"auto_select_ipus": 1}, {"select_ipus": 16}])"}) {
        const std::string path =
            write(R"({"model": {"keras": {}}, "system": "server16", "ipu_config": )" + config +
                  R"(, "pipeline": {"stages": {"a": 1}, "gradient_accumulation_steps_per_replica": 4,
                      "device_mapping": )" +
                  (config.find("HOOF") == std::string::npos ? "[1, 0]" : "[0, 0]") + "}}");
        const auto workload = read_workload(path);
        ASSERT_TRUE(workload) << workload.error().line();
        EXPECT_EQ(tests::schema_errors(schema_path, path), "") << config;
        // What is recorded of a run is a workload too, and says the same.
        Json filled = Json::parse(workload->canonical_json());
        filled["compile"].erase("loss");
        const std::string again = write(filled.dump());
        EXPECT_EQ(tests::schema_errors(schema_path, again), "") << config;
        EXPECT_EQ(read_workload(again)->canonical_json(), workload->canonical_json());
    }
}

TEST_F(WorkloadSchema, RefusesWhatTheImporterRefuses) {
    const std::string model = R"("model": {"keras": {}})";
    for (const std::string& text :
         {std::string("{}"),
          "{" + model + R"(, "fit": {"epoch": 1}})",
          "{" + model + R"(, "fit": {"epochs": 0}})",
          "{" + model + R"(, "graph": {"nodes": [], "fetches": ["a"]}})",
          "{" + model + R"(, "device": "gpu"})",
          "{" + model + R"(, "data": {"train": {"samples": 5}}})",
          "{" + model + R"(, "pipeline": {"stages": 1}})",
          "{" + model + R"(, "ipu_config": {"auto_select_ipus": 0}})",
          "{" + model + R"(, "ipu_config": {"available_memory_proportion": 0}})",
          "{" + model + R"(, "ipu_config": {"partials_type": ""}})",
          "{" + model + R"(, "ipu_config": {"products": [{"partials_type": ""}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"of": "", "partials_type": "float16"}]}})",
          "{" + model + R"(, "ipu_config": {"products": {}}})",
          "{" + model + R"(, "ipu_config": {"products": [{"of": "sums", "partials_type": "float16"}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"stages": [-1], "partials_type": "float16"}]}})",
          "{" + model +
              R"(, "ipu_config": {"products": [{"passes": ["again"], "partials_type": "float16"}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"layers": "a*", "partials_type": "half"}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"available_memory_proportion": 1.5}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"gather_output": "yes"}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"layer": "a", "partials_type": "float16"}]}})",
          "{" + model + R"(, "ipu_config": {"available_memory_proportion": []}})",
          "{" + model + R"(, "ipu_config": {"partials_type": ["half"]}})",
          "{" + model + R"(, "ipu_config": {"allow_recompute": [1]}})",
          "{" + model + R"(, "ipu_config": {"allow_recompute": [{"layers": "a"}]}})",
          "{" + model + R"(, "ipu_config": {"products": [{"ipus": [-1], "partials_type": "float16"}]}})",
          std::string(R"({"model": {"keras": {}, "dtype": "bfloat16"}})"),
          std::string(R"({"model": {"keras": {}, "dtype": [{"layer": "a", "dtype": "float16"}]}})"),
          "{" + model + R"(, "ipu_config": []})",
          "{" + model + R"(, "ipu_config": [{}, {"auto_select": 1}]})",
          "{" + model + R"(, "ipu_config": [[]]})",
          "{" + model + R"(, "ipu_config": {"auto_select_ipus": []}})",
          "{" + model + R"(, "ipu_config": {"auto_select_ipus": [2, 0]}})",
          "{" + model + R"(, "ipu_config": {"select_ipus": [4, 4]}})",
          "{" + model + R"(, "ipu_config": {"selection_order": "CIRCLE"}})",
          "{" + model + R"(, "compile": {"optimizer": {"lr": 0.1}}})",
          "{" + model + R"(, "compile": {"optimizer": {"learning_rate": -0.1}}})",
          "{" + model + R"(, "compile": {"optimizer": {"learning_rate": {"initial_learning_rate": -1}}}})",
          "{" + model + R"(, "compile": {"optimizer": {"learning_rate": {"values": [0.1, -1]}}}})",
          "{" + model + R"(, "compile": {"optimizer": {"name": "adam", "beta_1": 1}}})",
          "{" + model + R"(, "compile": {"optimizer": {"name": "adam", "beta_2": -0.1}}})",
          "{" + model + R"(, "compile": {"optimizer": {"name": "rmsprop", "rho": 1.1}}})",
          "{" + model + R"(, "compile": {"optimizer": {"momentum": 1.5}}})",
          "{" + model + R"(, "compile": {"optimizer": {"name": "adam", "epsilon": -1e-7}}})",
          "{" + model + R"(, "compile": {"optimizer": {"name": "adamw", "weight_decay": -1}}})",
          "{" + model + R"(, "compile": {"metrics": [1]}})",
          "{" + model + R"(, "seed": -1})"}) {
        const std::string path = write(text);
        EXPECT_FALSE(read_workload(path)) << text;
        EXPECT_NE(tests::schema_errors(schema_path, path), "") << text;
    }
}

TEST_F(WorkloadSchema, RefusesSmallGraphsThatTheImporterRefuses) {
    const graph::OperatorRegistry registry;
    for (const std::string text :
         {R"({"graph": {"fetches": ["a"]}})", R"({"graph": {"nodes": []}})",
          R"({"graph": {"nodes": [], "feeds": {"a": {"dtype": "uint8", "values": [1]}}, "fetches": ["a"]}})",
          R"({"graph": {"nodes": [], "feeds": {"a": {"type": "int32", "values": [1]}}, "fetches": ["a"]}})",
          R"({"graph": {"nodes": [], "feeds": {"a": {"dtype": "int32"}}, "fetches": ["a"]}})",
          R"({"graph": {"nodes": [], "feeds": {"a": {"shape": [1], "values": [1]}}, "fetches": ["a"]}})",
          R"({"graph": {"nodes": [], "feeds": {"a": {"shape": [-1]}}, "fetches": ["a"]}})",
          R"({"graph": {"nodes": [{"name": "b", "op": "add", "input": ["a"]}], "fetches": ["a"]}})",
          R"({"graph": {"nodes": [], "feeds": {"a": "one"}, "fetches": ["a"]}})"}) {
        const std::string path = write(text);
        const auto workload = read_workload(path);
        ASSERT_TRUE(workload) << workload.error().line();
        EXPECT_FALSE(build_graph(*workload, registry, Mode::Evaluate)) << text;
        EXPECT_NE(tests::schema_errors(schema_path, path), "") << text;
    }
}

TEST(SmallGraph, NamesTheNearestKeyForOneItDoesNotKnow) {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "g.json")
        << R"({"graph": {"nodes": [], "feeds": {"a": {"dtyp": "int32", "values": [1]}}, "fetches": ["a"]}})";
    const auto workload = read_workload(folder / "g.json");
    ASSERT_TRUE(workload);
    const auto graph = build_graph(*workload, graph::OperatorRegistry(), Mode::Evaluate);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().line(),
              (folder / "g.json") + ": graph.feeds.a.dtyp: unknown key \"dtyp\"; did you mean \"dtype\"?");
}

} // namespace
} // namespace tilescope::workload
