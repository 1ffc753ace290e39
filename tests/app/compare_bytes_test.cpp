// SPDX-License-Identifier: GPL-3.0-or-later
#include "build_paths.h"
#include "tests/app/command_fixture.h"

#include <map>

namespace tilescope::tests {
namespace {

using nlohmann::ordered_json;
using BytesByName = std::map<std::string, double>;

/// What `compare` says of bytes, beside what plain SQL finds in both profiles: on the fullest tile by
/// variable, and over all tiles by layer and operation.
class CompareBytes : public CommandTest {
  protected:
    static ordered_json cnn() {
        return ordered_json::parse(read_file(TILESCOPE_SOURCE_DIR "/samples/models/mnist_cnn.json"));
    }
    /// "new_" before the name of every layer.
    static ordered_json renamed_cnn() {
        ordered_json model = cnn();
        for (auto& layer : model["config"]["layers"])
            layer["config"]["name"] = "new_" + layer["config"]["name"].get<std::string>();
        return model;
    }
    static ordered_json wide(ordered_json model, const std::string& layer, int filters) {
        for (auto& each : model["config"]["layers"])
            if (each["config"]["name"] == layer)
                each["config"]["filters"] = filters;
        return model;
    }
    BytesByName bytes(const std::string& file, const std::string& sql) const {
        BytesByName bytes;
        for (const auto& row : document({"query", file, sql, "--format", "json"}))
            bytes[row.at("name")] += row.at("bytes").get<double>();
        return bytes;
    }
    /// Of the tile with most bytes, gaps included: what each variable holds at the first step at which the
    /// variables that live together hold most.
    BytesByName on_fullest_tile(const std::string& file) const {
        return bytes(
            file,
            "WITH fullest AS (SELECT i.id AS ipu, t.tile FROM ipu i, "
            "  tile_values('memory', 0, i.id, 'total_with_gaps') t ORDER BY t.value DESC, i.id, t.tile LIMIT "
            "1),"
            "held AS (SELECT v.name, v.always_live, v.live_from, v.live_to, b.value FROM fullest f, variable "
            "v,"
            "  tile_values('variable', v.id, v.ipu, 'bytes') b WHERE v.ipu = f.ipu AND b.tile = f.tile),"
            "steps AS (SELECT 0 AS step UNION SELECT live_from FROM held WHERE NOT always_live AND value > "
            "0),"
            "peak AS (SELECT s.step FROM steps s, held h WHERE h.always_live OR "
            "  s.step BETWEEN h.live_from AND h.live_to GROUP BY s.step ORDER BY sum(h.value) DESC, s.step "
            "  LIMIT 1) "
            "SELECT h.name, sum(h.value) AS bytes FROM held h, peak p WHERE h.always_live OR "
            "p.step BETWEEN h.live_from AND h.live_to GROUP BY h.name");
    }
    double fullest_with_gaps(const std::string& file) const {
        return bytes(file, "SELECT 'tile' AS name, max(t.value) AS bytes FROM ipu i, "
                           "tile_values('memory', 0, i.id, 'total_with_gaps') t")
            .at("tile");
    }
    /// Over all tiles, what is live at the first step at which the IPU holds most, by layer or operation.
    BytesByName at_peak(const std::string& file, const std::string& table, const std::string& column) const {
        return bytes(file, "WITH peak AS (SELECT step FROM liveness ORDER BY always_live_bytes + "
                           "not_always_live_bytes DESC, step LIMIT 1) "
                           "SELECT t.name, sum(v.bytes) AS bytes FROM " +
                               table + " t, peak p LEFT JOIN variable v ON v." + column +
                               " = t.id AND (v.always_live OR p.step BETWEEN v.live_from AND v.live_to) "
                               "GROUP BY t.id HAVING sum(v.bytes) > 0");
    }
    static double sum(const BytesByName& bytes) {
        double all = 0;
        for (const auto& [name, of] : bytes)
            all += of;
        return all;
    }
    /// New less base, without what is the same. `in_now`: what the new run calls a name of the base.
    static BytesByName differences(const BytesByName& base, const BytesByName& now,
                                   const std::function<std::string(const std::string&)>& in_now) {
        BytesByName all = now;
        for (const auto& [name, of] : base)
            all[in_now(name)] -= of;
        std::erase_if(all, [](const auto& row) { return row.second == 0; });
        return all;
    }
    /// Of the causes that have no parts.
    static void add_leaves(const ordered_json& causes, BytesByName& bytes) {
        for (const auto& cause : causes)
            if (cause.contains("parts"))
                add_leaves(cause.at("parts"), bytes);
            else
                bytes[cause.at("what")] += cause.at("bytes").get<double>();
    }
    void expect_same(const std::string& base, const std::string& now,
                     const std::function<std::string(const std::string&)>& in_now,
                     const Arguments& more = {}) const {
        Arguments arguments{"compare", base, now, "--format", "json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto told = document(arguments);
        BytesByName causes;
        add_leaves(told.at("memory_causes"), causes);
        const BytesByName before = on_fullest_tile(base), after = on_fullest_tile(now);
        // What the new run has nowhere is called as the base does.
        const BytesByName known = bytes(now, "SELECT name, count(*) AS bytes FROM variable GROUP BY name");
        const auto called = [&](const std::string& name) {
            return known.contains(in_now(name)) ? in_now(name) : name;
        };
        BytesByName expected = differences(before, after, called);
        const double gaps = fullest_with_gaps(now) - sum(after) - (fullest_with_gaps(base) - sum(before));
        if (gaps != 0)
            expected["gaps between allocations"] = gaps;
        EXPECT_EQ(causes, expected);
        const auto expect_rows = [&](const ordered_json& rows, const BytesByName& of_base,
                                     const BytesByName& of_now) {
            const auto of = [](const BytesByName& bytes, const std::string& name) {
                const auto found = bytes.find(name);
                return found == bytes.end() ? 0 : found->second;
            };
            for (const auto& row : rows) {
                if (row.at("name") == "(no layer)")
                    continue;
                const auto& memory = row.at("memory");
                EXPECT_EQ(memory.at("base").is_null() ? 0 : memory.at("base").get<double>(),
                          memory.at("base").is_null() ? 0 : of(of_base, row.at("base_name")))
                    << row.dump();
                EXPECT_EQ(memory.at("new").is_null() ? 0 : memory.at("new").get<double>(),
                          memory.at("new").is_null() ? 0 : of(of_now, row.at("name")))
                    << row.dump();
            }
        };
        ASSERT_GT(told.at("layers").size(), 7U);
        expect_rows(told.at("layers"), at_peak(base, "layer", "layer_id"), at_peak(now, "layer", "layer_id"));
        expect_rows(told.at("operations").at("changed"), at_peak(base, "operation", "operation_id"),
                    at_peak(now, "operation", "operation_id"));
    }
    static std::string same(const std::string& name) { return name; }
};

TEST_F(CompareBytes, OfEachVariableAreThoseThatSqlFinds) {
    const std::string base = record_model("base", cnn());
    ASSERT_GT(sum(on_fullest_tile(base)), 0);
    const std::string now = record_model("wide", wide(cnn(), "conv2d_1", 96));
    ASSERT_GE(differences(on_fullest_tile(base), on_fullest_tile(now), same).size(), 10U);
    expect_same(base, now, same);
    expect_same(now, base, same);
    expect_same(base, record_model("small", cnn(), {"--set", "ipu_config.available_memory_proportion=0.02"}),
                same);
    expect_same(base, base, same);
}

/// Variables of renamed layers are the same by their place in the base, those of layers that were matched by
/// hand by what was said.
TEST_F(CompareBytes, OfVariablesOfRenamedLayersAreByTheNamesOfTheBase) {
    const std::string base = record_model("base", cnn());
    const std::string now = record_model("renamed", wide(renamed_cnn(), "new_conv2d_1", 96));
    const auto in_now = [](const std::string& name) {
        for (const std::string layer :
             {"conv2d_1", "conv2d", "max_pooling2d_1", "max_pooling2d", "flatten", "dropout", "dense"})
            for (const std::string before : {"", "sgd/"})
                if (name.starts_with(before + layer + "/"))
                    return before + "new_" + name.substr(before.size());
        return name == "input_1" ? "new_input_1" : name;
    };
    expect_same(base, now, in_now);
    expect_same(base, now,
                [&](const std::string& name) {
                    return name.starts_with("dense/") || name.starts_with("sgd/dense/") ? name : in_now(name);
                },
                {"--match", "dense=", "--match", "=new_dense"});
}

} // namespace
} // namespace tilescope::tests
