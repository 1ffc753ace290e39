// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/matching.h"

#include <gtest/gtest.h>
#include <tuple>

using namespace tilescope;

namespace {

/// The parts of a run, as a test writes them down and changes them.
struct Written {
    std::vector<profile::LayerRecord> layers;
    std::vector<profile::OperationRecord> operations;
    operator analyse::Parts() const { return {layers, operations}; } // NOLINT(google-explicit-constructor)
};

profile::LayerRecord layer(std::int64_t id, const char* name, const char* kind, const char* shape = "[4]",
                           std::int64_t parameters = 0) {
    return {id, name, kind, shape, parameters};
}

profile::OperationRecord operation(std::int64_t id, const char* name, const char* kind, std::int64_t layer) {
    profile::OperationRecord record;
    record.id = id;
    record.name = name;
    record.kind = kind;
    record.layer_id = layer;
    return record;
}

using analyse::MatchGround;
using Pairs = std::map<std::int64_t, std::int64_t>; // new to base

} // namespace

TEST(Matching, EqualNamesAreTheSameWhereverTheyStand) {
    const Written base{{layer(0, "a", "Dense"), layer(1, "b", "Dense")}, {}};
    const Written now{{layer(0, "b", "Dense"), layer(1, "a", "Dense")}, {}};
    EXPECT_EQ(analyse::match(base, now).layers, (Pairs{{0, 1}, {1, 0}}));
}

TEST(Matching, AnEqualNameOfAnotherKindIsAnotherLayer) {
    const Written base{{layer(0, "a", "Dense")}, {}};
    const Written now{{layer(0, "a", "Conv2D")}, {}};
    EXPECT_TRUE(analyse::match(base, now).layers.empty());
}

TEST(Matching, RenamedLayersAreFoundByWhatTheyAre) {
    const Written base{{layer(0, "in", "Dense", "[4]", 20), layer(1, "mid", "Dense", "[8]", 40),
                        layer(2, "out", "Dense", "[2]", 18)},
                       {}};
    // One is new in front; the last keeps its name.
    const Written now{{layer(0, "x0", "Dense", "[6]", 30), layer(1, "x1", "Dense", "[4]", 20),
                       layer(2, "x2", "Dense", "[8]", 40), layer(3, "out", "Dense", "[2]", 18)},
                      {}};
    EXPECT_EQ(analyse::match(base, now).layers, (Pairs{{1, 0}, {2, 1}, {3, 2}}));
}

namespace {

/// Two convolutions that Keras counted, with a pooling between them.
const Written counted{{layer(0, "conv2d", "Conv2D", "[64, 26, 26, 32]", 320),
                       layer(1, "max_pooling2d", "MaxPooling2D", "[64, 13, 13, 32]"),
                       layer(2, "conv2d_1", "Conv2D", "[64, 11, 11, 64]", 18496)},
                      {operation(0, "conv2d/Conv2D", "conv2d", 0),
                       operation(1, "conv2d_1/Conv2D", "conv2d", 2),
                       operation(2, "sgd/conv2d/kernel", "sgd_update", -1),
                       operation(3, "sgd/conv2d_1/kernel", "sgd_update", -1)}};

} // namespace

TEST(Matching, ALayerInFrontOfCountedOnesIsTheNewOneThoughItTakesTheirName) {
    const Written now{
        {layer(0, "conv2d", "Conv2D", "[64, 28, 28, 16]", 160),
         layer(1, "conv2d_1", "Conv2D", "[64, 26, 26, 32]", 4640),
         layer(2, "max_pooling2d", "MaxPooling2D", "[64, 13, 13, 32]"),
         layer(3, "conv2d_2", "Conv2D", "[64, 11, 11, 64]", 18496)},
        {operation(10, "conv2d/Conv2D", "conv2d", 0), operation(11, "conv2d_1/Conv2D", "conv2d", 1),
         operation(12, "conv2d_2/Conv2D", "conv2d", 3), operation(13, "sgd/conv2d/kernel", "sgd_update", -1),
         operation(14, "sgd/conv2d_1/kernel", "sgd_update", -1),
         operation(15, "sgd/conv2d_2/kernel", "sgd_update", -1)}};
    const analyse::Matching found = analyse::match(counted, now);
    EXPECT_EQ(found.layers, (Pairs{{1, 0}, {2, 1}, {3, 2}}));
    EXPECT_EQ(found.operations, (Pairs{{11, 0}, {12, 1}, {14, 2}, {15, 3}}));
    const analyse::OldNames names(counted, now, found);
    EXPECT_EQ(names.of("conv2d_1/kernel"), "conv2d/kernel");
    EXPECT_EQ(names.of("conv2d/kernel"), "conv2d (new)/kernel") << "the base has another of that name";
    // The other way: what is gone leaves its name to another.
    EXPECT_EQ(analyse::match(now, counted).layers, (Pairs{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(analyse::name_beside("conv2d", counted), "conv2d of the base");
    EXPECT_EQ(analyse::name_beside("conv2d_2", counted), "conv2d_2");
}

TEST(Matching, CountedNamesThatWereSwappedAreRenames) {
    Written now = counted;
    std::swap(now.layers[0].name, now.layers[2].name);
    now.operations = {operation(0, "conv2d_1/Conv2D", "conv2d", 0),
                      operation(1, "conv2d/Conv2D", "conv2d", 2)};
    const analyse::Matching found = analyse::match(counted, now);
    EXPECT_EQ(found.layers, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
    EXPECT_EQ(found.operations, (Pairs{{0, 0}, {1, 1}}));
}

TEST(Matching, ADenseLayerBeforeTheHeadLeavesTheHeadTheSame) {
    const Written base{
        {layer(0, "dense", "Dense", "[64, 128]", 100480), layer(1, "dense_1", "Dense", "[64, 10]", 1290)},
        {}};
    const Written now{{layer(0, "dense", "Dense", "[64, 128]", 100480),
                       layer(1, "dense_1", "Dense", "[64, 64]", 8256),
                       layer(2, "dense_2", "Dense", "[64, 10]", 650)},
                      {}};
    EXPECT_EQ(analyse::match(base, now).layers, (Pairs{{0, 0}, {2, 1}}));
}

TEST(Matching, ACountedLayerOfAnotherSizeIsTheSameWhereNoOtherIsLikerIt) {
    Written wider = counted;
    wider.layers[2] = layer(2, "conv2d_1", "Conv2D", "[64, 11, 11, 96]", 27744);
    EXPECT_EQ(analyse::match(counted, wider).layers, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
    Written batch = counted;
    for (profile::LayerRecord& each : batch.layers)
        each.output_shape.replace(0, 4, "[16,");
    EXPECT_EQ(analyse::match(counted, batch).layers, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
    EXPECT_EQ(analyse::match(counted, batch).layer_grounds.at(0), MatchGround::Name);
}

TEST(Matching, TheShapeOfASampleIsThatWithoutItsBatch) {
    const auto of = [](const char* shape) { return analyse::sample_shape(layer(0, "a", "Dense", shape, 0)); };
    using Extents = std::vector<std::int64_t>;
    EXPECT_EQ(of("[64, 26, 26, 32]"), (Extents{26, 26, 32}));
    EXPECT_EQ(of("[64]"), Extents{});
    EXPECT_EQ(of("[32]"), of("[64]")) << "nothing but the batch differs";
    EXPECT_NE(of("[64, 1]"), of("[64]"));
    EXPECT_EQ(of(""), Extents{});
}

TEST(Matching, OperationsFollowTheirLayersAndTheirKinds) {
    const Written base{{layer(0, "dense", "Dense")},
                       {operation(0, "dense/MatMul", "matmul", 0), operation(1, "dense/Relu", "relu", 0),
                        operation(2, "sgd/dense/kernel", "sgd_update", -1),
                        operation(3, "loss", "mean", -1)}};
    const Written now{{layer(7, "first", "Dense")},
                      {operation(10, "first/MatMul", "matmul", 7), operation(11, "first/BiasAdd", "add", 7),
                       operation(12, "first/Activation", "relu", 7),
                       operation(13, "sgd/first/kernel", "sgd_update", -1),
                       operation(14, "cost", "mean", -1)}};
    const analyse::Matching found = analyse::match(base, now);
    EXPECT_EQ(found.layers, (Pairs{{7, 0}}));
    EXPECT_EQ(found.operations, (Pairs{{10, 0}, {12, 1}, {13, 2}, {14, 3}}));
}

TEST(Matching, EverythingMatchesItself) {
    const Written parts{{layer(0, "a", "Dense"), layer(1, "b", "Dense")},
                        {operation(0, "a/MatMul", "matmul", 0), operation(1, "b/MatMul", "matmul", 1)}};
    EXPECT_EQ(analyse::match(parts, parts).layers, (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(analyse::match(parts, parts).operations, (Pairs{{0, 0}, {1, 1}}));
}

namespace {

/// One that reads a tensor and writes that of its own id.
profile::OperationRecord reading(std::int64_t tensor, profile::OperationRecord record,
                                 profile::Phase phase = profile::Phase::Forward) {
    record.inputs = {tensor};
    record.outputs = {record.id};
    record.phase = phase;
    return record;
}

/// A dense layer with a relu of its own, then another; and the same with the first relu a layer by itself.
const Written with_relu_inside{
    {layer(0, "dense", "Dense", "[4, 8]", 40), layer(1, "head", "Dense", "[4, 2]", 18)},
    {reading(100, operation(0, "dense/MatMul", "matmul", 0)),
     reading(0, operation(1, "dense/Relu", "relu", 0)), reading(1, operation(2, "head/MatMul", "matmul", 1)),
     reading(2, operation(3, "dense/Relu/gradient", "relu_gradient", 0), profile::Phase::Backward)}};
const Written with_relu_apart{
    {layer(5, "dense", "Dense", "[4, 8]", 40), layer(6, "activation", "Activation", "[4, 8]"),
     layer(7, "head", "Dense", "[4, 2]", 18)},
    {reading(100, operation(10, "dense/MatMul", "matmul", 5)),
     reading(10, operation(11, "activation/Relu", "relu", 6)),
     reading(11, operation(12, "head/MatMul", "matmul", 7)),
     reading(12, operation(13, "activation/Relu/gradient", "relu_gradient", 6), profile::Phase::Backward)}};

} // namespace

TEST(Matching, AnActivationThatIsALayerOfItsOwnIsAPartOfTheLayerThatItWasIn) {
    const analyse::Matching split = analyse::match(with_relu_inside, with_relu_apart);
    EXPECT_EQ(split.layers, (Pairs{{5, 0}, {7, 1}}));
    EXPECT_EQ(split.split, (Pairs{{6, 0}}));
    EXPECT_EQ(split.merged, Pairs());
    EXPECT_EQ(split.operations, (Pairs{{10, 0}, {11, 1}, {12, 2}, {13, 3}}));
    EXPECT_EQ(split.operation_grounds.at(11), MatchGround::Split);
    EXPECT_EQ(split.operation_grounds.at(13), MatchGround::Split);
    // The other way it is merged.
    const analyse::Matching merged = analyse::match(with_relu_apart, with_relu_inside);
    EXPECT_EQ(merged.layers, (Pairs{{0, 5}, {1, 7}}));
    EXPECT_EQ(merged.split, Pairs());
    EXPECT_EQ(merged.merged, (Pairs{{6, 5}}));
    EXPECT_EQ(merged.operations, (Pairs{{0, 10}, {1, 11}, {2, 12}, {3, 13}}));
    EXPECT_EQ(analyse::wholes_in_now(merged), (Pairs{{5, 0}, {6, 0}, {7, 1}}));
}

namespace {

/// A separable convolution between two other layers; and the same as two layers of other kinds.
const Written with_separable{
    {layer(0, "stem", "Dense", "[4, 9, 9, 8]", 40),
     layer(1, "separable", "SeparableConv2D", "[4, 7, 7, 16]", 216), layer(2, "head", "Dense", "[4, 2]", 18)},
    {reading(100, operation(0, "stem/MatMul", "matmul", 0)),
     reading(0, operation(1, "separable/Depthwise", "conv2d", 1)),
     reading(1, operation(2, "separable/Pointwise", "conv2d", 1)),
     reading(2, operation(3, "separable/Bias", "bias_add", 1)),
     reading(3, operation(4, "head/MatMul", "matmul", 2)),
     reading(4, operation(5, "separable/Pointwise/gradient", "conv2d_input_gradient", 1),
             profile::Phase::Backward),
     reading(5, operation(6, "separable/Depthwise/gradient", "conv2d_input_gradient", 1),
             profile::Phase::Backward)}};
const Written with_its_parts{
    {layer(5, "stem", "Dense", "[4, 9, 9, 8]", 40),
     layer(6, "by_channel", "DepthwiseConv2D", "[4, 7, 7, 8]", 72),
     layer(7, "across", "Conv2D", "[4, 7, 7, 16]", 144), layer(8, "head", "Dense", "[4, 2]", 18)},
    {reading(100, operation(10, "stem/MatMul", "matmul", 5)),
     reading(10, operation(11, "by_channel/Depthwise", "conv2d", 6)),
     reading(11, operation(12, "across/Conv2D", "conv2d", 7)),
     reading(12, operation(13, "across/Bias", "bias_add", 7)),
     reading(13, operation(14, "head/MatMul", "matmul", 8)),
     reading(14, operation(15, "across/Conv2D/gradient", "conv2d_input_gradient", 7),
             profile::Phase::Backward),
     reading(15, operation(16, "by_channel/Depthwise/gradient", "conv2d_input_gradient", 6),
             profile::Phase::Backward)}};

} // namespace

TEST(Matching, ALayerThatIsSeveralOfOtherKindsIsSplitIntoThem) {
    const analyse::Matching split = analyse::match(with_separable, with_its_parts);
    EXPECT_EQ(split.layers, (Pairs{{5, 0}, {7, 1}, {8, 2}}))
        << "that with most parameters is the counterpart";
    EXPECT_EQ(split.layer_grounds.at(7), MatchGround::Split);
    EXPECT_EQ(split.split, (Pairs{{6, 1}}));
    EXPECT_EQ(split.operations, (Pairs{{10, 0}, {11, 1}, {12, 2}, {13, 3}, {14, 4}, {15, 5}, {16, 6}}));
    const analyse::Matching merged = analyse::match(with_its_parts, with_separable);
    EXPECT_EQ(merged.layers, (Pairs{{0, 5}, {1, 7}, {2, 8}}));
    EXPECT_EQ(merged.merged, (Pairs{{6, 7}}));
    EXPECT_EQ(merged.operations, (Pairs{{0, 10}, {1, 11}, {2, 12}, {3, 13}, {4, 14}, {5, 15}, {6, 16}}));
    EXPECT_EQ(analyse::wholes_in_now(merged), (Pairs{{5, 0}, {6, 1}, {7, 1}, {8, 2}}));
}

TEST(Matching, LayersThatTogetherAreAnotherLayerAreNoParts) {
    const auto parts = [](const Written& now) {
        const analyse::Matching found = analyse::match(with_separable, now);
        return found.split.size() + found.layers.size();
    };
    EXPECT_EQ(parts(with_its_parts), 4U);
    Written biased = with_its_parts;
    biased.layers[1].parameters += 8;
    EXPECT_EQ(parts(biased), 2U) << "more parameters";
    Written larger = with_its_parts;
    larger.layers[2].output_shape = "[4, 9, 9, 16]";
    EXPECT_EQ(parts(larger), 2U) << "another shape";
    Written other = with_its_parts;
    other.operations[3].kind = "relu";
    EXPECT_EQ(parts(other), 2U) << "another operation";
    Written apart = with_its_parts;
    apart.operations[2].inputs = {10};
    EXPECT_EQ(parts(apart), 2U) << "side by side";
    EXPECT_EQ(
        analyse::match(with_separable, with_its_parts, {{analyse::PartKind::Layer, "", "across"}}).split,
        Pairs())
        << "said to have no counterpart";
}

TEST(Matching, WhatDoesAnythingElseOrStandsElsewhereIsNoPart) {
    Written other = with_relu_apart;
    other.operations[1].kind = "tanh";
    EXPECT_EQ(analyse::match(with_relu_inside, other).split, Pairs()) << "another activation";
    Written more = with_relu_apart;
    more.operations.push_back(reading(11, operation(14, "activation/Neg", "negate", 6)));
    EXPECT_EQ(analyse::match(with_relu_inside, more).split, Pairs()) << "more than was there";
    Written elsewhere = with_relu_apart;
    elsewhere.operations[1].inputs = {12};
    elsewhere.operations[1].outputs = {20};
    elsewhere.operations[2].inputs = {10};
    EXPECT_EQ(analyse::match(with_relu_inside, elsewhere).split, Pairs()) << "behind the head";
    const auto by_hand =
        analyse::match(with_relu_inside, with_relu_apart, {{analyse::PartKind::Layer, "", "activation"}});
    EXPECT_EQ(by_hand.split, Pairs()) << "said to have no counterpart";
}

namespace {

using analyse::HandMatch;
using analyse::PartKind;

/// Two dense layers, of which the new run has renamed both.
const Written two_of_base{
    {layer(0, "hidden", "Dense"), layer(1, "out", "Dense")},
    {operation(0, "hidden/MatMul", "matmul", 0), operation(1, "out/MatMul", "matmul", 1)}};
const Written two_renamed{
    {layer(5, "first", "Dense"), layer(6, "second", "Dense")},
    {operation(8, "first/MatMul", "matmul", 5), operation(9, "second/MatMul", "matmul", 6)}};

} // namespace

TEST(MatchingByHand, OverridesWhatIsAlikeAndCarriesTheOperations) {
    const auto by_itself = analyse::match(two_of_base, two_renamed);
    ASSERT_EQ(by_itself.layers, (Pairs{{5, 0}, {6, 1}}));
    ASSERT_EQ(by_itself.layer_grounds.at(5), MatchGround::Order);
    ASSERT_EQ(by_itself.operation_grounds.at(8), MatchGround::Renamed);

    const auto crossed = analyse::match(
        two_of_base, two_renamed, {{PartKind::Layer, "out", "first"}, {PartKind::Layer, "hidden", "second"}});
    EXPECT_EQ(crossed.layers, (Pairs{{5, 1}, {6, 0}}));
    EXPECT_EQ(crossed.operations, (Pairs{{8, 1}, {9, 0}}));
    EXPECT_EQ(crossed.layer_grounds.at(5), MatchGround::ByHand);
    EXPECT_EQ(crossed.renamed, (std::map<std::string, std::string>{{"first", "out"}, {"second", "hidden"}}));

    // One said: the other layer takes the partner that is left, if that stands in order beside it.
    const auto last = analyse::match(two_of_base, two_renamed, {{PartKind::Layer, "out", "second"}});
    EXPECT_EQ(last.layers, (Pairs{{5, 0}, {6, 1}}));
}

TEST(MatchingByHand, WhatHasNoCounterpartLeavesItsOperationsAloneThoughTheirNamesAreTheSame) {
    const auto alone = analyse::match(two_of_base, two_of_base,
                                      {{PartKind::Layer, "out", ""}, {PartKind::Layer, "", "out"}});
    EXPECT_EQ(alone.layers, (Pairs{{0, 0}}));
    EXPECT_EQ(alone.operations, (Pairs{{0, 0}}));
    const auto operations =
        analyse::match(two_of_base, two_of_base, {{PartKind::Operation, "", "out/MatMul"}});
    EXPECT_EQ(operations.layers, (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(operations.operations, (Pairs{{0, 0}}));
}

TEST(MatchingByHand, ALayerOfAnotherKindCanBeTheSame) {
    const Written base{{layer(0, "a", "Dense")}, {operation(0, "a/MatMul", "matmul", 0)}};
    const Written now{{layer(0, "a", "Conv2D")}, {operation(0, "a/MatMul", "matmul", 0)}};
    ASSERT_TRUE(analyse::match(base, now).layers.empty());
    const auto said = analyse::match(base, now, {{PartKind::Layer, "a", "a"}});
    EXPECT_EQ(said.layers, (Pairs{{0, 0}}));
    EXPECT_EQ(said.operations, (Pairs{{0, 0}}));
}

TEST(MatchingByHand, OfNamesThatARunDoesNotHaveMatchesNothing) {
    const auto unknown = analyse::match(two_of_base, two_renamed, {{PartKind::Layer, "gone", "first"}});
    EXPECT_EQ(unknown.layers, (Pairs{{5, 0}, {6, 1}}));
}

TEST(MatchingByHand, IsListedFirstWithWhatHasNoCounterpart) {
    const analyse::HandMatches said{{PartKind::Layer, "", "first"}, {PartKind::Layer, "gone", "second"}};
    std::vector<std::tuple<HandMatch, std::optional<MatchGround>, bool>> rows;
    for (const analyse::MatchedPart& part : analyse::matched_parts(two_of_base, two_renamed, said))
        rows.emplace_back(part.names, part.ground, part.unknown);
    const std::vector<std::tuple<HandMatch, std::optional<MatchGround>, bool>> expected{
        {{PartKind::Layer, "gone", "second"}, MatchGround::ByHand, true},
        {{PartKind::Layer, "", "first"}, MatchGround::ByHand, false},
        {{PartKind::Layer, "hidden", ""}, std::nullopt, false},
        {{PartKind::Layer, "out", "second"}, MatchGround::Order, false},
        {{PartKind::Operation, "", "first/MatMul"}, std::nullopt, false},
        {{PartKind::Operation, "hidden/MatMul", ""}, std::nullopt, false},
        {{PartKind::Operation, "out/MatMul", "second/MatMul"}, MatchGround::Renamed, false}};
    EXPECT_EQ(rows, expected);
}

TEST(MatchingByHand, PartsOfALayerThatWasSplitAreListedWithIt) {
    const auto ground_of = [](const Written& base, const Written& now, const HandMatch& names) {
        for (const analyse::MatchedPart& part : analyse::matched_parts(base, now, {}))
            if (part.names == names)
                return part.ground;
        ADD_FAILURE() << names.base << " is not listed as " << names.now;
        return std::optional<MatchGround>();
    };
    EXPECT_EQ(ground_of(with_relu_inside, with_relu_apart, {PartKind::Layer, "dense", "activation"}),
              MatchGround::Split);
    EXPECT_EQ(ground_of(with_relu_apart, with_relu_inside, {PartKind::Layer, "activation", "dense"}),
              MatchGround::Split);
}

TEST(HandMatches, APartIsSaidOnceAndTakenBack) {
    analyse::HandMatches said = analyse::with({}, {PartKind::Layer, "a", "x"});
    said = analyse::with(said, {PartKind::Operation, "a", "x"});
    said = analyse::with(said, {PartKind::Layer, "b", "x"}); // x is b now, and no longer a
    EXPECT_EQ(said, (analyse::HandMatches{{PartKind::Operation, "a", "x"}, {PartKind::Layer, "b", "x"}}));
    said = analyse::with(said, {PartKind::Layer, "c", ""});
    said = analyse::with(said, {PartKind::Layer, "d", ""});
    EXPECT_EQ(said.size(), 4U) << "that two have no counterpart does not contradict";
    EXPECT_EQ(analyse::swapped(said).back(), (HandMatch{PartKind::Layer, "", "d"}));
    EXPECT_EQ(analyse::without(said, {PartKind::Layer, "b", "x"}).size(), 3U);
}

TEST(HandMatches, AreReadOfATextWithLayersBeforeOperations) {
    const auto parsed = [](const char* text) {
        return analyse::parse_hand_match(text, two_of_base, two_renamed);
    };
    EXPECT_EQ(*parsed("hidden=second"), (HandMatch{PartKind::Layer, "hidden", "second"}));
    EXPECT_EQ(*parsed("=first/MatMul"), (HandMatch{PartKind::Operation, "", "first/MatMul"}));
    EXPECT_EQ(*parsed("out="), (HandMatch{PartKind::Layer, "out", ""}));
    EXPECT_EQ(parsed("hiden=second").error().remedy, "did you mean \"hidden\"?");
    EXPECT_EQ(parsed("hidden=second/MatMul").error().message, "one is a layer, the other an operation");
    for (const char* text : {"", "=", "hidden"})
        EXPECT_EQ(parsed(text).error().kind, ErrorKind::Usage) << text;
}
