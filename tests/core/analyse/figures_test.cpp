// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison.h"
#include "analyse/figures.h"
#include "analyse/operation_figures.h"
#include "build_paths.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace tilescope;
using Json = nlohmann::ordered_json;

namespace {

std::string trimmed(const std::string& text) {
    const auto from = text.find_first_not_of(" `");
    return from == std::string::npos ? std::string()
                                     : text.substr(from, text.find_last_not_of(" `") - from + 1);
}

/// The cells of each row of the table of all figures, by the figure's name.
std::map<std::string, std::vector<std::string>> documented() {
    std::ifstream file(TILESCOPE_SOURCE_DIR "/resources/docs/figures.md");
    std::map<std::string, std::vector<std::string>> rows;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("| figure |"))
            inside = true;
        if (!inside || !line.starts_with("| ") || line.starts_with("| figure |") || line.starts_with("| ---"))
            continue;
        std::vector<std::string> cells;
        std::istringstream parts(line.substr(1));
        for (std::string cell; std::getline(parts, cell, '|');)
            cells.push_back(trimmed(cell));
        EXPECT_TRUE(rows.emplace(cells.at(0), cells).second) << cells[0] << " is there twice";
    }
    return rows;
}

/// The places of the numbers (and of absent ones) in a document, with what varies from run to run as the keys
/// of figures have it.
void add_places(const Json& value, const std::string& place, std::set<std::string>& places) {
    if (value.is_array())
        for (const Json& item : value)
            add_places(item, place + "[]", places);
    else if (value.is_object())
        for (const auto& [name, item] : value.items()) {
            const bool category = place == "memory.by_category";
            const bool basis = place == "timing.elapsed";
            const bool activity = place == "stages[].by_activity";
            const bool kind = place == "accuracy";
            const bool phase = place == "layers[].by_phase" || place == "operations[].by_phase" ||
                               place == "programs[].by_phase";
            add_places(item,
                       (place.empty() ? "" : place + ".") + (category   ? "CATEGORY"
                                                             : basis    ? "BASIS"
                                                             : phase    ? "PHASE"
                                                             : activity ? "ACTIVITY"
                                                             : kind     ? "KIND"
                                                                        : name),
                       places);
        }
    else if (!value.is_string())
        places.insert(place);
}

struct Figures : testing::Test {
    tests::TemporaryFolder folder;
    std::unique_ptr<profile::Profile> file;
    void SetUp() override {
        const std::string path = folder / "fixture.tilescope";
        ASSERT_TRUE(tests::record_fixture(path));
        file = *profile::Profile::open(path);
    }
};

} // namespace

TEST(FiguresPage, DefinesEveryFigureWithItsKeyAndUnit) {
    const auto rows = documented();
    std::set<std::string> names;
    for (const analyse::Figure& figure : analyse::figures()) {
        names.insert(figure.name);
        const auto row = rows.find(figure.name);
        ASSERT_NE(row, rows.end()) << figure.name << " is not in figures.md";
        ASSERT_EQ(row->second.size(), 6U) << figure.name;
        EXPECT_EQ(row->second[1], figure.key) << figure.name;
        EXPECT_EQ(row->second[2], to_string(figure.unit)) << figure.name;
        EXPECT_EQ(row->second[3], figure.per) << figure.name;
        EXPECT_FALSE(row->second[4].empty()) << figure.name << " has no definition";
        EXPECT_FALSE(row->second[5].empty()) << figure.name << " is shown nowhere";
    }
    for (const auto& [name, cells] : rows)
        EXPECT_TRUE(names.contains(name)) << name << " is no figure";
}

TEST_F(Figures, AreAllThatTheReportHas) {
    std::set<std::string> places;
    auto summary = *analyse::summarise(*file);
    summary.stages.push_back({}); // the fixture has no pipeline
    add_places(analyse::document(summary), "", places);
    const auto costs = analyse::Costs::read(*file);
    add_places(analyse::document(*analyse::operation_figures(*file, *costs), *costs), "operations", places);
    std::set<std::string> keys;
    for (const analyse::Figure& figure : analyse::figures())
        if (*figure.key != 0 && !std::string(figure.key).starts_with("result."))
            keys.insert(figure.key);
    for (const std::string& key : keys)
        EXPECT_TRUE(places.contains(key)) << key << " is not in the report";
    const std::set<std::string> identities = {"ipus[].id",      "ipus[].replica",  "ipus[].stage",
                                              "stages[].stage", "layers[].ipus[]", "programs[].described"};
    for (const std::string& place : places) {
        const bool figure = place.starts_with("timing.") || place.starts_with("memory.") ||
                            place.starts_with("ipus[]") || place.starts_with("layers[]") ||
                            place.starts_with("stages[]") || place.starts_with("operations[]") ||
                            place.starts_with("programs[]");
        EXPECT_TRUE(!figure || keys.contains(place) || identities.contains(place))
            << place << " is no figure";
    }
}

TEST_F(Figures, AreAllThatAComparisonHas) {
    std::set<std::string> names;
    for (const analyse::Figure& figure : analyse::figures())
        names.insert(figure.name);
    const auto comparison = analyse::compare(*file, *file);
    ASSERT_TRUE(comparison);
    for (const analyse::Difference& row : comparison->headline) {
        const bool metric = row.name.starts_with("last epoch ") || row.name == "evaluation loss" ||
                            row.name == "evaluation accuracy";
        EXPECT_TRUE(metric || names.contains(row.name)) << row.name << " is no figure";
    }
}

TEST_F(Figures, SayWhichWayTheyBecomeBetter) {
    using analyse::Sense;
    const auto comparison = analyse::compare(*file, *file);
    ASSERT_TRUE(comparison);
    for (const analyse::Difference& row : comparison->headline)
        EXPECT_EQ(analyse::sense_of(row.name) == Sense::Neither, row.wall_time) << row.name;
    EXPECT_EQ(analyse::sense_of("throughput"), Sense::MoreIsBetter);
    EXPECT_EQ(analyse::sense_of("step time"), Sense::LessIsBetter);
    EXPECT_EQ(analyse::sense_of("evaluation step time"), Sense::LessIsBetter); // a figure, no metric
    EXPECT_EQ(analyse::sense_of("number of the fullest tile"), Sense::Neither);
    EXPECT_EQ(analyse::sense_of("last epoch accuracy"), Sense::MoreIsBetter);
    EXPECT_EQ(analyse::sense_of("evaluation loss"), Sense::LessIsBetter);
    EXPECT_EQ(analyse::sense_of("last epoch mean_squared_error"), Sense::LessIsBetter);
    EXPECT_EQ(analyse::sense_of("evaluation cosine_similarity"), Sense::Neither);
}

TEST(Sense, SaysWhatHasBecomeBetter) {
    using analyse::judged;
    using analyse::Sense;
    EXPECT_EQ(judged(2, 1, Sense::LessIsBetter), 1);
    EXPECT_EQ(judged(1, 2, Sense::LessIsBetter), -1);
    EXPECT_EQ(judged(1, 2, Sense::MoreIsBetter), 1);
    EXPECT_EQ(judged(2, 1, Sense::MoreIsBetter), -1);
    EXPECT_EQ(judged(1, 1, Sense::LessIsBetter), 0);
    EXPECT_EQ(judged(1, 2, Sense::Neither), 0);
}
