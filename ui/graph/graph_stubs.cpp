// SPDX-License-Identifier: GPL-3.0-or-later
// Which lines are drawn at their ends alone.
#include "ui/graph/graph_scene.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t most_readers = 12; ///< of a tensor whose lines are drawn
constexpr std::size_t least_bundle = 10; ///< of lines that go far; fewer can be followed
constexpr double far_rows = 4;           ///< between two boxes of a line that goes far

profile::Phase phase_of(const OperationGraph& graph, const GraphBox& box) {
    return box.kind == GraphBox::Kind::Node ? graph.nodes[box.index].phase : graph.groups[box.index].phase;
}

/// Lines of tensors that more boxes read than can be told apart.
std::set<std::size_t> read_by_many(const GraphScene& scene) {
    std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> readers; // by box and tensor
    for (const GraphLine& line : scene.lines)
        for (const std::size_t tensor : line.tensors)
            readers[{line.from, tensor}].insert(line.to);
    std::set<std::size_t> lines;
    for (std::size_t l = 0; l < scene.lines.size(); ++l) {
        const GraphLine& line = scene.lines[l];
        if (std::all_of(line.tensors.begin(), line.tensors.end(), [&](std::size_t tensor) {
                return readers.at({line.from, tensor}).size() > most_readers;
            }))
            lines.insert(l);
    }
    return lines;
}

std::set<std::size_t> far_lines(const OperationGraph& graph, const GraphMetrics& metrics,
                                const GraphScene& scene) {
    std::set<std::size_t> lines;
    for (std::size_t l = 0; l < scene.lines.size(); ++l) {
        const GraphBox& from = scene.boxes[scene.lines[l].from];
        const GraphBox& to = scene.boxes[scene.lines[l].to];
        const bool back = phase_of(graph, from) == profile::Phase::Forward &&
                          (phase_of(graph, to) == profile::Phase::Backward ||
                           phase_of(graph, to) == profile::Phase::Recompute);
        const double apart = std::abs(from.rect.center().y() - to.rect.center().y()) -
                             (from.rect.height() + to.rect.height()) / 2;
        if (back && apart > far_rows * metrics.cardHeight())
            lines.insert(l);
    }
    return lines.size() < least_bundle ? std::set<std::size_t>() : lines;
}

/// What stands at the right of a stub, in its height, leaves it that much room.
void endBeforeOthers(GraphScene& scene) {
    constexpr double apart = 4, least = 8;
    const auto end = [&](QRectF& rect, const QRectF& other) {
        if (other.left() > rect.left() && other.left() < rect.right() + apart &&
            other.top() < rect.bottom() && other.bottom() > rect.top())
            rect.setRight(std::max(rect.left() + least, other.left() - apart));
    };
    for (GraphStub& stub : scene.stubs) {
        for (const GraphBox& box : scene.boxes)
            if (box.kind != GraphBox::Kind::Frame)
                end(stub.rect, box.rect);
        for (const GraphStub& other : scene.stubs)
            end(stub.rect, other.rect);
    }
}

} // namespace

void makeStubs(const OperationGraph& graph, const GraphMetrics& metrics, GraphScene& scene) {
    std::set<std::size_t> lines = read_by_many(scene);
    lines.merge(far_lines(graph, metrics, scene));
    std::map<std::pair<std::size_t, bool>, GraphStub> stubs; // by box, and whether they lead away
    for (const std::size_t l : lines) {
        scene.lines[l].stub = true;
        for (const bool out : {true, false}) {
            const std::size_t box = out ? scene.lines[l].from : scene.lines[l].to;
            GraphStub& stub = stubs[{box, out}];
            stub.box = box;
            stub.out = out;
            stub.lines.push_back(l);
        }
    }
    constexpr double beside = 8, gap = 1, part = 0.8;
    constexpr double around = 18; // arrow, tick and air
    for (auto& [place, stub] : stubs) {
        std::stable_sort(stub.lines.begin(), stub.lines.end(), [&](std::size_t a, std::size_t b) {
            return scene.lines[a].bytes > scene.lines[b].bytes;
        });
        std::set<QString> ends; // those of a layer in several phases have one name
        for (const std::size_t line : stub.lines)
            ends.insert(nameOf(graph, scene.boxes[scene.farEnd(stub, line)]));
        stub.name = ends.size() == 1
                        ? *ends.begin()
                        : QCoreApplication::translate("GraphPainter", "%1 boxes").arg(stub.lines.size());
        const QRectF& box = scene.boxes[stub.box].rect;
        const double high = part * metrics.line;
        const double left = box.center().x() + beside;
        const double wide = std::max(static_cast<double>(stub.name.size()) * metrics.character + around,
                                     box.right() - beside - left);
        stub.rect = QRectF(left, stub.out ? box.bottom() + gap : box.top() - gap - high, wide, high);
        scene.stubs.push_back(std::move(stub));
    }
    endBeforeOthers(scene);
}

const GraphStub* GraphScene::stubAt(const QPointF& at) const {
    const auto found = std::find_if(stubs.begin(), stubs.end(),
                                    [&](const GraphStub& stub) { return stub.rect.contains(at); });
    return found == stubs.end() ? nullptr : &*found;
}

} // namespace tilescope::ui
