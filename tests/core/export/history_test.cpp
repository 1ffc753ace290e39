// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/history.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

using namespace tilescope;

namespace {

analyse::HistoryEntry entry(const std::string& workload, std::optional<double> value) {
    analyse::HistoryEntry made;
    made.path = "run.tilescope";
    made.workload = workload;
    made.value = value;
    if (!value)
        made.why_absent = "the run is out of memory";
    return made;
}

std::vector<std::string> all(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
        found.push_back((*it)[1]);
    return found;
}

TEST(HistoryPicture, HasAGapWhereARunHasNoValue) {
    const std::string svg =
        exports::history_svg({"timing.step_us",
                              analyse::FigureUnit::Us,
                              {entry("cnn", 1), entry("cnn", 2), entry("cnn", {}), entry("cnn", 3)}});
    const auto lines = all(svg, "<path fill=\"none\"[^>]* d=\"([^\"]*)\"");
    ASSERT_EQ(lines.size(), 1U) << svg;
    EXPECT_EQ(std::count(lines[0].begin(), lines[0].end(), 'M'), 2) << lines[0];
    EXPECT_EQ(std::count(lines[0].begin(), lines[0].end(), 'L'), 1) << lines[0];
    EXPECT_EQ(all(svg, "<circle[^>]*(r=\"2.5\")").size(), 3U) << "a point for each value";
}

TEST(HistoryPicture, HasRoomForTheNamesOfAllWorkloads) {
    analyse::History history{"timing.step_us", analyse::FigureUnit::Us, {}};
    for (int i = 0; i < 9; ++i)
        history.entries.push_back(entry("a workload of some length " + std::to_string(i), i));
    const std::string svg = exports::history_svg(history);
    const auto size = all(svg, "viewBox=\"0 0 ([^\"]*)\"");
    ASSERT_EQ(size.size(), 1U);
    const double width = std::stod(size[0]);
    const double height = std::stod(size[0].substr(size[0].find(' ')));
    std::vector<std::pair<double, double>> places;
    for (const std::string& name : all(svg, "(<text [^>]*>a workload of some length)"))
        places.emplace_back(std::stod(all(name, " x=\"([^\"]*)\"").at(0)),
                            std::stod(all(name, " y=\"([^\"]*)\"").at(0)));
    ASSERT_EQ(places.size(), 9U);
    for (const auto& [x, y] : places) {
        EXPECT_LE(x + 27 * 6, width) << "27 letters of 12 pixels, about 6 wide each";
        EXPECT_LE(y, height);
    }
    std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    for (std::size_t i = 1; i < places.size(); ++i)
        EXPECT_TRUE(places[i].second > places[i - 1].second ||
                    places[i].first >= places[i - 1].first + 27 * 6)
            << "names do not lie on each other";
}

TEST(HistoryCsv, HasAllDigitsOfAValue) {
    const std::string csv =
        exports::history_csv({"layers.dense.share",
                              analyse::FigureUnit::None,
                              {entry("cnn", 0.1234567891234), entry("cnn", 1e-9), entry("cnn", 1234567)}});
    for (const char* value : {",0.1234567891234,", ",1e-09,", ",1234567,"})
        EXPECT_NE(csv.find(value), std::string::npos) << value << " is not in\n" << csv;
}

} // namespace
