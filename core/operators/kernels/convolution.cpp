// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"
#include "tile.h"

#include <algorithm>
#include <vector>

/// Convolutions as products whose left factors are read where they lie in the image: no patch is copied.
namespace tilescope::kernels::flavour {
namespace {

constexpr std::int64_t most_factors = 384; ///< summed at once: their right side stays in the caches

/// An image whose every window lies inside, and where its windows and their parts are.
struct Image {
    std::int64_t height, width; ///< with the padding that windows reach
    bool padded;
    explicit Image(const ConvShape& s)
        : height((s.out_height - 1) * s.stride_y + (s.kernel_height - 1) * s.dilation_y + 1),
          width((s.out_width - 1) * s.stride_x + (s.kernel_width - 1) * s.dilation_x + 1),
          padded(s.pad_top > 0 || s.pad_left > 0 || height > s.height || width > s.width) {
        if (!padded) {
            height = s.height;
            width = s.width;
        }
    }

    /// The image itself, or a copy of it between zeros.
    const float* of(const ConvShape& s, const float* image) const {
        if (!padded)
            return image;
        float* const copy = scratch(Scratch::Image, height * width * s.in_channels);
        const std::int64_t row = width * s.in_channels;
        const std::int64_t left = s.pad_left * s.in_channels;
        const std::int64_t inside = std::min((width - s.pad_left), s.width) * s.in_channels;
        for (std::int64_t y = 0; y < height; ++y) {
            float* to = copy + y * row;
            const std::int64_t from = y - s.pad_top;
            if (from < 0 || from >= s.height) {
                std::fill(to, to + row, 0.0F);
                continue;
            }
            std::fill(to, to + left, 0.0F);
            std::copy_n(image + from * s.width * s.in_channels, inside, to + left);
            std::fill(to + left + inside, to + row, 0.0F);
        }
        return copy;
    }
    std::int64_t position(const ConvShape& s, std::int64_t p) const {
        return (p / s.out_width * s.stride_y * width + p % s.out_width * s.stride_x) * s.in_channels;
    }
};

/// What a thread works out of a shape, kept for the memory that it has taken.
struct Plan {
    std::vector<Run> runs;
    std::vector<std::int64_t> parts; ///< where each part's runs begin, and their end
};

/// A window's elements, as runs in the image, in the order of the filter's rows; in parts that are summed at
/// once.
void plan_window(const ConvShape& s, const Image& image, Plan& plan) {
    const std::int64_t channels = s.in_channels / s.groups;
    plan.runs.clear();
    plan.parts.assign(1, 0);
    const bool whole = s.groups == 1 && s.dilation_x == 1;
    std::int64_t gathered = 0;
    const auto add = [&](std::int64_t offset, std::int64_t length) {
        for (std::int64_t done = 0; done < length;) {
            if (gathered == most_factors) {
                plan.parts.push_back(static_cast<std::int64_t>(plan.runs.size()));
                gathered = 0;
            }
            const std::int64_t some = std::min(length - done, most_factors - gathered);
            plan.runs.push_back({offset + done, some});
            gathered += some;
            done += some;
        }
    };
    for (std::int64_t ky = 0; ky < s.kernel_height; ++ky) {
        const std::int64_t row = ky * s.dilation_y * image.width * s.in_channels;
        if (whole)
            add(row, s.kernel_width * channels);
        else
            for (std::int64_t kx = 0; kx < s.kernel_width; ++kx)
                add(row + kx * s.dilation_x * s.in_channels, channels);
    }
    plan.parts.push_back(static_cast<std::int64_t>(plan.runs.size()));
}

/// A filter's panel [rows, width] as a tile reads it: packed where its rows are not whole vectors.
struct Panel {
    const float* values;
    std::int64_t stride;
    Panel(const float* from, std::int64_t distance, std::int64_t rows, std::int64_t width)
        : values(from), stride(distance) {
        if (width % lanes == 0)
            return;
        stride = whole_vectors(width);
        float* packed = scratch(Scratch::Panel, rows * stride);
        pack(from, distance, false, rows, width, stride, packed);
        values = packed;
    }
};

/// Calls work(first, count) for `total` rows in tiles of about equal height.
template<class Work>
void each_tile(std::int64_t total, const Work& work) {
    const std::int64_t tiles = (total + tile_rows - 1) / tile_rows;
    for (std::int64_t t = 0; t < tiles; ++t) {
        const std::int64_t first = total * t / tiles;
        work(first, total * (t + 1) / tiles - first);
    }
}

template<class Work>
void each_panel(std::int64_t columns, const Work& work) {
    for (std::int64_t first = 0; first < columns;) {
        const std::int64_t width = panel_width(first, columns);
        work(first, width);
        first += width;
    }
}

/// The filter turned for the gradient of the input: for each group and element of the window
/// [group outputs, channels], rows of whole vectors.
const float* turned_filter(const ConvShape& s, const float* w, std::int64_t stride) {
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t outputs = s.out_channels / s.groups;
    const std::int64_t places = s.kernel_height * s.kernel_width;
    float* const turned = scratch(Scratch::Weights, s.groups * places * outputs * stride);
    for (std::int64_t g = 0; g < s.groups; ++g)
        for (std::int64_t k = 0; k < places; ++k)
            pack(w + k * channels * s.out_channels + g * outputs, s.out_channels, true, outputs, channels,
                 stride, turned + (g * places + k) * outputs * stride);
    return turned;
}

/// The outputs along one axis whose window has its element `k` inside the image: [first, last).
struct Inside {
    std::int64_t first, last;
    Inside(std::int64_t shift, std::int64_t stride, std::int64_t extent, std::int64_t outputs)
        : first(shift >= 0 ? 0 : (-shift + stride - 1) / stride),
          last(extent - shift <= 0 ? 0 : std::min(outputs, (extent - shift - 1) / stride + 1)) {}
    std::int64_t count() const { return std::max<std::int64_t>(0, last - first); }
};

} // namespace

void conv_forward(const ConvShape& s, const float* x, const float* w, float* y, std::int64_t first,
                  std::int64_t last) {
    const Image image(s);
    const std::int64_t positions = s.out_height * s.out_width;
    const std::int64_t outputs = s.out_channels / s.groups;
    thread_local Plan plan;
    plan_window(s, image, plan);
    for (std::int64_t i = first; i < last; ++i) {
        const float* in = image.of(s, x + i * s.height * s.width * s.in_channels);
        float* out = y + i * positions * s.out_channels;
        for (std::int64_t g = 0; g < s.groups; ++g) {
            std::int64_t row = 0;
            for (std::size_t part = 0; part + 1 < plan.parts.size(); ++part) {
                const std::int64_t begin = plan.parts[part];
                const std::int64_t runs = plan.parts[part + 1] - begin;
                std::int64_t rows = 0;
                for (std::int64_t r = 0; r < runs; ++r)
                    rows += plan.runs[static_cast<std::size_t>(begin + r)].length;
                each_panel(outputs, [&](std::int64_t column, std::int64_t width) {
                    const std::int64_t at = g * outputs + column;
                    const Panel panel(w + row * s.out_channels + at, s.out_channels, rows, width);
                    Tile tile{
                        {},    1,       plan.runs.data() + begin, runs, panel.values, panel.stride, {}, 1,
                        width, part > 0};
                    each_tile(positions, [&](std::int64_t top, std::int64_t count) {
                        for (std::int64_t r = 0; r < count; ++r) {
                            tile.left[r] = in + image.position(s, top + r) + g * (s.in_channels / s.groups);
                            tile.out[r] = out + (top + r) * s.out_channels + at;
                        }
                        run_tile(tile, count);
                    });
                });
                row += rows;
            }
        }
    }
}

void conv_input_gradient(const ConvShape& s, const float* dy, const float* w, float* dx, std::int64_t first,
                         std::int64_t last) {
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t outputs = s.out_channels / s.groups;
    const std::int64_t positions = s.out_height * s.out_width;
    const std::int64_t places = s.kernel_height * s.kernel_width;
    const std::int64_t stride = whole_vectors(channels);
    const float* const turned = turned_filter(s, w, stride);
    const std::int64_t size = s.height * s.width * s.in_channels;
    std::fill(dx + first * size, dx + last * size, 0.0F);
    const Run run{0, outputs};
    for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t g = 0; g < s.groups; ++g)
            for (std::int64_t k = 0; k < places; ++k) {
                const std::int64_t shift_y = k / s.kernel_width * s.dilation_y - s.pad_top;
                const std::int64_t shift_x = k % s.kernel_width * s.dilation_x - s.pad_left;
                const Inside rows(shift_y, s.stride_y, s.height, s.out_height);
                const Inside columns(shift_x, s.stride_x, s.width, s.out_width);
                const float* right = turned + (g * places + k) * outputs * stride;
                each_panel(channels, [&](std::int64_t channel, std::int64_t width) {
                    Tile tile{{}, 1, &run, 1, right + channel, stride, {}, 1, width, true};
                    each_tile(rows.count() * columns.count(), [&](std::int64_t top, std::int64_t count) {
                        for (std::int64_t r = 0; r < count; ++r) {
                            const std::int64_t oy = rows.first + (top + r) / columns.count();
                            const std::int64_t ox = columns.first + (top + r) % columns.count();
                            tile.left[r] =
                                dy + (i * positions + oy * s.out_width + ox) * s.out_channels + g * outputs;
                            tile.out[r] =
                                dx + i * size +
                                ((oy * s.stride_y + shift_y) * s.width + ox * s.stride_x + shift_x) *
                                    s.in_channels +
                                g * channels + channel;
                        }
                        run_tile(tile, count);
                    });
                });
            }
}

void conv_filter_gradient(const ConvShape& s, const float* x, const float* dy, float* dw, std::int64_t first,
                          std::int64_t last) {
    const Image image(s);
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t outputs = s.out_channels / s.groups;
    const std::int64_t positions = s.out_height * s.out_width;
    thread_local std::vector<Run> runs; // the positions, row by row
    runs.clear();
    for (std::int64_t oy = 0; oy < s.out_height; ++oy)
        runs.push_back({oy * s.stride_y * image.width * s.in_channels, s.out_width});
    if (first == last)
        std::fill(dw, dw + s.columns() * s.out_channels, 0.0F);
    for (std::int64_t i = first; i < last; ++i) {
        const float* in = image.of(s, x + i * s.height * s.width * s.in_channels);
        for (std::int64_t g = 0; g < s.groups; ++g)
            each_panel(outputs, [&](std::int64_t column, std::int64_t width) {
                const std::int64_t at = g * outputs + column;
                const Panel panel(dy + i * positions * s.out_channels + at, s.out_channels, positions, width);
                Tile tile{{},           s.stride_x * s.in_channels,
                          runs.data(),  s.out_height,
                          panel.values, panel.stride,
                          {},           1,
                          width,        i > first};
                each_tile(s.columns(), [&](std::int64_t top, std::int64_t count) {
                    for (std::int64_t r = 0; r < count; ++r) {
                        const std::int64_t place = (top + r) / channels;
                        tile.left[r] = in +
                                       (place / s.kernel_width * s.dilation_y * image.width +
                                        place % s.kernel_width * s.dilation_x) *
                                           s.in_channels +
                                       g * channels + (top + r) % channels;
                        tile.out[r] = dw + (top + r) * s.out_channels + at;
                    }
                    run_tile(tile, count);
                });
            });
    }
}

} // namespace tilescope::kernels::flavour
