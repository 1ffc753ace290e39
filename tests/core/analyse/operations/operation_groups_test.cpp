// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/operation_groups.h"

#include <gtest/gtest.h>

using namespace tilescope;
using analyse::OperationFigures;
using analyse::OperationGroup;
using analyse::OperationGrouping;

namespace {

/// A product of so many cycles on one IPU, of which so many are lost; half of its compute is unbalanced.
OperationFigures product(const std::string& layer, const std::string& part, std::int64_t ipu,
                         std::int64_t cycles, std::int64_t tensor = 0) {
    OperationFigures op;
    op.record.name = layer + "/" + part;
    op.record.kind = "matmul";
    op.record.flops = 100;
    op.record.inputs = {tensor};
    op.layer = layer;
    op.cost.cycles.compute = cycles;
    op.cost.flops = 100;
    op.cost.ipus = {ipu};
    op.balance = 0.5;
    op.unbalanced = cycles / 2;
    op.lost = cycles - 1;
    op.exchanged_bytes = 8;
    op.rearranged_bytes = 4;
    op.temporary_bytes = cycles;
    op.code_bytes = 16;
    op.plan = "AMP 1x1";
    return op;
}

const std::vector<profile::TensorRecord> tensors{{0, "x", DType::Float16, "[4, 4]", 32},
                                                 {1, "y", DType::Float16, "[8, 2]", 32}};

std::vector<std::string> names(const std::vector<OperationGroup>& groups) {
    std::vector<std::string> all;
    all.reserve(groups.size());
    for (const OperationGroup& group : groups)
        all.push_back(group.all.record.name + " " + std::to_string(group.members.size()));
    return all;
}

} // namespace

TEST(OperationGroups, OfOperationsOfNoLayerAreNamedBeforeTheSlash) {
    EXPECT_EQ(analyse::group_of_name("dense/MatMul/Cast"), "dense");
    EXPECT_EQ(analyse::group_of_name("loss"), "loss");
    EXPECT_EQ(analyse::group_of_name(""), "");
}

TEST(OperationGroups, BlocksThatRepeatAreOneRowWithTheirFiguresTogether) {
    std::vector<OperationFigures> operations{
        product("layer_0_output", "MatMul", 0, 40), product("layer_1_output", "MatMul", 0, 20),
        product("dense", "MatMul", 1, 10), product("layer_2_output", "MatMul", 1, 60)};
    operations[1].plan = "AMP 3x3";
    const auto groups = analyse::group_operations(operations, tensors, OperationGrouping::Alike);
    EXPECT_EQ(names(groups), (std::vector<std::string>{"layer_*_output/MatMul 3", "dense/MatMul 1"}));
    const OperationFigures& all = groups[0].all;
    EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{0, 1, 3}));
    EXPECT_EQ(all.cost.cycles.compute, 120);
    EXPECT_EQ(all.cost.ipus, (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(all.lost, 117);
    EXPECT_DOUBLE_EQ(*all.balance, 0.5);
    EXPECT_EQ(all.unbalanced, 60);
    EXPECT_EQ(all.exchanged_bytes, 24);
    EXPECT_EQ(all.rearranged_bytes, 12);
    EXPECT_EQ(all.temporary_bytes, 60) << "the most";
    EXPECT_EQ(all.code_bytes, 48);
    EXPECT_EQ(all.plan, "2 plans");
    EXPECT_EQ(all.layer, "layer_*_output");
    EXPECT_EQ(all.record.kind, "matmul");
}

TEST(OperationGroups, AreOnAnIpuWhereAllOfThemAre) {
    std::vector<OperationFigures> operations{product("layer_0", "MatMul", 2, 40),
                                             product("layer_1", "MatMul", 2, 20),
                                             product("layer_2", "MatMul", 2, 10)};
    for (OperationFigures& op : operations)
        op.record.ipu = 2;
    const auto ipu = [&] {
        const auto groups = analyse::group_operations(operations, tensors, OperationGrouping::Alike);
        return groups.at(0).all.record.ipu;
    };
    EXPECT_EQ(ipu(), 2);
    operations[1].record.ipu = 3;
    EXPECT_EQ(ipu(), -1) << "several have no IPU that is that of all";
}

// Numbers within a layer tell operations apart, and so do shapes, work and phase.
TEST(OperationGroups, OnlyTheNumbersOfLayersMayDiffer) {
    using Change = void (*)(OperationFigures&);
    const auto groups_with = [](Change change) {
        std::vector<OperationFigures> operations;
        for (const char* layer : {"l_0", "l_1", "l_2"})
            operations.push_back(product(layer, "Mix_1", 0, 10));
        change(operations.back());
        return analyse::group_operations(operations, tensors, OperationGrouping::Alike).size();
    };
    EXPECT_EQ(groups_with([](OperationFigures&) {}), 1U);
    EXPECT_EQ(groups_with([](OperationFigures& op) { op.record.name = "l_2/Mix_2"; }), 3U);
    EXPECT_EQ(groups_with([](OperationFigures& op) { op.record.inputs = {1}; }), 3U);
    EXPECT_EQ(groups_with([](OperationFigures& op) { op.record.flops = 7; }), 3U);
    EXPECT_EQ(groups_with([](OperationFigures& op) { op.record.phase = profile::Phase::Backward; }), 3U);
    EXPECT_EQ(groups_with([](OperationFigures& op) { op.layer.clear(); }), 3U) << "it is of no layer";
}

TEST(OperationGroups, WhatOneDoesNotSayIsAbsentTogether) {
    std::vector<OperationFigures> operations{product("l_0", "a", 0, 40), product("l_1", "a", 0, 20),
                                             product("l_2", "a", 0, 10)};
    operations[1].lost.reset();
    operations[2].balance.reset();
    operations[2].unbalanced = 0;
    const auto groups = analyse::group_operations(operations, tensors, OperationGrouping::Alike);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_FALSE(groups[0].all.lost);
    EXPECT_DOUBLE_EQ(groups[0].all.balance.value(), 0.5) << "of those that compute";
}

TEST(OperationGroups, TheSlowestIsTheFirstThatTakesMost) {
    const std::vector<OperationFigures> operations{product("a", "x", 0, 40), product("b", "x", 0, 90),
                                                   product("a", "y", 0, 60), product("b", "y", 0, 10)};
    const auto layers = analyse::group_operations(operations, tensors, OperationGrouping::Layer);
    ASSERT_EQ(layers.size(), 2U);
    EXPECT_EQ(&analyse::slowest_of(layers), &layers[0]) << "both take 100";
    EXPECT_EQ(&analyse::slowest_in(layers[0], operations), &operations[2]);
    EXPECT_EQ(&analyse::slowest_in(layers[1], operations), &operations[1]);
}

TEST(OperationGroups, ByLayerByKindAndNot) {
    std::vector<OperationFigures> operations{product("a", "MatMul", 0, 40), product("a", "Relu", 0, 20),
                                             product("b", "MatMul", 0, 10)};
    operations[1].record.kind = "relu";
    const auto by = [&](OperationGrouping grouping) {
        return names(analyse::group_operations(operations, tensors, grouping));
    };
    EXPECT_EQ(by(OperationGrouping::None),
              (std::vector<std::string>{"a/MatMul 1", "a/Relu 1", "b/MatMul 1"}));
    EXPECT_EQ(by(OperationGrouping::Layer), (std::vector<std::string>{"a 2", "b/MatMul 1"}));
    EXPECT_EQ(by(OperationGrouping::Kind), (std::vector<std::string>{"matmul 2", "a/Relu 1"}));
    const auto layers = analyse::group_operations(operations, tensors, OperationGrouping::Layer);
    EXPECT_EQ(layers[0].all.record.kind, "2 kinds");
}

TEST(OperationGroups, SayOfWhichPhasesTheyAre) {
    using profile::Phase;
    std::vector<OperationFigures> operations{product("a", "MatMul", 0, 40), product("a", "back", 0, 20),
                                             product("b", "MatMul", 0, 10), product("a", "MatMul_1", 0, 5),
                                             product("b", "MatMul_1", 0, 5)};
    operations[1].record.phase = Phase::Backward;
    const auto phases = [&](OperationGrouping grouping) {
        std::vector<std::set<Phase>> all;
        for (const auto& group : analyse::group_operations(operations, tensors, grouping))
            all.push_back(group.phases);
        return all;
    };
    EXPECT_EQ(phases(OperationGrouping::Layer),
              (std::vector<std::set<Phase>>{{Phase::Forward, Phase::Backward}, {Phase::Forward}}));
    EXPECT_EQ(
        phases(OperationGrouping::None),
        (std::vector<std::set<Phase>>{
            {Phase::Forward}, {Phase::Backward}, {Phase::Forward}, {Phase::Forward}, {Phase::Forward}}));
}
