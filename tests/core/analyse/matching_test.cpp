// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/matching.h"

using namespace tilescope;
using analyse::Parts;

namespace {

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

using Pairs = std::map<std::int64_t, std::int64_t>; // new to base

} // namespace

TEST(Matching, EqualNamesAreTheSameWhereverTheyStand) {
    const Parts base{{layer(0, "a", "Dense"), layer(1, "b", "Dense")}, {}};
    const Parts now{{layer(0, "b", "Dense"), layer(1, "a", "Dense")}, {}};
    EXPECT_EQ(analyse::match(base, now).layers, (Pairs{{0, 1}, {1, 0}}));
}

TEST(Matching, AnEqualNameOfAnotherKindIsAnotherLayer) {
    const Parts base{{layer(0, "a", "Dense")}, {}};
    const Parts now{{layer(0, "a", "Conv2D")}, {}};
    EXPECT_TRUE(analyse::match(base, now).layers.empty());
}

TEST(Matching, RenamedLayersAreFoundByWhatTheyAre) {
    const Parts base{{layer(0, "in", "Dense", "[4]", 20), layer(1, "mid", "Dense", "[8]", 40),
                      layer(2, "out", "Dense", "[2]", 18)},
                     {}};
    // One is new in front; the last keeps its name.
    const Parts now{{layer(0, "x0", "Dense", "[6]", 30), layer(1, "x1", "Dense", "[4]", 20),
                     layer(2, "x2", "Dense", "[8]", 40), layer(3, "out", "Dense", "[2]", 18)},
                    {}};
    EXPECT_EQ(analyse::match(base, now).layers, (Pairs{{1, 0}, {2, 1}, {3, 2}}));
}

TEST(Matching, OperationsFollowTheirLayersAndTheirKinds) {
    const Parts base{{layer(0, "dense", "Dense")},
                     {operation(0, "dense/MatMul", "matmul", 0), operation(1, "dense/Relu", "relu", 0),
                      operation(2, "sgd/dense/kernel", "sgd_update", -1), operation(3, "loss", "mean", -1)}};
    const Parts now{{layer(7, "first", "Dense")},
                    {operation(10, "first/MatMul", "matmul", 7), operation(11, "first/BiasAdd", "add", 7),
                     operation(12, "first/Activation", "relu", 7),
                     operation(13, "sgd/first/kernel", "sgd_update", -1), operation(14, "cost", "mean", -1)}};
    const analyse::Matching found = analyse::match(base, now);
    EXPECT_EQ(found.layers, (Pairs{{7, 0}}));
    EXPECT_EQ(found.operations, (Pairs{{10, 0}, {12, 1}, {13, 2}, {14, 3}}));
}

TEST(Matching, EverythingMatchesItself) {
    const Parts parts{{layer(0, "a", "Dense"), layer(1, "b", "Dense")},
                      {operation(0, "a/MatMul", "matmul", 0), operation(1, "b/MatMul", "matmul", 1)}};
    EXPECT_EQ(analyse::match(parts, parts).layers, (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(analyse::match(parts, parts).operations, (Pairs{{0, 0}, {1, 1}}));
}
