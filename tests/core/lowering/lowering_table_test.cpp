// SPDX-License-Identifier: GPL-3.0-or-later
#include "lowering/lowering_table.h"
#include "operators/operators.h"

#include <gtest/gtest.h>

namespace tilescope::lowering {

TEST(LoweringTable, HasALoweringForEveryOperation) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    const LoweringTable table = standard_lowerings(registry);
    for (const std::string& kind : registry.names())
        EXPECT_TRUE(table.has(kind)) << kind;
}

TEST(LoweringTableDeathTest, AnOperationWithoutALoweringIsABugThatIsNamed) {
    graph::OperatorRegistry registry = operators::standard_operators();
    graph::Operator op;
    op.name = "unheard_of";
    registry.add(op);
    EXPECT_DEATH(standard_lowerings(registry), "operator unheard_of has no lowering");
}

TEST(LoweringTableDeathTest, AMisspeltKindIsABugThatIsNamed) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    LoweringTable table(registry);
    EXPECT_DEATH(table.set("matmull", {}), "operator matmull has a lowering but is not registered");
}

} // namespace tilescope::lowering
