// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <vector>

namespace tilescope::kernels::flavour {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;
using Strided = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
using ConstStrided = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

/// Output positions whose columns fill about this many floats, so that they stay in the second-level cache.
constexpr std::int64_t column_buffer = 128 * 1024;

/// Whole images at a time, at least one.
std::int64_t images_at_once(const ConvShape& s, std::int64_t images) {
    const std::int64_t one = s.out_height * s.out_width * s.columns();
    return std::clamp<std::int64_t>(column_buffer / std::max<std::int64_t>(one, 1), 1,
                                    std::max<std::int64_t>(images, 1));
}

/// Memory of this thread for `count` floats, kept from call to call; its contents are undefined.
float* scratch(std::int64_t count) {
    thread_local std::vector<float> memory;
    if (static_cast<std::int64_t>(memory.size()) < count)
        memory.resize(static_cast<std::size_t>(count));
    return memory.data();
}

/// The patches of one image of a group, a row for each output position: [out_height * out_width, columns].
void image_to_columns(const ConvShape& s, std::int64_t group, const float* image, float* columns) {
    const std::int64_t channels = s.in_channels / s.groups;
    const float* base = image + group * channels;
    for (std::int64_t oy = 0; oy < s.out_height; ++oy)
        for (std::int64_t ox = 0; ox < s.out_width; ++ox)
            for (std::int64_t ky = 0; ky < s.kernel_height; ++ky) {
                const std::int64_t y = oy * s.stride_y + ky * s.dilation_y - s.pad_top;
                const std::int64_t x0 = ox * s.stride_x - s.pad_left;
                const bool whole = y >= 0 && y < s.height && s.dilation_x == 1 && s.groups == 1 && x0 >= 0 &&
                                   x0 + s.kernel_width <= s.width;
                if (whole) {
                    const std::int64_t run = s.kernel_width * channels;
                    const float* from = base + (y * s.width + x0) * channels;
                    if (run <= 8)
                        for (std::int64_t i = 0; i < run; ++i)
                            columns[i] = from[i];
                    else
                        std::memcpy(columns, from, static_cast<std::size_t>(run) * sizeof(float));
                    columns += run;
                    continue;
                }
                for (std::int64_t kx = 0; kx < s.kernel_width; ++kx, columns += channels) {
                    const std::int64_t x = x0 + kx * s.dilation_x;
                    if (y < 0 || y >= s.height || x < 0 || x >= s.width)
                        std::fill(columns, columns + channels, 0.0F);
                    else
                        std::memcpy(columns, base + (y * s.width + x) * s.in_channels,
                                    static_cast<std::size_t>(channels) * sizeof(float));
                }
            }
}

/// Adds each row of `columns` back to the patch of the image that it came from.
void columns_to_image(const ConvShape& s, std::int64_t group, const float* columns, float* image) {
    const std::int64_t channels = s.in_channels / s.groups;
    float* base = image + group * channels;
    for (std::int64_t oy = 0; oy < s.out_height; ++oy)
        for (std::int64_t ox = 0; ox < s.out_width; ++ox)
            for (std::int64_t ky = 0; ky < s.kernel_height; ++ky) {
                const std::int64_t y = oy * s.stride_y + ky * s.dilation_y - s.pad_top;
                for (std::int64_t kx = 0; kx < s.kernel_width; ++kx, columns += channels) {
                    const std::int64_t x = ox * s.stride_x + kx * s.dilation_x - s.pad_left;
                    if (y < 0 || y >= s.height || x < 0 || x >= s.width)
                        continue;
                    float* to = base + (y * s.width + x) * s.in_channels;
                    for (std::int64_t c = 0; c < channels; ++c)
                        to[c] += columns[c];
                }
            }
}

struct Extents {
    std::int64_t positions, columns, group_outputs, image_in, image_out;
    explicit Extents(const ConvShape& s)
        : positions(s.out_height * s.out_width), columns(s.columns()),
          group_outputs(s.out_channels / s.groups), image_in(s.height * s.width * s.in_channels),
          image_out(positions * s.out_channels) {}
};

} // namespace

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, bool transpose_a,
          const float* b, std::int64_t ldb, bool transpose_b, float* c, std::int64_t ldc) {
    const ConstStrided left(a, transpose_a ? k : m, transpose_a ? m : k, Eigen::OuterStride<>(lda));
    const ConstStrided right(b, transpose_b ? n : k, transpose_b ? k : n, Eigen::OuterStride<>(ldb));
    Strided out(c, m, n, Eigen::OuterStride<>(ldc));
    if (!transpose_a && !transpose_b)
        out.noalias() = left * right;
    else if (transpose_a && !transpose_b)
        out.noalias() = left.transpose() * right;
    else if (!transpose_a)
        out.noalias() = left * right.transpose();
    else
        out.noalias() = left.transpose() * right.transpose();
}

void conv_forward(const ConvShape& s, const float* x, const float* w, float* y, std::int64_t first,
                  std::int64_t last) {
    const Extents e(s);
    const std::int64_t at_once = images_at_once(s, last - first);
    float* const columns = scratch(at_once * e.positions * e.columns);
    for (std::int64_t image = first; image < last; image += at_once) {
        const std::int64_t count = std::min(at_once, last - image);
        for (std::int64_t g = 0; g < s.groups; ++g) {
            for (std::int64_t i = 0; i < count; ++i)
                image_to_columns(s, g, x + (image + i) * e.image_in, columns + i * e.positions * e.columns);
            const ConstStrided weights(w + g * e.group_outputs, e.columns, e.group_outputs,
                                       Eigen::OuterStride<>(s.out_channels));
            Strided out(y + image * e.image_out + g * e.group_outputs, count * e.positions, e.group_outputs,
                        Eigen::OuterStride<>(s.out_channels));
            out.noalias() = ConstMap(columns, count * e.positions, e.columns) * weights;
        }
    }
}

void conv_input_gradient(const ConvShape& s, const float* dy, const float* w, float* dx, std::int64_t first,
                         std::int64_t last) {
    const Extents e(s);
    const std::int64_t at_once = images_at_once(s, last - first);
    float* const columns = scratch(at_once * e.positions * e.columns);
    std::fill(dx + first * e.image_in, dx + last * e.image_in, 0.0F);
    for (std::int64_t image = first; image < last; image += at_once) {
        const std::int64_t count = std::min(at_once, last - image);
        for (std::int64_t g = 0; g < s.groups; ++g) {
            const ConstStrided weights(w + g * e.group_outputs, e.columns, e.group_outputs,
                                       Eigen::OuterStride<>(s.out_channels));
            const ConstStrided gradient(dy + image * e.image_out + g * e.group_outputs, count * e.positions,
                                        e.group_outputs, Eigen::OuterStride<>(s.out_channels));
            Eigen::Map<Matrix>(columns, count * e.positions, e.columns).noalias() =
                gradient * weights.transpose();
            for (std::int64_t i = 0; i < count; ++i)
                columns_to_image(s, g, columns + i * e.positions * e.columns, dx + (image + i) * e.image_in);
        }
    }
}

void conv_filter_gradient(const ConvShape& s, const float* x, const float* dy, float* dw, std::int64_t first,
                          std::int64_t last) {
    const Extents e(s);
    const std::int64_t at_once = images_at_once(s, last - first);
    float* const columns = scratch(at_once * e.positions * e.columns);
    std::fill(dw, dw + e.columns * s.out_channels, 0.0F);
    for (std::int64_t image = first; image < last; image += at_once) {
        const std::int64_t count = std::min(at_once, last - image);
        for (std::int64_t g = 0; g < s.groups; ++g) {
            for (std::int64_t i = 0; i < count; ++i)
                image_to_columns(s, g, x + (image + i) * e.image_in, columns + i * e.positions * e.columns);
            const ConstStrided gradient(dy + image * e.image_out + g * e.group_outputs, count * e.positions,
                                        e.group_outputs, Eigen::OuterStride<>(s.out_channels));
            Strided weights(dw + g * e.group_outputs, e.columns, e.group_outputs,
                            Eigen::OuterStride<>(s.out_channels));
            weights.noalias() += ConstMap(columns, count * e.positions, e.columns).transpose() * gradient;
        }
    }
}

} // namespace tilescope::kernels::flavour
