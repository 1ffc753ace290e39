// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/comparison_file.h"

#include <gtest/gtest.h>

namespace tilescope::analyse {
namespace {

constexpr const char* at = "/runs/kept/nightly.tilescope-compare";

Error refused(const std::string& text) {
    const auto read = parse_comparison(text, at);
    EXPECT_FALSE(read) << text;
    return read ? Error{} : read.error();
}

/// A comparison with one run, of which `matches` is told.
std::string matched(const std::string& matches) {
    return R"({"tilescope-compare": 1, "base": "a.tilescope", "runs": [{"file": "b.tilescope", "matches": )" +
           matches + "}]}";
}

TEST(ComparisonFile, HasPathsRelativeToItAndWhatWasMatched) {
    SavedComparison comparison{"/runs/base.tilescope", {}, "/runs/kept/new.tilescope"};
    comparison.runs.push_back(
        {"/runs/kept/new.tilescope",
         {{PartKind::Layer, "dense", "classifier"}, {PartKind::Operation, "", "x/MatMul"}},
         R"({"trace":{"align":1}})"});
    comparison.runs.push_back({"/other/third.tilescope"});
    const std::string text = comparison_text(comparison, at);
    EXPECT_NE(text.find("\"../base.tilescope\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"new\": \"classifier\""), std::string::npos) << text;
    const auto read = parse_comparison(text, "/moved/kept/nightly.tilescope-compare");
    ASSERT_TRUE(read) << read.error().line();
    EXPECT_EQ(read->paths(), (std::vector<std::string>{"/moved/base.tilescope", "/moved/kept/new.tilescope",
                                                       "/other/third.tilescope"}));
    EXPECT_EQ(read->front, "/moved/kept/new.tilescope");
    EXPECT_EQ(read->runs[0].matches, comparison.runs[0].matches);
    EXPECT_EQ(read->runs[0].views, comparison.runs[0].views);
    EXPECT_TRUE(read->runs[1].matches.empty());
}

TEST(ComparisonFile, WrongMatchesAreToldWithTheirPlaceAndARemedy) {
    EXPECT_TRUE(parse_comparison(matched("[]"), at));
    const auto place = [](const char* member) { return std::string(at) + ": runs[0].matches" + member; };
    EXPECT_EQ(refused(matched("7")).place, place(""));
    EXPECT_EQ(refused(matched("[7]")).place, place("[0]"));
    EXPECT_EQ(refused(matched(R"([{"part": "tile", "base": "a", "new": "b"}])")).message,
              R"("part" is neither "layer" nor "operation")");
    EXPECT_EQ(refused(matched(R"([{"part": "layer", "bas": "a", "new": "b"}])")).remedy,
              R"(did you mean "base"?)");
    EXPECT_EQ(refused(matched(R"([{"part": "layer", "base": "a"}])")).message, R"("new" is no name)");
    EXPECT_EQ(refused(matched(R"([{"part": "layer", "base": null, "new": null}])")).message,
              "it names nothing");
    EXPECT_EQ(refused(matched(R"([{"part": "layer", "base": "a", "new": "b"},
                                  {"part": "layer", "base": "a", "new": null}])"))
                  .place,
              place("[1]"));
}

TEST(ComparisonFile, OtherDocumentsAreRefused) {
    EXPECT_EQ(refused("{\n\n\"base\"").message,
              "it is no comparison: the JSON breaks off or is wrong at line 3");
    EXPECT_EQ(refused(std::string(100'000, '[')).message, "it is no comparison: it nests too deep");
    EXPECT_EQ(refused("[]").message, "it holds no comparison");
    EXPECT_EQ(refused(R"({"tilescope-compare": 9})").message, "its version is 9");
    EXPECT_EQ(refused(R"({"tilescope-compare": 1, "base": "a", "runs": 3})").message, "\"runs\" is empty");
    EXPECT_EQ(refused(R"({"tilescope-compare": 1, "base": "a", "runs": [7]})").message,
              "\"runs[0].file\" is no path");
}

} // namespace
} // namespace tilescope::analyse
