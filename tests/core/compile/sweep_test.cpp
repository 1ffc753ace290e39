// SPDX-License-Identifier: GPL-3.0-or-later
// Products that grow, and tiles that become more: no step backwards but for the reasons that are written
// here.
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tilescope::compile {
namespace {

using graph::DType;

struct Product {
    std::int64_t m, k, n;
    DType type = DType::Float16;
    const char* target = "ipu2";
    std::int64_t tiles = 0; ///< 0: as many as there are
};

Executable compiled(const Product& p) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto a = build.feed("a", {p.type, {p.m, p.k}});
    const auto b = build.feed("b", {p.type, {p.k, p.n}});
    build.fetch("y", build.add("matmul", {*a, *b}, {}, "product")->front());
    Options options;
    options.target = *ipu::find_target(
        p.target, {{{"tiles_per_ipu", static_cast<double>(p.tiles)}}, {}}); // 0 leaves them as they are
    return *compile(std::move(graph), registry, options);
}

} // namespace

// Squares of halves on a Mk1, whose tiles have 256 KiB: none needs more than they have where a larger one
// does not. The partial sums lie in the upper half, and the operand that a tile receives in one piece beside
// them.
TEST(Sweep, NoSquareFailsWhereALargerOneFits) {
    bool larger_fits = false;
    for (std::int64_t n = 4096; n >= 512; n -= 256) {
        const Executable e = compiled({n, n, n, DType::Float16, "ipu1"});
        EXPECT_TRUE(e.fits() || !larger_fits) << n << ": " << out_of_memory(e).line();
        larger_fits = larger_fits || e.fits();
    }
    EXPECT_TRUE(larger_fits);
}

} // namespace tilescope::compile
