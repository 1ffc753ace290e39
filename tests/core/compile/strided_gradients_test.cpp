// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/units.h"
#include "compile/compiler.h"
#include "graph/builder.h"
#include "operators/operators.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <set>
#include <vector>

/// What each tile reads of the operands of a data gradient, beside what its positions need, counted one by
/// one.
namespace tilescope::compile {
namespace {

using graph::Shape;

struct Gradient {
    std::int64_t kernel, stride, padding, field, channels, tiles;
    double memory = 0.6; ///< available_memory_proportion
    std::int64_t out_field() const { return (field + 2 * padding - kernel) / stride + 1; }
};

std::ostream& operator<<(std::ostream& out, const Gradient& g) {
    return out << g.kernel << " x " << g.kernel << " in steps of " << g.stride << " over " << g.field
               << " on " << g.tiles << " tiles";
}

constexpr std::int64_t batch = 2;

Executable compiled(const Gradient& g) {
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const std::int64_t dy = g.out_field();
    const auto a = build.feed("dy", {graph::DType::Float16, {batch, dy, dy, g.channels}});
    const auto b = build.feed("w", {graph::DType::Float16, {g.kernel, g.kernel, g.channels, g.channels}});
    build.fetch("dx", build
                          .add("conv2d_input_gradient", {*a, *b},
                               {{"strides", Shape{g.stride, g.stride}},
                                {"padding", Shape{g.padding, g.padding, g.padding, g.padding}},
                                {"shape", Shape{batch, g.field, g.field, g.channels}}})
                          ->front());
    Options options;
    options.target = *ipu::find_target("ipu2");
    options.target.tiles_per_ipu = g.tiles;
    options.planning.all.available_memory_proportion = g.memory;
    return *compile(std::move(graph), registry, options);
}

/// What a tile works on: [begin, end) of a dimension that is cut into so many parts.
struct Part {
    std::int64_t begin, end;
    std::int64_t length() const { return std::max<std::int64_t>(end - begin, 0); }
};
Part part(std::int64_t extent, std::int64_t grain, std::int64_t parts, std::int64_t i) {
    const std::int64_t block = ceil_div(ceil_div(extent, grain), parts) * grain;
    return {std::min(extent, i * block), std::min(extent, (i + 1) * block)};
}

/// Rows, or columns, that positions of the gradient read.
struct Read {
    std::set<std::int64_t> inputs, kernel;
    static std::int64_t span(const std::set<std::int64_t>& of) {
        return of.empty() ? 0 : *of.rbegin() - *of.begin() + 1;
    }
};
Read read_by(const Gradient& g, const Part& result, const Part& kernel) {
    Read read;
    for (std::int64_t r = result.begin; r < result.end; ++r)
        for (std::int64_t k = kernel.begin; k < kernel.end; ++k)
            for (std::int64_t i = -g.kernel; i < g.out_field() + g.kernel; ++i) // with its padding
                if (i * g.stride + k - g.padding == r) { // as the forward convolution reads x
                    read.kernel.insert(k);
                    if (i >= 0 && i < g.out_field())
                        read.inputs.insert(i);
                }
    return read;
}

/// Bytes of each tile in what the vertices of the product read for an operand; nothing: it lies there.
std::optional<std::vector<std::int32_t>> bytes_read(const Executable& e, const std::string& operand) {
    for (const program::StepId id : e.program.leaves())
        if (e.program.step(id).name.ends_with("/Convolve"))
            for (const program::VariableId v : e.program.step(id).uses)
                if (e.program.variable(v).name.ends_with("/" + operand + "/rearranged"))
                    return e.program.variable(v).tile_bytes;
    return std::nullopt;
}

} // namespace

TEST(StridedGradients, EachTileReadsWhatItsPositionsNeed) {
    std::size_t checked = 0, kernels_cut = 0, rows_apart = 0;
    for (const Gradient& g :
         {Gradient{3, 2, 1, 14, 64, 92}, Gradient{3, 2, 1, 14, 64, 1472}, Gradient{3, 1, 1, 14, 64, 368},
          Gradient{3, 2, 1, 28, 16, 1472}, Gradient{2, 2, 0, 16, 32, 368}, Gradient{5, 3, 2, 15, 32, 184},
          Gradient{3, 2, 1, 8, 512, 1472}, Gradient{7, 2, 3, 16, 32, 1472}}) {
        const Executable e = compiled(g);
        const ipu::ConvPlan& plan = e.plans.at(0).plans.at(0);
        const ipu::ConvSplits& s = plan.splits;
        if (plan.transform.expand_width || plan.transform.expand_height) // reads no positions of a kernel
            continue;
        ASSERT_EQ(s.serial(), 1) << g << ipu::describe(plan);
        kernels_cut += s.kernel_height > 1 ? 1 : 0;
        rows_apart += s.height > 1 && ceil_div(g.field, s.height) < g.stride ? 1 : 0;
        const auto weights = bytes_read(e, "weights");
        const auto inputs = bytes_read(e, "input");
        ASSERT_TRUE(weights || inputs) << g << ipu::describe(plan);
        for (std::int64_t tile = 0; tile < s.tiles(); ++tile) {
            std::int64_t left = tile;
            const auto next = [&left](std::int64_t extent, std::int64_t grain, std::int64_t parts) {
                const Part p = part(extent, grain, parts, left % parts);
                left /= parts;
                return p;
            };
            const Part out = next(g.channels, plan.grouping.out_channels, s.out_channels);
            const Part columns = next(g.field, s.width_group, s.width);
            const Part rows = next(g.field, 1, s.height);
            const Part images = next(batch, 1, s.batch);
            const Part kernel = next(g.kernel, 1, s.kernel_height);
            const Part in = next(g.channels, plan.grouping.in_channels, s.in_channels);
            if (out.length() * columns.length() * rows.length() * images.length() * kernel.length() *
                    in.length() ==
                0)
                continue;
            const Read down = read_by(g, rows, kernel);
            const Read across = read_by(g, columns, {0, g.kernel});
            const auto t = static_cast<std::size_t>(tile);
            ++checked;
            if (weights) {
                EXPECT_EQ(weights->at(t), Read::span(down.kernel) * Read::span(across.kernel) * out.length() *
                                              in.length() * 2)
                    << "weights of tile " << t << ", " << g << ipu::describe(plan);
            }
            if (inputs) {
                EXPECT_EQ(inputs->at(t), images.length() * Read::span(down.inputs) *
                                             Read::span(across.inputs) * in.length() * 2)
                    << "input of tile " << t << ", " << g << ipu::describe(plan);
            }
        }
    }
    EXPECT_GT(checked, 1000U);
    EXPECT_GT(kernels_cut, 0U);
    EXPECT_GT(rows_apart, 0U) << "single rows read the even rows of the kernel or the odd ones";
}

} // namespace tilescope::compile
