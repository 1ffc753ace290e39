// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/graph_dot.h"

#include <map>
#include <utility>
#include <vector>

namespace tilescope::exports {
namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
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

void write_node(std::ostream& out, const profile::OperationRecord& op, const char* indent) {
    out << indent << "op" << op.id << " [label=" << quoted(op.name + "\n" + op.kind) << ", fillcolor=\""
        << fill(op.phase) << "\", tooltip=" << quoted(to_string(op.phase)) << "];\n";
}

} // namespace

Result<void> graph_dot(const profile::Profile& profile, std::ostream& out) {
    const auto run = profile.run();
    const auto layers = profile.layers();
    const auto tensors = profile.tensors();
    const auto operations = profile.operations();
    for (const Error* error :
         {run ? nullptr : &run.error(), layers ? nullptr : &layers.error(),
          tensors ? nullptr : &tensors.error(), operations ? nullptr : &operations.error()})
        if (error != nullptr)
            return Failure(*error);

    out << "digraph " << quoted(run->name) << " {\n"
        << "    rankdir=TB;\n    node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\"];\n"
        << "    edge [fontname=\"sans-serif\", fontsize=9];\n";
    std::map<std::int64_t, std::vector<const profile::OperationRecord*>> by_layer;
    std::map<std::int64_t, std::int64_t> maker; // operation by tensor
    for (const auto& op : *operations) {
        by_layer[op.layer_id].push_back(&op);
        for (const std::int64_t tensor : op.outputs)
            maker[tensor] = op.id;
    }
    std::map<std::int64_t, const profile::LayerRecord*> layer_by_id;
    for (const auto& layer : *layers)
        layer_by_id[layer.id] = &layer;
    for (const auto& [id, members] : by_layer) {
        const auto layer = layer_by_id.find(id);
        const bool clustered = layer != layer_by_id.end();
        if (clustered)
            out << "    subgraph cluster_layer" << id
                << " {\n        label=" << quoted(layer->second->name + " (" + layer->second->kind + ")")
                << ";\n        style=\"rounded\"; color=\"#888888\";\n";
        for (const auto* op : members)
            write_node(out, *op, clustered ? "        " : "    ");
        if (clustered)
            out << "    }\n";
    }
    std::map<std::int64_t, const profile::TensorRecord*> tensor_by_id;
    for (const auto& tensor : *tensors)
        tensor_by_id[tensor.id] = &tensor;
    std::map<std::int64_t, bool> drawn;
    for (const auto& op : *operations)
        for (const std::int64_t id : op.inputs) {
            const auto found = tensor_by_id.find(id);
            const std::string name =
                found == tensor_by_id.end() ? "tensor " + std::to_string(id) : found->second->name;
            const std::string type =
                found == tensor_by_id.end() ? std::string() : found->second->dtype + found->second->shape;
            const auto from = maker.find(id);
            if (from == maker.end() && !std::exchange(drawn[id], true))
                out << "    t" << id << " [label=" << quoted(name)
                    << ", shape=oval, style=\"filled\", fillcolor=\"#eeeeee\"];\n";
            out << "    "
                << (from == maker.end() ? "t" + std::to_string(id) : "op" + std::to_string(from->second))
                << " -> op" << op.id << " [label=" << quoted(type) << "];\n";
        }
    out << "}\n";
    return {};
}

} // namespace tilescope::exports
