// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/layered_stages.h"

#include <algorithm>
#include <cmath>
#include <map>

/// Coordinates by columns, as Brandes and Koepf (2002) do it: vertices that are to stand under each other
/// form a column, columns are packed, then each moves to where its other neighbours are.
namespace tilescope::ui {
namespace {

constexpr std::size_t no_place = static_cast<std::size_t>(-1);

/// How much an arc wants to be straight: along a lane and along a long edge most, between lanes hardly.
double pull(const ProperGraph& graph, std::size_t a, std::size_t b) {
    constexpr double along_lane = 6, along_edge = 8, into_bend = 1, across = 0.1;
    if (graph.bend(a) && graph.bend(b))
        return along_edge;
    if (graph.lane[a] != graph.lane[b])
        return across;
    return graph.bend(a) || graph.bend(b) ? into_bend : along_lane;
}

/// Which arcs may form columns. Straight ones that overlap like stairs can make a drawing much too wide.
enum class Straight { All, BetweenNodes, No };

class Columns {
  public:
    Columns(const ProperGraph& graph, const LayoutSpacing& spacing, Straight straight)
        : graph_(graph), spacing_(spacing), place_(graph.layer.size()), below_(graph.layer.size(), no_place),
          above_(graph.layer.size(), no_place), column_(graph.layer.size(), no_place) {
        for (const auto& layer : graph.order)
            for (std::size_t i = 0; i < layer.size(); ++i)
                place_[layer[i]] = i;
        for (std::size_t at = 0; straight != Straight::No && at + 1 < graph.order.size(); ++at)
            align(at, straight == Straight::All);
        gather();
        sort();
        pack();
    }

    void relax() { ///< moves each column to where its neighbours are, as far as there is room
        for (auto c = order_.rbegin(); c != order_.rend(); ++c)
            move(*c);
        for (const std::size_t c : order_)
            move(c);
    }

    double width() const {
        double right = 0;
        for (std::size_t v = 0; v < column_.size(); ++v)
            right = std::max(right, x_[column_[v]] + graph_.width[v] / 2);
        return right;
    }
    double widestLayer() const {
        double widest = 0;
        for (const auto& layer : graph_.order) {
            double sum = 0;
            for (const std::size_t v : layer)
                sum += leftOf(v) == no_place ? graph_.width[v] : distance(leftOf(v), v);
            widest = std::max(widest, sum);
        }
        return widest;
    }

    std::vector<double> positions() const {
        std::vector<double> x(column_.size());
        double left = 0;
        for (std::size_t v = 0; v < x.size(); ++v) {
            x[v] = x_[column_[v]];
            left = v == 0 ? x[v] - graph_.width[v] / 2 : std::min(left, x[v] - graph_.width[v] / 2);
        }
        for (double& at : x)
            at -= left;
        return x;
    }

  private:
    double distance(std::size_t left, std::size_t right) const {
        const double gap = graph_.lane[left] != graph_.lane[right]   ? spacing_.between_lanes
                           : graph_.bend(left) && graph_.bend(right) ? spacing_.between_lines
                                                                     : spacing_.between_nodes;
        return (graph_.width[left] + graph_.width[right]) / 2 + gap;
    }
    std::size_t leftOf(std::size_t v) const {
        return place_[v] == 0 ? no_place
                              : graph_.order[static_cast<std::size_t>(graph_.layer[v])][place_[v] - 1];
    }
    std::size_t rightOf(std::size_t v) const {
        const auto& layer = graph_.order[static_cast<std::size_t>(graph_.layer[v])];
        return place_[v] + 1 == layer.size() ? no_place : layer[place_[v] + 1];
    }

    /// How far from the middle of the neighbours of `v` one of them is.
    double offMiddle(const std::vector<std::size_t>& neighbours, std::size_t one) const {
        double before = 0;
        double after = 0;
        for (const std::size_t u : neighbours)
            (place_[u] < place_[one] ? before : after) += u == one ? 0 : 1;
        return std::abs(before - after);
    }

    /// Chooses arcs between two layers to be straight, the strongest first, none crossing another.
    void align(std::size_t at, bool bends) {
        struct Arc {
            double pull, off;
            std::size_t up, down;
        };
        std::vector<Arc> arcs;
        for (const std::size_t u : graph_.order[at])
            for (const std::size_t v : graph_.below[u])
                if (bends || (!graph_.bend(u) && !graph_.bend(v)))
                    arcs.push_back({pull(graph_, u, v),
                                    offMiddle(graph_.below[u], v) + offMiddle(graph_.above[v], u), u, v});
        std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) {
            return a.pull != b.pull ? a.pull > b.pull : a.off < b.off;
        });
        std::map<std::size_t, std::size_t> straight; // place above -> place below
        for (const Arc& arc : arcs) {
            if (below_[arc.up] != no_place || above_[arc.down] != no_place)
                continue;
            const auto next = straight.upper_bound(place_[arc.up]);
            if (next != straight.end() && next->second < place_[arc.down])
                continue;
            if (next != straight.begin() && std::prev(next)->second > place_[arc.down])
                continue;
            straight[place_[arc.up]] = place_[arc.down];
            below_[arc.up] = arc.down;
            above_[arc.down] = arc.up;
        }
    }

    void gather() {
        for (std::size_t v = 0; v < column_.size(); ++v) {
            if (above_[v] != no_place)
                continue;
            members_.emplace_back();
            for (std::size_t u = v; u != no_place; u = below_[u]) {
                column_[u] = members_.size() - 1;
                members_.back().push_back(u);
            }
        }
        x_.assign(members_.size(), 0);
    }

    /// Columns from left to right. There is no cycle: columns do not cross, and those that share no layer are
    /// only ordered by columns between them.
    void sort() {
        std::vector<std::size_t> waits(members_.size(), 0);
        for (std::size_t v = 0; v < column_.size(); ++v)
            waits[column_[v]] += leftOf(v) == no_place ? 0 : 1;
        for (std::size_t c = 0; c < waits.size(); ++c)
            if (waits[c] == 0)
                order_.push_back(c);
        for (std::size_t i = 0; i < order_.size(); ++i)
            for (const std::size_t v : members_[order_[i]])
                if (const std::size_t right = rightOf(v); right != no_place && --waits[column_[right]] == 0)
                    order_.push_back(column_[right]);
    }

    void pack() {
        for (const std::size_t c : order_)
            for (const std::size_t v : members_[c])
                x_[c] = std::max(x_[c], leftLimit(v));
    }

    double leftLimit(std::size_t v) const {
        const std::size_t left = leftOf(v);
        return left == no_place ? graph_.width[v] / 2 : x_[column_[left]] + distance(left, v);
    }

    void move(std::size_t c) {
        struct Wish {
            double x, weight;
        };
        std::vector<Wish> wishes;
        double low = -HUGE_VAL;
        double high = HUGE_VAL;
        double sum = 0;
        for (const std::size_t v : members_[c]) {
            if (leftOf(v) != no_place)
                low = std::max(low, leftLimit(v));
            if (const std::size_t right = rightOf(v); right != no_place)
                high = std::min(high, x_[column_[right]] - distance(v, right));
            for (const auto* neighbours : {&graph_.above[v], &graph_.below[v]})
                for (const std::size_t u : *neighbours)
                    if (column_[u] != c) {
                        wishes.push_back({x_[column_[u]], pull(graph_, u, v)});
                        sum += wishes.back().weight;
                    }
        }
        if (wishes.empty() || low > high)
            return;
        std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) { return a.x < b.x; });
        double before = 0;
        std::size_t i = 0; // the weighted median; between two equal halves their middle
        while (i + 1 < wishes.size() && (before += wishes[i].weight) * 2 < sum)
            ++i;
        const bool even = before * 2 == sum && i + 1 < wishes.size();
        const double wish = even ? (wishes[i].x + wishes[i + 1].x) / 2 : wishes[i].x;
        x_[c] = std::clamp(wish, low, high);
    }

    const ProperGraph& graph_;
    LayoutSpacing spacing_;
    std::vector<std::size_t> place_;                ///< by vertex: within its layer
    std::vector<std::size_t> below_, above_;        ///< by vertex: its neighbour in the same column
    std::vector<std::size_t> column_;               ///< by vertex
    std::vector<std::vector<std::size_t>> members_; ///< by column, from top to bottom
    std::vector<double> x_;                         ///< by column
    std::vector<std::size_t> order_;                ///< columns from left to right
};

} // namespace

std::vector<double> assign_positions(const ProperGraph& graph, const LayoutSpacing& spacing,
                                     const CancelToken* cancel) {
    std::optional<Columns> columns;
    for (const Straight straight : {Straight::All, Straight::BetweenNodes, Straight::No}) {
        columns.emplace(graph, spacing, straight);
        constexpr double acceptable = 1.6;
        if (columns->width() <= acceptable * columns->widestLayer())
            break;
    }
    constexpr int rounds = 8;
    for (int round = 0; round < rounds && (cancel == nullptr || !cancel->cancelled()); ++round)
        columns->relax();
    return columns->positions();
}

} // namespace tilescope::ui
