// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tilescope::analyse {
namespace {

constexpr auto most_edges = static_cast<std::size_t>(Distribution::most_classes) + 1;

/// A series of steps, each about twice or ten times the one before: 1, 2, 5, 10, … or powers of two.
class Steps {
  public:
    explicit Steps(bool binary) : binary_(binary) {}
    double at(int index) const {
        constexpr std::array<double, 3> of_ten{1, 2, 5};
        if (binary_)
            return std::ldexp(1.0, index);
        const int power = index >= 0 ? index / 3 : -((2 - index) / 3);
        const double factor = of_ten[static_cast<std::size_t>(index - 3 * power)];
        return power >= 0 ? factor * std::pow(10.0, power) : factor / std::pow(10.0, -power);
    }
    /// The last that is no larger than `value`, which is above 0.
    int before(double value) const {
        int index = binary_ ? static_cast<int>(std::floor(std::log2(value)))
                            : 3 * static_cast<int>(std::floor(std::log10(value)));
        while (at(index) > value)
            --index;
        while (at(index + 1) <= value)
            ++index;
        return index;
    }

  private:
    bool binary_;
};

/// Edges of equal classes in `unit`, the first at or below `least`, the last above `most`.
std::vector<double> equal_edges(double least, double most, bool whole, const ClassWidths& widths) {
    const Steps steps(widths.binary);
    const double span = (most > least ? most - least : std::abs(most)) / widths.unit;
    int index = span > 0 ? steps.before(span / static_cast<double>(Distribution::most_classes)) : 0;
    if (whole)
        index = std::max(index, 0);
    for (;; ++index) {
        const double step = steps.at(index);
        const auto edge = [&](double k) {
            return (step >= 1 ? k * step : k / std::round(1 / step)) * widths.unit;
        };
        double k = std::floor(least / widths.unit / step); // but for what dividing rounds
        k += edge(k) > least ? -1 : edge(k + 1) <= least ? 1 : 0;
        std::vector<double> edges{edge(k)};
        while (edges.back() <= most && edges.size() <= most_edges)
            edges.push_back(edge(++k));
        if (edges.size() <= most_edges)
            return edges;
    }
}

/// Of classes that grow; `least` is the least amount above 0, 0 has a class of its own where there is any.
std::vector<double> growing_edges(double least, double most, bool zeros, const ClassWidths& widths) {
    const Steps steps(widths.binary);
    const int first = steps.before(least / widths.unit);
    // Every third of 1, 2 and 5 is a power of ten.
    for (int stride = 1;; stride = widths.binary ? stride + 1 : stride == 1 ? 3 : stride + 3) {
        int index = static_cast<int>(std::floor(static_cast<double>(first) / stride)) * stride;
        std::vector<double> edges(zeros ? 1 : 0, 0.0);
        edges.push_back(steps.at(index) * widths.unit);
        while (edges.back() <= most && edges.size() <= most_edges)
            edges.push_back(steps.at(index += stride) * widths.unit);
        if (edges.size() <= most_edges)
            return edges;
    }
}

} // namespace

bool Distribution::crowded() const {
    const auto fullest = std::max_element(classes.begin(), classes.end(),
                                          [](const Class& a, const Class& b) { return a.count < b.count; });
    return fullest != classes.end() && classes.size() > 2 && least >= 0 && 4 * fullest->count > 3 * count;
}

Distribution distribution(std::vector<double> amounts, const ClassWidths& widths) {
    std::erase_if(amounts, [](double amount) { return !std::isfinite(amount); });
    Distribution result;
    result.count = static_cast<std::int64_t>(amounts.size());
    if (amounts.empty())
        return result;
    std::sort(amounts.begin(), amounts.end());
    result.least = amounts.front();
    result.most = amounts.back();
    result.median = amounts[(amounts.size() - 1) / 2];
    result.mean = std::accumulate(amounts.begin(), amounts.end(), 0.0) / static_cast<double>(amounts.size());
    const bool whole = widths.unit == 1 && std::all_of(amounts.begin(), amounts.end(), [](double amount) {
                           return amount == std::floor(amount);
                       });
    const auto positive = std::upper_bound(amounts.begin(), amounts.end(), 0.0);
    const bool grows = widths.grow && result.least >= 0 && positive != amounts.end();
    const std::vector<double> edges =
        grows ? growing_edges(*positive, result.most, positive != amounts.begin(), widths)
              : equal_edges(result.least, result.most, whole, widths);
    auto from = amounts.begin();
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const auto to = std::lower_bound(from, amounts.end(), edges[i + 1]);
        result.classes.push_back({edges[i], edges[i + 1], to - from});
        from = to;
    }
    return result;
}

} // namespace tilescope::analyse
