// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/elementwise_cycles.h"
#include "lowering/lowering_table.h"
#include "operators/operators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace tilescope;

namespace {

std::vector<std::string> elementwise_operators() {
    const graph::OperatorRegistry registry = operators::standard_operators();
    std::vector<std::string> names = registry.names();
    std::erase_if(names, [&](const std::string& name) { return !registry.at(name).elementwise; });
    return names;
}

/// As a vertex with one operand and as one with two, whichever takes longer.
std::int64_t dearest(const std::string& kind, std::int64_t bytes, std::int64_t elements) {
    const ipu::Target target = *ipu::find_target("ipu2");
    return std::max(ipu::elementwise_cycles(target, kind, bytes, false, elements),
                    ipu::elementwise_cycles(target, kind, bytes, true, elements));
}

} // namespace

TEST(Prices, NothingComposedIsCheaperThanItsParts) {
    std::size_t composed = 0;
    for (const std::string& name : elementwise_operators())
        for (const std::string& part : ipu::elementwise_parts(name)) {
            ++composed;
            for (const std::int64_t bytes : {1, 2, 4})
                for (const std::int64_t elements : {1, 2, 6, 7, 12, 13, 100, 2400, 100001})
                    EXPECT_GE(dearest(name, bytes, elements), dearest(part, bytes, elements))
                        << name << " has " << part << ", " << elements << " elements of " << bytes
                        << " bytes";
        }
    EXPECT_GT(composed, 30U);
}

// PopLibs computes each of these by an approximation of its own, which costs less than the function that its
// formula names.
TEST(Prices, WhatHasAVertexOfItsOwnIsNotMadeOfParts) {
    const std::map<std::string, std::string> named = {
        {"gelu", "erf"}, {"gelu_tanh", "tanh"}, {"swish", "sigmoid"}};
    for (const auto& [name, function] : named) {
        EXPECT_TRUE(ipu::elementwise_parts(name).empty()) << name;
        EXPECT_LT(dearest(name, 4, 2400), dearest(function, 4, 2400)) << name;
    }
}

TEST(Prices, AnExpressionInOnePassIsNotCheaperThanAnyOfItsOperations) {
    const ipu::Target target = *ipu::find_target("ipu2");
    for (const std::string& name : elementwise_operators())
        for (const std::int64_t bytes : {2, 4})
            for (const std::int64_t elements : {1, 13, 2400}) {
                const std::int64_t fused =
                    ipu::fused_elementwise_cycles(target, {"multiply", name}, bytes, elements);
                EXPECT_GE(fused, dearest(name, bytes, elements))
                    << name << " " << elements << " of " << bytes;
            }
}

TEST(PricesDeathTest, AnOperatorWithoutOneIsABugThatIsNamed) {
    graph::OperatorRegistry registry = operators::standard_operators();
    graph::Operator op;
    op.name = "unpriced";
    op.elementwise = true;
    registry.add(std::move(op));
    EXPECT_DEATH(lowering::standard_lowerings(registry), "operator unpriced has no price");
}
