// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_scene.h"

#include "ui/widgets/geometry.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tilescope::ui {
namespace {

using profile::Phase;

int lane_of(Phase phase) {
    return phase == Phase::Forward ? 0 : phase == Phase::Update ? 2 : 1;
}

// A single number that many layers read, such as the scale of the loss, is a setting: its lines would hide
// those of the data.
constexpr std::int64_t most_bytes_of_a_setting = 4;
constexpr std::size_t most_readers_of_a_setting = 16;

constexpr double most_characters = 44; ///< in a box

double text_width(const GraphMetrics& m, const QString& text) {
    return static_cast<double>(text.size()) * m.character;
}

LayoutNode size_of(const GraphNode& node, const GraphMetrics& m) {
    const bool operation = node.kind == GraphNode::Kind::Operation;
    const double wanted = std::max(text_width(m, node.label) + (operation ? 7 * m.character : 0),
                                   text_width(m, node.type + node.shape));
    return {std::clamp(wanted + 3 * m.padding(), 15 * m.character, most_characters * m.character),
            operation ? m.cardHeight() : m.sourceHeight(), lane_of(node.phase)};
}

LayoutNode size_of(const GraphGroup& group, const GraphMetrics& m) {
    const double wanted =
        std::max(text_width(m, group.name) + 2 * m.line, text_width(m, group.kind) + 14 * m.character);
    return {std::clamp(wanted + 3 * m.padding(), 24 * m.character, most_characters * m.character),
            m.cardHeight(), lane_of(group.phase)};
}

/// Gradients flow back up, beside the operations that they belong to.
bool flows_up(const OperationGraph& graph, const GraphEdge& edge) {
    return graph.nodes[edge.from].phase != Phase::Forward && graph.nodes[edge.to].phase != Phase::Forward;
}

/// A group: folded or a single node, and then only a size; or unfolded, with a drawing of its own.
struct Item {
    bool open = false;
    LayoutNode size;
    Layout inner;
    std::vector<GraphEdge> edges;                                  ///< between members
    std::map<std::size_t, std::size_t> place;                      ///< of a member in `inner`
    std::map<std::pair<std::size_t, int>, std::size_t> gates;      ///< by (member, which): place in `inner`
    std::map<std::pair<std::size_t, int>, std::size_t> gate_edges; ///< the edge of `inner` to that gate
};

/// Which gate of a member an edge takes: bit 0 the edge comes in, bit 1 it passes the upper border.
int gate_of(bool incoming, bool up) {
    const bool over_the_top = incoming != up;
    return (incoming ? 1 : 0) | (over_the_top ? 2 : 0);
}

/// Those of hidden phases, and data and parameters that these alone use.
std::vector<bool> hiddenGroups(const OperationGraph& graph, const std::set<Phase>& phases) {
    std::vector<bool> hidden(graph.groups.size(), false);
    if (phases.empty())
        return hidden;
    const auto is_source = [&](std::size_t group) { // a block or stack of a phase goes as a whole
        return graph.groups[group].within == OperationGraph::no_group &&
               graph.nodes[graph.groups[group].members.front()].kind != GraphNode::Kind::Operation;
    };
    for (std::size_t g = 0; g < hidden.size(); ++g)
        hidden[g] = !is_source(g) && phases.contains(graph.groups[g].phase);
    std::vector<bool> used(graph.groups.size(), false);
    for (const GraphEdge& edge : graph.edges)
        if (!hidden[graph.nodes[edge.to].group])
            used[graph.nodes[edge.from].group] = true;
    for (std::size_t g = 0; g < hidden.size(); ++g)
        hidden[g] = hidden[g] || (is_source(g) && !used[g]);
    return hidden;
}

class SceneMaker {
  public:
    SceneMaker(const OperationGraph& graph, const GraphChoice& choice, const GraphMetrics& metrics,
               const CancelToken* cancel)
        : graph_(graph), m_(metrics), cancel_(cancel), items_(graph.groups.size()),
          place_(graph.groups.size(), GraphScene::no_box) {
        const std::vector<bool> hidden = hiddenGroups(graph, choice.hidden);
        for (std::size_t g = 0; g < items_.size(); ++g)
            items_[g].open = graph.groups[g].folds() && choice.unfolded.contains(graph.groups[g].key);
        for (std::size_t g = 0; g < graph.layer_groups; ++g) {
            unit_.push_back(g);
            for (const std::size_t holder : graph.holders(g))
                if (holder != g && !items_[holder].open)
                    unit_[g] = holder;
            if (hidden[g] || place_[unit_[g]] != GraphScene::no_box)
                continue;
            place_[unit_[g]] = shown_.size();
            shown_.push_back(unit_[g]);
        }
        std::map<std::size_t, std::set<std::size_t>> readers; // groups, by tensor
        for (const GraphEdge& edge : graph.edges)
            readers[edge.tensor].insert(graph.nodes[edge.to].group);
        for (const GraphEdge& edge : graph.edges)
            if (hidden[graph.nodes[edge.from].group] || hidden[graph.nodes[edge.to].group])
                continue;
            else if (groupOf(edge.from) == groupOf(edge.to))
                items_[groupOf(edge.from)].edges.push_back(edge);
            else if (graph.tensors[edge.tensor].bytes > most_bytes_of_a_setting ||
                     readers[edge.tensor].size() <= most_readers_of_a_setting)
                outer_.push_back(edge);
    }

    std::optional<GraphScene> make() {
        for (const std::size_t g : shown_)
            if (!layOutItem(g))
                return std::nullopt;
        collectOuter();
        LayoutSpacing spacing;
        spacing.between_layers += m_.titleHeight() * std::max(0, depthOfFrames() - 1);
        auto outer = layered_layout(sizes(), outer_edges_, spacing, cancel_);
        if (!outer)
            return std::nullopt;
        placeBoxes(*outer);
        for (const std::size_t g : shown_)
            if (items_[g].open)
                drawInner(g);
        drawOuter(*outer);
        scene_.bounds = QRectF(0, 0, outer->width, outer->height);
        moveIntoBounds();
        for (GraphLine& line : scene_.lines) {
            double left = line.route.front().x(), right = left;
            double top = line.route.front().y(), bottom = top;
            for (const QPointF& p : line.route) {
                left = std::min(left, p.x());
                right = std::max(right, p.x());
                top = std::min(top, p.y());
                bottom = std::max(bottom, p.y());
            }
            line.bounds = QRectF(QPointF(left, top), QPointF(right, bottom));
        }
        makeStubs(graph_, m_, scene_);
        return std::move(scene_);
    }

  private:
    /// Frames have borders around what is laid out: all lies in [0, width] x [0, height] again.
    void moveIntoBounds() {
        for (const GraphBox& box : scene_.boxes)
            scene_.bounds |= box.rect;
        const QPointF by = -scene_.bounds.topLeft();
        if (by.isNull())
            return;
        scene_.bounds.translate(by);
        for (GraphBox& box : scene_.boxes)
            box.rect.translate(by);
        for (GraphLine& line : scene_.lines)
            for (QPointF& point : line.route)
                point += by;
    }

    /// The group that a node is drawn in: that of its layer, or what this is folded into.
    std::size_t groupOf(std::size_t node) const { return unit_[graph_.nodes[node].group]; }

    bool layOutItem(std::size_t g) {
        Item& item = items_[g];
        const GraphGroup& group = graph_.groups[g];
        if (!item.open) {
            item.size = group.folds() ? size_of(group, m_) : size_of(graph_.nodes[group.members.front()], m_);
            return true;
        }
        std::vector<LayoutNode> nodes;
        std::vector<LayoutEdge> edges;
        for (const std::size_t n : group.members) {
            item.place[n] = nodes.size();
            nodes.push_back(size_of(graph_.nodes[n], m_));
        }
        for (const GraphEdge& edge : item.edges)
            edges.push_back({item.place[edge.from], item.place[edge.to], flows_up(graph_, edge), {}, {}});
        const auto add_gate = [&](std::size_t member, bool incoming, bool up) {
            const int which = gate_of(incoming, up);
            if (!item.gates.try_emplace({member, which}, nodes.size()).second)
                return;
            const bool top = (which & 2) != 0;
            item.gate_edges[{member, which}] = edges.size();
            const std::size_t inside = item.place[member];
            edges.push_back(top ? LayoutEdge{nodes.size(), inside, false, {}, {}}
                                : LayoutEdge{inside, nodes.size(), false, {}, {}});
            nodes.push_back({m_.character, 0, lane_of(group.phase), top ? Gate::Top : Gate::Bottom});
        };
        for (const GraphEdge& edge : outer_) {
            if (groupOf(edge.from) == g)
                add_gate(edge.from, false, flows_up(graph_, edge));
            if (groupOf(edge.to) == g)
                add_gate(edge.to, true, flows_up(graph_, edge));
        }
        auto inner = layered_layout(nodes, edges, {18, 18, 30, 10}, cancel_);
        if (!inner)
            return false;
        item.inner = std::move(*inner);
        item.size = {std::max(item.inner.width, text_width(m_, group.name) + 4 * m_.line) + 2 * m_.padding(),
                     item.inner.height + m_.titleHeight() + m_.padding(), lane_of(group.phase)};
        return true;
    }

    QPointF innerOrigin(std::size_t g) const { ///< of the inner drawing, from the middle of the frame
        const Item& item = items_[g];
        return {-item.inner.width / 2, -item.size.height / 2 + m_.titleHeight()};
    }

    std::vector<LayoutNode> sizes() const {
        std::vector<LayoutNode> result;
        for (const std::size_t g : shown_)
            result.push_back(items_[g].size);
        return result;
    }

    std::optional<double> portOf(std::size_t node, bool incoming, bool up) const {
        const Item& item = items_[groupOf(node)];
        if (!item.open)
            return {};
        const std::size_t gate = item.gates.at({node, gate_of(incoming, up)});
        return item.inner.centers[gate].x + innerOrigin(groupOf(node)).x();
    }

    /// Lines between groups: one for each pair of boxes that are joined.
    void collectOuter() {
        struct Ends {
            std::size_t from, to; ///< nodes where the group is open, else the group's first member
            bool up;
            bool operator<(const Ends& o) const {
                return std::tie(from, to, up) < std::tie(o.from, o.to, o.up);
            }
        };
        std::map<Ends, std::size_t> index;
        const auto end = [&](std::size_t node) {
            return items_[groupOf(node)].open ? node : graph_.groups[groupOf(node)].members.front();
        };
        for (const GraphEdge& edge : outer_) {
            const bool up = flows_up(graph_, edge);
            const Ends ends{end(edge.from), end(edge.to), up};
            const auto [found, fresh] = index.try_emplace(ends, outer_edges_.size());
            if (fresh) {
                outer_edges_.push_back({place_[groupOf(edge.from)], place_[groupOf(edge.to)], up,
                                        portOf(ends.from, false, up), portOf(ends.to, true, up)});
                outer_lines_.push_back({ends.from, ends.to, {}});
            }
            auto& tensors = outer_lines_[found->second].tensors;
            if (std::find(tensors.begin(), tensors.end(), edge.tensor) == tensors.end())
                tensors.push_back(edge.tensor);
        }
    }

    /// Unfolded blocks and stacks around what is drawn, within each other.
    int depthOfFrames() const {
        std::size_t depth = 0;
        for (const std::size_t g : shown_)
            depth = std::max(depth, graph_.holders(g).size() - 1);
        return static_cast<int>(depth);
    }

    static QRectF rectAt(const LayoutPoint& center, const LayoutNode& size) {
        return {center.x - size.width / 2, center.y - size.height / 2, size.width, size.height};
    }

    /// Frames around what blocks and stacks hold, where nothing else stands between it.
    void placeFrames(const Layout& outer) {
        std::map<std::size_t, QRectF> around; // by group
        std::map<std::size_t, QRectF> held;   // the same, without borders
        std::vector<std::pair<QRectF, std::vector<std::size_t>>> units;
        for (const std::size_t g : shown_) {
            units.emplace_back(rectAt(outer.centers[place_[g]], items_[g].size), graph_.holders(g));
            auto& [rect, holders] = units.back();
            holders.erase(holders.begin());
            QRectF with_borders = rect;
            for (const std::size_t holder : holders) {
                held[holder] |= rect;
                with_borders.adjust(-m_.padding() / 2, -m_.titleHeight(), m_.padding() / 2, m_.padding() / 2);
                around[holder] |= with_borders;
            }
        }
        // What holds others comes behind them among the groups, and before them among the boxes.
        for (auto frame = around.rbegin(); frame != around.rend(); ++frame) {
            const std::size_t group = frame->first;
            const bool alone = std::all_of(units.begin(), units.end(), [&](const auto& unit) {
                const auto& [rect, holders] = unit;
                return !held.at(group).intersects(rect) ||
                       std::find(holders.begin(), holders.end(), group) != holders.end();
            });
            if (alone)
                scene_.boxes.push_back({GraphBox::Kind::Frame, group, frame->second});
        }
    }

    void placeBoxes(const Layout& outer) {
        scene_.box_of_node.assign(graph_.nodes.size(), GraphScene::no_box);
        placeFrames(outer);
        for (const std::size_t g : shown_) {
            const Item& item = items_[g];
            const GraphGroup& group = graph_.groups[g];
            const std::size_t box = scene_.boxes.size();
            const auto kind = item.open       ? GraphBox::Kind::Frame
                              : group.folds() ? GraphBox::Kind::Group
                                              : GraphBox::Kind::Node;
            scene_.boxes.push_back({kind, kind == GraphBox::Kind::Node ? group.members.front() : g,
                                    rectAt(outer.centers[place_[g]], item.size)});
            for (const std::size_t n : group.members)
                scene_.box_of_node[n] = box;
            if (!item.open)
                continue;
            origins_[g] = scene_.boxes.back().rect.center() + innerOrigin(g);
            for (const std::size_t n : group.members) {
                const LayoutPoint at = item.inner.centers[item.place.at(n)];
                scene_.box_of_node[n] = scene_.boxes.size();
                scene_.boxes.push_back(
                    {GraphBox::Kind::Node, n,
                     rectAt({at.x + origins_[g].x(), at.y + origins_[g].y()}, size_of(graph_.nodes[n], m_))});
            }
        }
    }

    std::vector<QPointF> moved(const std::vector<LayoutPoint>& route, const QPointF& by) const {
        std::vector<QPointF> result;
        result.reserve(route.size());
        for (const LayoutPoint& p : route)
            result.emplace_back(p.x + by.x(), p.y + by.y());
        return result;
    }

    void addLine(std::size_t from, std::size_t to, std::vector<QPointF> route,
                 std::vector<std::size_t> tensors) {
        if (route.size() < 2)
            return;
        const std::int64_t bytes = analyse::bytes_along(graph_.tensors, tensors);
        scene_.lines.push_back({scene_.box_of_node[from],
                                scene_.box_of_node[to],
                                std::move(route),
                                std::move(tensors),
                                bytes,
                                {},
                                false});
    }

    void drawInner(std::size_t g) {
        const Item& item = items_[g];
        for (std::size_t e = 0; e < item.edges.size(); ++e)
            addLine(item.edges[e].from, item.edges[e].to, moved(item.inner.routes[e], origins_[g]),
                    {item.edges[e].tensor});
    }

    /// The way from a member to the border of its frame, or from the border to the member.
    std::vector<QPointF> gateRoute(std::size_t node, bool incoming, bool up) const {
        const std::size_t g = groupOf(node);
        const int which = gate_of(incoming, up);
        auto route = moved(items_[g].inner.routes[items_[g].gate_edges.at({node, which})], origins_.at(g));
        const bool top = (which & 2) != 0;
        if (top != incoming) // gates on top have edges that lead in, those below edges that lead out
            std::reverse(route.begin(), route.end());
        return route;
    }

    void drawOuter(const Layout& outer) {
        for (std::size_t e = 0; e < outer_edges_.size(); ++e) {
            auto& line = outer_lines_[e];
            const bool up = outer_edges_[e].upward;
            auto route = moved(outer.routes[e], {});
            const bool as_planned =
                !route.empty() && (route.back().y() < route.front().y()) == up; // else a cycle was broken
            if (items_[groupOf(line.from)].open) {
                auto way =
                    as_planned ? gateRoute(line.from, false, up) : std::vector<QPointF>{centerOf(line.from)};
                route.insert(route.begin(), way.begin(), way.end());
            }
            if (items_[groupOf(line.to)].open) {
                auto way =
                    as_planned ? gateRoute(line.to, true, up) : std::vector<QPointF>{centerOf(line.to)};
                route.insert(route.end(), way.begin(), way.end());
            }
            addLine(line.from, line.to, std::move(route), std::move(line.tensors));
        }
    }

    QPointF centerOf(std::size_t node) const { return scene_.boxes[scene_.box_of_node[node]].rect.center(); }

    struct OuterLine {
        std::size_t from, to; ///< nodes
        std::vector<std::size_t> tensors;
    };

    const OperationGraph& graph_;
    GraphMetrics m_;
    const CancelToken* cancel_;
    std::vector<Item> items_;        ///< by group
    std::vector<std::size_t> shown_; ///< groups
    std::vector<std::size_t> place_; ///< of a group in `shown_`; no_box: hidden, or not drawn on its own
    std::vector<std::size_t> unit_;  ///< by group of a layer
    std::vector<GraphEdge> outer_;   ///< between groups
    std::vector<LayoutEdge> outer_edges_;
    std::vector<OuterLine> outer_lines_; ///< by outer edge
    std::map<std::size_t, QPointF> origins_;
    GraphScene scene_;
};

} // namespace

std::set<std::size_t> neighbourhood(const GraphScene& scene, const std::set<std::size_t>& from, int lines) {
    std::set<std::size_t> reached;
    for (const std::size_t box : from) {
        reached.insert(box);
        for (std::size_t b = 0; scene.boxes[box].kind == GraphBox::Kind::Frame && b < scene.boxes.size(); ++b)
            if (scene.boxes[box].rect.contains(scene.boxes[b].rect))
                reached.insert(b);
    }
    for (int step = 0; step < lines; ++step) {
        std::set<std::size_t> next = reached;
        for (const GraphLine& line : scene.lines) {
            if (reached.contains(line.from))
                next.insert(line.to);
            if (reached.contains(line.to))
                next.insert(line.from);
        }
        reached = std::move(next);
    }
    return reached;
}

std::size_t GraphScene::boxAt(const QPointF& at) const {
    std::size_t found = no_box;
    for (std::size_t b = 0; b < boxes.size(); ++b)
        if (boxes[b].rect.contains(at))
            found = b; // what is inside comes after its frame
    return found;
}

std::size_t GraphScene::lineAt(const QPointF& at, double within) const {
    std::size_t found = no_box;
    double nearest = within;
    for (std::size_t l = 0; l < lines.size(); ++l) {
        if (lines[l].stub || !lines[l].bounds.adjusted(-within, -within, within, within).contains(at))
            continue;
        for (std::size_t i = 0; i + 1 < lines[l].route.size(); ++i) {
            const double distance = distanceToLine(at, lines[l].route[i], lines[l].route[i + 1]);
            if (distance < nearest) {
                nearest = distance;
                found = l;
            }
        }
    }
    return found;
}

QString nameOf(const OperationGraph& graph, const GraphBox& box) {
    if (box.kind != GraphBox::Kind::Node)
        return graph.groups[box.index].name;
    const GraphNode& node = graph.nodes[box.index];
    const GraphGroup& group = graph.groups[node.group];
    return !group.folds() && group.layer >= 0 ? group.name : node.label;
}

std::optional<GraphScene> layOutGraph(const OperationGraph& graph, const GraphChoice& choice,
                                      const GraphMetrics& metrics, const CancelToken* cancel) {
    return SceneMaker(graph, choice, metrics, cancel).make();
}

} // namespace tilescope::ui
