// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/try.h"
#include "operation.h"

/// Images read at points that are computed, and the grids of such points. Coordinates from -1 to 1 go from
/// side to side: with align_corners from the middle of the first to that of the last pixel, else from edge to
/// edge.
namespace tilescope::onnx {
namespace {

using graph::DType;
using graph::HostTensor;
using graph::Shape;

/// Where a coordinate lies, in pixels.
Result<OnnxValue> pixels(const OnnxOperation& op, const OnnxValue& grid, std::int64_t extent, bool aligned) {
    const auto size = static_cast<double>(extent);
    TRY(const OnnxValue scaled,
        with(op, "multiply", with(op, "add", grid, 1), (aligned ? size - 1 : size) / 2));
    return aligned ? scaled : with(op, "subtract", scaled, 0.5);
}

/// Mirrored at `low` and `high` as often as it lies outside of them.
Result<OnnxValue> reflected(const OnnxOperation& op, const OnnxValue& at, double low, double high) {
    if (high <= low)
        return with(op, "multiply", at, 0);
    TRY(const OnnxValue apart, op.emit("abs", {with(op, "subtract", at, low)}));
    TRY(const OnnxValue double_spans,
        op.emit("floor", {with(op, "multiply", apart, 1 / (2 * (high - low)))}));
    TRY(const OnnxValue within,
        op.emit("subtract", {apart, with(op, "multiply", double_spans, 2 * (high - low))}));
    // 0 .. 2 spans: as far from the middle on one side as on the other.
    TRY(const OnnxValue from_end, op.emit("abs", {with(op, "subtract", within, high - low)}));
    return op.emit("subtract", {op.scalar_like(at, high), from_end});
}

Result<OnnxValue> clamped(const OnnxOperation& op, const Result<OnnxValue>& at, std::int64_t extent) {
    return with(op, "minimum", with(op, "maximum", at, 0), static_cast<double>(extent - 1));
}

Result<OnnxValue> padded(const OnnxOperation& op, const OnnxValue& at, std::int64_t extent,
                         const std::string& mode, bool aligned) {
    if (mode == "zeros")
        return at;
    if (mode == "border")
        return clamped(op, at, extent);
    if (mode != "reflection")
        return unsupported("padding_mode \"" + mode + "\" is not supported",
                           "use zeros, border or reflection");
    const double edge = aligned ? 0 : -0.5;
    return clamped(op, reflected(op, at, edge, static_cast<double>(extent - 1) - edge), extent);
}

/// 1 where a whole coordinate is inside.
Result<OnnxValue> inside(const OnnxOperation& op, const OnnxValue& at, std::int64_t extent) {
    TRY(const OnnxValue both,
        op.emit("logical_and", {with(op, "greater_equal", at, 0),
                                with(op, "less_equal", at, static_cast<double>(extent - 1))}));
    return cast(op, both, at.type.dtype);
}

/// Whole coordinates of one point for each [n, points], with its weight.
struct Corner {
    OnnxValue y, x, weight;
};

/// The pixels of the corners, weighted: [n, points, channels]. `rows`: the image as [n, h w, channels].
Result<OnnxValue> gathered(const OnnxOperation& op, const OnnxValue& rows, const Corner& corner,
                           std::int64_t height, std::int64_t width) {
    TRY(const OnnxValue y, cast(op, clamped(op, corner.y, height), DType::Int32));
    TRY(const OnnxValue x, cast(op, clamped(op, corner.x, width), DType::Int32));
    TRY(const OnnxValue flat, op.emit("add", {with(op, "multiply", y, static_cast<double>(width)), x}));
    Shape one = flat.shape();
    one.push_back(1);
    TRY(const OnnxValue found,
        op.emit("gather_nd", {rows, reshape(op, flat, one)}, {{"batch_dims", std::int64_t{1}}}));
    TRY(const OnnxValue seen,
        op.emit("multiply", {inside(op, corner.y, height), inside(op, corner.x, width)}));
    TRY(const OnnxValue weight, cast(op, op.emit("multiply", {seen, corner.weight}), rows.type.dtype));
    return op.emit("multiply", {found, reshape(op, weight, one)});
}

/// The four pixels around each point, by how near they are.
Result<std::vector<Corner>> around(const OnnxOperation& op, const OnnxValue& y, const OnnxValue& x) {
    std::vector<Corner> corners;
    TRY(const OnnxValue top, op.emit("floor", {y}));
    TRY(const OnnxValue left, op.emit("floor", {x}));
    for (const double down : {0.0, 1.0})
        for (const double right : {0.0, 1.0}) {
            const auto share = [&](const OnnxValue& at, const OnnxValue& low, double far) {
                const auto apart = op.emit("subtract", {at, low});
                return far > 0 ? apart : op.emit("subtract", {op.scalar_like(at, 1), apart});
            };
            TRY(const OnnxValue weight, op.emit("multiply", {share(y, top, down), share(x, left, right)}));
            TRY(const OnnxValue row, with(op, "add", top, down));
            TRY(const OnnxValue column, with(op, "add", left, right));
            corners.push_back({row, column, weight});
        }
    return corners;
}

Result<std::vector<Corner>> corners_of(const OnnxOperation& op, const OnnxValue& y, const OnnxValue& x) {
    const std::string mode = op.text("mode", op.opset < 20 ? "bilinear" : "linear");
    if (mode == "bilinear" || mode == "linear")
        return around(op, y, x);
    if (mode != "nearest")
        return unsupported("mode \"" + mode + "\" is not supported", "use linear or nearest");
    TRY(const OnnxValue row, op.emit("round", {y}));
    TRY(const OnnxValue column, op.emit("round", {x}));
    TRY(const OnnxValue one, with(op, "add", with(op, "multiply", row, 0), 1));
    return std::vector<Corner>{{row, column, one}};
}

/// X [n, c, h, w] at grid [n, h', w', 2], whose points are (x, y).
Result<OnnxValues> grid_sample(const OnnxOperation& op) {
    TRY(const OnnxValue image, op.in(0));
    TRY(const OnnxValue grid, cast(op, op.in(1), DType::Float32)); // a half has no pixel beyond 2048
    if (image.rank() != 4)
        return refused("samples volumes", "use images: [n, c, h, w]");
    const Shape& s = image.shape();
    if (grid.rank() != 4 || grid.shape()[0] != s[0] || grid.shape()[3] != 2)
        return refused("the grid is " + graph::to_string(grid.type) + " for images " +
                           graph::to_string(image.type),
                       "use points (x, y) for each image: [n, h, w, 2]");
    const std::int64_t points = grid.shape()[1] * grid.shape()[2];
    const bool aligned = op.flag("align_corners", false);
    const std::string mode = op.text("padding_mode", "zeros");
    const auto coordinate = [&](std::int64_t which, std::int64_t extent) -> Result<OnnxValue> {
        TRY(const OnnxValue part, reshape(op, slice(op, grid, 3, which, 1), {s[0], points}));
        TRY(const OnnxValue at, pixels(op, part, extent, aligned));
        return padded(op, at, extent, mode, aligned);
    };
    TRY(const OnnxValue x, coordinate(0, s[3]));
    TRY(const OnnxValue y, coordinate(1, s[2]));
    TRY(const OnnxValue rows, reshape(op, transpose(op, image, {0, 2, 3, 1}), {s[0], s[2] * s[3], s[1]}));
    TRY(const std::vector<Corner> corners, corners_of(op, y, x));
    std::optional<OnnxValue> sum;
    for (const Corner& corner : corners) {
        TRY(OnnxValue part, gathered(op, rows, corner, s[2], s[3]));
        if (sum) {
            TRY(part, op.emit("add", {*sum, part}));
        }
        sum = part;
    }
    return values_of(
        {transpose(op, reshape(op, *sum, {s[0], grid.shape()[1], grid.shape()[2], s[1]}), {0, 3, 1, 2})});
}

/// theta [n, 2, 3] or [n, 3, 4] of the points of a grid: [n, h, w, 2] or [n, d, h, w, 3].
Result<OnnxValues> affine_grid(const OnnxOperation& op) {
    TRY(const OnnxValue theta, op.in(0));
    TRY(const Integers size, op.known_integers(1));
    const auto rank = static_cast<std::int64_t>(size.size()) - 2;
    if (rank < 2 || theta.shape() != Shape{size[0], rank, rank + 1})
        return refused("theta is " + graph::to_string(theta.type) + " for a size of " +
                       std::to_string(size.size()) + " numbers");
    const bool aligned = op.flag("align_corners", false);
    Shape shape{size[0]};
    shape.insert(shape.end(), size.begin() + 2, size.end());
    const std::int64_t points = graph::element_count(Shape(size.begin() + 2, size.end()));
    TRY(expect_countable(points * (rank + 1)));
    HostTensor base(graph::TensorType{theta.type.dtype, {points, rank + 1}});
    for (std::int64_t p = 0; p < points; ++p) {
        std::int64_t rest = p;
        for (std::int64_t d = rank; d-- > 0;) { // x is the last dimension's, and comes first
            const std::int64_t extent = size[static_cast<std::size_t>(d + 2)];
            const auto i = static_cast<double>(rest % extent);
            rest /= extent;
            const auto n = static_cast<double>(extent);
            base.set(p * (rank + 1) + rank - 1 - d,
                     aligned ? (extent > 1 ? 2 * i / (n - 1) - 1 : -1) : (2 * i + 1) / n - 1);
        }
        base.set(p * (rank + 1) + rank, 1);
    }
    TRY(const OnnxValue points_of_all, broadcast(op, op.graph.known(base), {size[0], points, rank + 1}));
    shape.push_back(rank);
    return values_of(
        {reshape(op, op.emit("matmul", {points_of_all, transpose(op, theta, {0, 2, 1})}), shape)});
}

} // namespace

void add_onnx_sampling(OnnxMappings& m) {
    m["GridSample"] = grid_sample;
    m["AffineGrid"] = affine_grid;
}

} // namespace tilescope::onnx
