// SPDX-License-Identifier: GPL-3.0-or-later
#include "roofline_picture.h"

#include "base/text.h"
#include "markup.h"

#include <algorithm>
#include <cmath>

namespace tilescope::exports {
namespace {

using analyse::Roofline;
using analyse::RooflinePoint;

constexpr double plot_width = 800, plot_height = 340;
constexpr double left = 84, right = 90, plot_top = 16, bottom = 44;
constexpr double beside = plot_width - right / 2; ///< where operations stand that exchange nothing

/// A direction of which each decade is as long as every other.
struct Decades {
    int low, high;   ///< powers of ten
    double from, to; ///< pixels
    double at(double value) const {
        return from + (to - from) * std::clamp((std::log10(value) - low) / (high - low), 0.0, 1.0);
    }
};

/// The power of ten that a value is: of a file's figure, which may be any, one that can be drawn.
double power_of(double value) {
    constexpr double most = 30;
    return value > 0 ? std::clamp(std::log10(value), -most, most) : 0;
}

Decades decades(double least, double most, double from, double to) {
    const auto low = static_cast<int>(std::floor(power_of(least)));
    return {low, std::max(low + 1, static_cast<int>(std::ceil(power_of(most)))), from, to};
}

class Plot {
  public:
    explicit Plot(const Roofline& roofline) : roofline_(roofline) {
        const double ridge = roofline.half_flops_per_cycle / roofline.exchange_bytes_per_cycle;
        double least_x = ridge, most_x = ridge, least_y = roofline.float_flops_per_cycle;
        for (const RooflinePoint& point : roofline.points) {
            least_y = std::min(least_y, point.flops_per_cycle);
            if (point.flops_per_byte) {
                least_x = std::min(least_x, *point.flops_per_byte);
                most_x = std::max(most_x, *point.flops_per_byte);
            }
        }
        x_ = decades(least_x, most_x, left, plot_width - right);
        y_ = decades(least_y, roofline.half_flops_per_cycle, plot_height - bottom, plot_top);
    }

    std::string drawn() const {
        return grid() + roof("float peak", roofline_.float_flops_per_cycle) +
               roof("half peak", roofline_.half_flops_per_cycle) +
               roof("float, vector", roofline_.float_vector_flops_per_cycle) +
               roof("half, vector", roofline_.half_vector_flops_per_cycle) + points();
    }

  private:
    std::string grid() const {
        std::string lines;
        std::string texts;
        for (int power = y_.low; power <= y_.high; ++power) {
            const double y = y_.at(std::pow(10, power));
            lines += "M" + pixels(left) + " " + pixels(y) + "H" + pixels(plot_width - right);
            texts += svg_text(left - 6, y + 4, "end", amount_text(std::pow(10, power)));
        }
        for (int power = x_.low; power <= x_.high; ++power) {
            const double x = x_.at(std::pow(10, power));
            lines += "M" + pixels(x) + " " + pixels(plot_top) + "V" + pixels(plot_height - bottom);
            texts += svg_text(x, plot_height - bottom + 16, "middle", amount_text(std::pow(10, power)));
        }
        texts +=
            svg_text((left + plot_width - right) / 2, plot_height - 6, "middle", "FLOPs per exchanged byte") +
            svg_text(beside, plot_height - 6, "middle", "no exchange");
        return "<path style=\"fill:none;stroke:var(--grid)\" d=\"" + lines + "\"/>" + texts;
    }
    /// Up with the exchange to the ridge, then level at the peak.
    std::string roof(const std::string& name, std::optional<double> told) const {
        if (!told)
            return {};
        const double peak = *told;
        const double first = std::pow(10, x_.low);
        const double ridge = peak / roofline_.exchange_bytes_per_cycle;
        return "<path style=\"fill:none;stroke:var(--muted);stroke-dasharray:5 4\" d=\"M" +
               pixels(x_.at(first)) + " " + pixels(y_.at(roofline_.roof(first, peak))) + "L" +
               pixels(x_.at(ridge)) + " " + pixels(y_.at(peak)) + "H" + pixels(plot_width - right) + "\"/>" +
               svg_text(plot_width - right - 4, y_.at(peak) - 5, "end", name);
    }
    std::string points() const {
        constexpr double least = 2.5, most = 14;
        std::string out;
        for (const RooflinePoint& point : roofline_.points) {
            const double x = point.flops_per_byte ? x_.at(*point.flops_per_byte) : beside;
            const double radius = std::max(least, most * roofline_.radius_share(point));
            out +=
                "<circle cx=\"" + pixels(x) + "\" cy=\"" + pixels(y_.at(point.flops_per_cycle)) + "\" r=\"" +
                pixels(radius) + "\" style=\"fill:var(--compute);fill-opacity:0.6\"><title>" +
                markup_text(point.name + ": " + amount_text(point.flops_per_cycle) + " FLOPs per cycle, " +
                            (point.flops_per_byte ? amount_text(*point.flops_per_byte) + " per exchanged byte"
                                                  : "no exchange")) +
                "</title></circle>";
        }
        return out;
    }

    const Roofline& roofline_;
    Decades x_{}, y_{};
};

} // namespace

PagePicture roofline_picture(const Roofline& roofline) {
    PagePicture picture{"FLOPs per cycle of each operation, and the most that an IPU could", {}, {}};
    if (!roofline.points.empty())
        picture.svg = "<svg viewBox=\"0 0 " + pixels(plot_width) + " " + pixels(plot_height) +
                      "\" role=\"img\"><title>" + markup_text(picture.title) + "</title>" +
                      Plot(roofline).drawn() + "</svg>";
    return picture;
}

} // namespace tilescope::exports
