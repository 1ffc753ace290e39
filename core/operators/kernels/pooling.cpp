// SPDX-License-Identifier: GPL-3.0-or-later
#include "flavour.h"

#include <algorithm>
#include <limits>

namespace tilescope::kernels::flavour {
namespace {

/// Calls visit(output offset, y0, y1, x0, x1) for each window, clipped to the image.
template<class Visit>
void windows(const PoolShape& s, const Visit& visit) {
    for (std::int64_t oy = 0; oy < s.out_height; ++oy)
        for (std::int64_t ox = 0; ox < s.out_width; ++ox) {
            const std::int64_t y = oy * s.stride_y - s.pad_top;
            const std::int64_t x = ox * s.stride_x - s.pad_left;
            visit((oy * s.out_width + ox) * s.channels, std::max<std::int64_t>(y, 0),
                  std::min(y + s.window_y, s.height), std::max<std::int64_t>(x, 0),
                  std::min(x + s.window_x, s.width));
        }
}

std::int64_t in_image(const PoolShape& s) {
    return s.height * s.width * s.channels;
}
std::int64_t out_image(const PoolShape& s) {
    return s.out_height * s.out_width * s.channels;
}

float divisor(const PoolShape& s, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1) {
    return static_cast<float>(s.count_padding ? s.window_y * s.window_x
                                              : std::max<std::int64_t>((y1 - y0) * (x1 - x0), 1));
}

} // namespace

void max_pool(const PoolShape& s, const float* x, float* y, std::int64_t first, std::int64_t last) {
    for (std::int64_t image = first; image < last; ++image) {
        const float* in = x + image * in_image(s);
        float* out = y + image * out_image(s);
        windows(s, [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1) {
            float* o = out + at;
            std::fill(o, o + s.channels, -std::numeric_limits<float>::infinity());
            for (std::int64_t iy = y0; iy < y1; ++iy)
                for (std::int64_t ix = x0; ix < x1; ++ix) {
                    const float* i = in + (iy * s.width + ix) * s.channels;
                    for (std::int64_t c = 0; c < s.channels; ++c)
                        o[c] = ((i[c] > o[c]) | (i[c] != i[c])) ? i[c] : o[c]; // what is no number stays
                }
        });
    }
}

namespace {

constexpr std::int64_t channels_at_once = 16; ///< searched side by side

/// Part of an image, from channel `c` on.
struct Window {
    std::int64_t y0, y1, x0, x1, c;
};

// GCC's vectors, at any address; it splits what is wider than the flavour's.
using Values = float __attribute__((vector_size(channels_at_once * 4), aligned(4), may_alias));
using Places = std::int32_t __attribute__((vector_size(channels_at_once * 4)));

/// Adds the gradient of each of `channels_at_once` channels to the first largest element of the window.
void give_to_largest(const PoolShape& s, const Window& w, const float* in, const float* gradient,
                     float* out) {
    const auto place = [&](std::int64_t y, std::int64_t x) { return (y * s.width + x) * s.channels + w.c; };
    Values highest = Values{} - std::numeric_limits<float>::infinity();
    Places best = Places{} + static_cast<std::int32_t>(place(w.y0, w.x0));
    for (std::int64_t y = w.y0; y < w.y1; ++y)
        for (std::int64_t x = w.x0; x < w.x1; ++x) {
            const std::int64_t here = place(y, x);
            const Values value = *reinterpret_cast<const Values*>(in + here);
            const Places higher = value > highest;
            highest = higher ? value : highest;
            best = higher ? Places{} + static_cast<std::int32_t>(here) : best;
        }
    const Values given = *reinterpret_cast<const Values*>(gradient);
    for (std::int64_t y = w.y0; y < w.y1; ++y) // all of the window, rather than each channel by itself
        for (std::int64_t x = w.x0; x < w.x1; ++x) {
            const std::int64_t here = place(y, x);
            auto* to = reinterpret_cast<Values*>(out + here);
            *to += best == static_cast<std::int32_t>(here) ? given : Values{};
        }
}

/// The same for one channel.
void give_to_largest_of_one(const PoolShape& s, const Window& w, const float* in, float gradient,
                            float* out) {
    std::int64_t best = (w.y0 * s.width + w.x0) * s.channels + w.c;
    float highest = -std::numeric_limits<float>::infinity();
    for (std::int64_t y = w.y0; y < w.y1; ++y)
        for (std::int64_t x = w.x0; x < w.x1; ++x) {
            const std::int64_t here = (y * s.width + x) * s.channels + w.c;
            if (in[here] > highest) {
                highest = in[here];
                best = here;
            }
        }
    out[best] += gradient;
}

} // namespace

void max_pool_gradient(const PoolShape& s, const float* x, const float* dy, float* dx, std::int64_t first,
                       std::int64_t last) {
    std::fill(dx + first * in_image(s), dx + last * in_image(s), 0.0F);
    for (std::int64_t image = first; image < last; ++image) {
        const float* in = x + image * in_image(s);
        const float* gradient = dy + image * out_image(s);
        float* out = dx + image * in_image(s);
        windows(s, [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1) {
            if (y0 >= y1 || x0 >= x1)
                return;
            std::int64_t c = 0;
            for (; c + channels_at_once <= s.channels; c += channels_at_once)
                give_to_largest(s, {y0, y1, x0, x1, c}, in, gradient + at + c, out);
            for (; c < s.channels; ++c)
                give_to_largest_of_one(s, {y0, y1, x0, x1, c}, in, gradient[at + c], out);
        });
    }
}

void average_pool(const PoolShape& s, const float* x, float* y, std::int64_t first, std::int64_t last) {
    for (std::int64_t image = first; image < last; ++image) {
        const float* in = x + image * in_image(s);
        float* out = y + image * out_image(s);
        windows(s, [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1) {
            float* o = out + at;
            std::fill(o, o + s.channels, 0.0F);
            for (std::int64_t iy = y0; iy < y1; ++iy)
                for (std::int64_t ix = x0; ix < x1; ++ix)
                    for (std::int64_t c = 0; c < s.channels; ++c)
                        o[c] += in[(iy * s.width + ix) * s.channels + c];
            const float scale = 1.0F / divisor(s, y0, y1, x0, x1);
            for (std::int64_t c = 0; c < s.channels; ++c)
                o[c] *= scale;
        });
    }
}

void average_pool_gradient(const PoolShape& s, const float* dy, float* dx, std::int64_t first,
                           std::int64_t last) {
    std::fill(dx + first * in_image(s), dx + last * in_image(s), 0.0F);
    for (std::int64_t image = first; image < last; ++image) {
        const float* gradient = dy + image * out_image(s);
        float* out = dx + image * in_image(s);
        windows(s, [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1) {
            const float scale = 1.0F / divisor(s, y0, y1, x0, x1);
            for (std::int64_t iy = y0; iy < y1; ++iy)
                for (std::int64_t ix = x0; ix < x1; ++ix)
                    for (std::int64_t c = 0; c < s.channels; ++c)
                        out[(iy * s.width + ix) * s.channels + c] += gradient[at + c] * scale;
        });
    }
}

} // namespace tilescope::kernels::flavour
