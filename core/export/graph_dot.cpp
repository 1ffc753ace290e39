// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/graph_dot.h"

#include "base/text.h"
#include "markup.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::exports {
namespace {

std::string in_quotes(const std::string& text) {
    std::string out = "\"";
    for (const char c : shown_text(text)) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + '"';
}

/// Dark text reads on all of them, and they differ in lightness for colour-blind readers.
const char* fill(profile::Phase phase) {
    switch (phase) {
    case profile::Phase::Recompute:
        return "#c7e3f0";
    case profile::Phase::Backward:
        return "#f4a582";
    case profile::Phase::Update:
        return "#ffe699";
    case profile::Phase::Forward:
        break;
    }
    return "#92c5de";
}

using Group = std::pair<std::int64_t, profile::Phase>; ///< what a layer does in one phase

/// The graph of a run as it is written.
class Graph {
  public:
    Graph(const std::vector<profile::LayerRecord>& layers, const std::vector<profile::TensorRecord>& tensors,
          const std::vector<profile::OperationRecord>& operations);
    void write(std::ostream& out) const;

  private:
    struct Node {
        std::string id, attributes;
    };
    void add_operation(const profile::OperationRecord& op);
    void add_inputs(const profile::OperationRecord& op);
    std::string tensor_text(std::int64_t id) const; ///< its type and shape

    std::map<std::int64_t, const profile::LayerRecord*> layers_;
    std::map<std::int64_t, const profile::TensorRecord*> tensors_;
    std::map<std::int64_t, const profile::OperationRecord*> maker_; ///< by tensor
    std::map<Group, std::vector<Node>> groups_;
    std::map<std::pair<Group, std::int64_t>, std::string> carried_; ///< node of a tensor in a group
    std::vector<std::pair<std::string, std::string>> edges_;
};

Graph::Graph(const std::vector<profile::LayerRecord>& layers,
             const std::vector<profile::TensorRecord>& tensors,
             const std::vector<profile::OperationRecord>& operations) {
    for (const auto& layer : layers)
        layers_[layer.id] = &layer;
    for (const auto& tensor : tensors)
        tensors_[tensor.id] = &tensor;
    for (const auto& op : operations)
        for (const std::int64_t tensor : op.outputs)
            maker_[tensor] = &op;
    for (const auto& op : operations) {
        add_operation(op);
        add_inputs(op);
    }
}

std::string Graph::tensor_text(std::int64_t id) const {
    const auto tensor = tensors_.find(id);
    return tensor == tensors_.end() ? std::string()
                                    : to_string(tensor->second->dtype) + tensor->second->shape;
}

void Graph::add_operation(const profile::OperationRecord& op) {
    std::string label = op.name + "\n" + op.kind;
    for (const std::int64_t output : op.outputs)
        label += "\n" + tensor_text(output);
    groups_[{op.layer_id, op.phase}].push_back(
        {"op" + std::to_string(op.id), "label=" + in_quotes(label) + ", fillcolor=\"" + fill(op.phase) +
                                           "\", tooltip=" + in_quotes(to_string(op.phase))});
}

void Graph::add_inputs(const profile::OperationRecord& op) {
    const std::string to = "op" + std::to_string(op.id);
    const Group group{op.layer_id, op.phase};
    for (const std::int64_t id : op.inputs) {
        const auto maker = maker_.find(id);
        if (maker != maker_.end() && maker->second->phase == op.phase) {
            edges_.emplace_back("op" + std::to_string(maker->second->id), to);
            continue;
        }
        const auto [node, made] = carried_.try_emplace({group, id}, "t" + std::to_string(carried_.size()));
        edges_.emplace_back(node->second, to);
        if (!made)
            continue;
        const auto tensor = tensors_.find(id);
        const std::string name =
            tensor == tensors_.end() ? "tensor " + std::to_string(id) : tensor->second->name;
        const char* colour = maker == maker_.end() ? "#eeeeee" : fill(maker->second->phase);
        groups_[group].push_back({node->second, "label=" + in_quotes(name + "\n" + tensor_text(id)) +
                                                    ", shape=oval, style=\"filled\", fillcolor=\"" + colour +
                                                    "\""});
    }
}

void Graph::write(std::ostream& out) const {
    std::size_t clusters = 0;
    for (const auto& [group, nodes] : groups_) {
        const auto layer = layers_.find(group.first);
        const bool clustered = layer != layers_.end();
        if (clustered)
            out << "    subgraph cluster" << clusters++ << " {\n        label="
                << in_quotes(layer->second->name + " (" + layer->second->kind + "), " +
                             to_string(group.second))
                << ";\n        style=\"rounded\"; color=\"#888888\";\n";
        for (const Node& node : nodes)
            out << (clustered ? "        " : "    ") << node.id << " [" << node.attributes << "];\n";
        if (clustered)
            out << "    }\n";
    }
    for (const auto& [from, to] : edges_)
        out << "    " << from << " -> " << to << ";\n";
}

std::string node_of(const Group& group) {
    return "layer" + std::to_string(group.first) + "_" + to_string(group.second);
}

void write_layers(const std::vector<profile::LayerRecord>& layers,
                  const std::vector<profile::OperationRecord>& operations, std::ostream& out) {
    std::map<std::int64_t, const profile::LayerRecord*> by_id;
    for (const auto& layer : layers)
        by_id[layer.id] = &layer;
    std::map<std::int64_t, const profile::OperationRecord*> maker; // by tensor
    std::map<Group, std::int64_t> counts;
    for (const auto& op : operations) {
        for (const std::int64_t tensor : op.outputs)
            maker[tensor] = &op;
        ++counts[{op.layer_id, op.phase}];
    }
    const auto has_layer = [&](const profile::OperationRecord& op) { return by_id.contains(op.layer_id); };
    const auto node = [&](const profile::OperationRecord& op) {
        return has_layer(op) ? node_of({op.layer_id, op.phase}) : "op" + std::to_string(op.id);
    };
    const auto write = [&](const std::string& id, const std::string& label, profile::Phase phase) {
        out << "    " << id << " [label=" << in_quotes(label) << ", fillcolor=\"" << fill(phase)
            << "\", tooltip=" << in_quotes(to_string(phase)) << "];\n";
    };
    for (const auto& [group, count] : counts)
        if (const auto layer = by_id.find(group.first); layer != by_id.end())
            write(node_of(group),
                  layer->second->name + "\n" + layer->second->kind + ", " + to_string(group.second) + "\n" +
                      count_text(count) + (count == 1 ? " operation" : " operations"),
                  group.second);
    std::set<std::pair<std::string, std::string>> edges;
    for (const auto& op : operations) {
        if (!has_layer(op))
            write(node(op), op.name + "\n" + op.kind, op.phase);
        for (const std::int64_t tensor : op.inputs)
            if (const auto from = maker.find(tensor);
                from != maker.end() && from->second->phase == op.phase && node(*from->second) != node(op))
                edges.emplace(node(*from->second), node(op));
    }
    for (const auto& [from, to] : edges)
        out << "    " << from << " -> " << to << ";\n";
}

} // namespace

Result<void> graph_dot(const profile::Profile& profile, std::ostream& out, GraphNodes nodes) {
    const auto run = profile.run();
    const auto layers = profile.layers();
    const auto tensors = profile.tensors();
    const auto operations = profile.operations();
    for (const Error* error :
         {run ? nullptr : &run.error(), layers ? nullptr : &layers.error(),
          tensors ? nullptr : &tensors.error(), operations ? nullptr : &operations.error()})
        if (error != nullptr)
            return Failure(*error);

    const bool by_layers = nodes == GraphNodes::Layers ||
                           (nodes == GraphNodes::Automatic && operations->size() > most_operations);
    // Ranks are found for the whole graph (newrank): dot gives up where layers lead to each other and back,
    // as those of a shared layer do, and it ranks each on its own.
    out << "// Written by tilescope.\n"
        << (by_layers && nodes == GraphNodes::Automatic
                ? "// A node for what a layer does in a phase: there are " +
                      count_text(static_cast<std::int64_t>(operations->size())) +
                      " operations, and --by operation has a node for each.\n"
                : std::string())
        << "digraph " << in_quotes(run->name) << " {\n"
        << "    rankdir=TB; newrank=true;\n    fontname=\"sans-serif\";\n"
        << "    node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"];\n";
    if (by_layers)
        write_layers(*layers, *operations, out);
    else
        Graph(*layers, *tensors, *operations).write(out);
    out << "}\n";
    return {};
}

} // namespace tilescope::exports
