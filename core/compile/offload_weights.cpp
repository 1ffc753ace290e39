// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "remote_variables.h"
#include "reordering.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::OpId;
using graph::ValueId;

/// Readies trained weights for streaming memory, which the pass behind this one gives them. Those that the
/// passes only read as float16, which have a float32 master copy, keep a float16 copy on the tiles, made anew
/// by each update. Others are loaded for each pass of each stage that reads them, or gathered from the
/// replicas that share them (`offload_weights` and `replicated_weight_sharding` of IPU TensorFlow,
/// driver/passes/variables_offload_and_partition.cc).
class Weights {
  public:
    explicit Weights(const Compilation& c)
        : graph_(c.graph()), order_(c), users_(graph_.users()), sharers_(sharers_of(true, c.options)) {
        for (std::size_t i = 0; i < graph_.variables.size(); ++i) {
            const graph::Variable& variable = graph_.variables[i];
            if (!trained(variable))
                continue;
            const std::vector<OpId>& readers = entry(users_, variable.value);
            if (std::all_of(readers.begin(), readers.end(),
                            [&](OpId id) { return updates(id) || is_cast_to_half(id); }))
                masters_.push_back(i);
            else
                direct_.insert(variable.value.value);
        }
    }

    Result<void> run() {
        for (const std::size_t i : masters_)
            TRY(add_copy(i));
        TRY(auto ordered, order_.each([&](Operation& op) -> Result<void> {
            if (dropped_.contains(op.id.value))
                return {};
            for (ValueId& input : op.inputs) {
                if (const auto copy = copies_.find(input.value); copy != copies_.end())
                    input = copy->second;
                else if (op.phase != Phase::Update && direct_.contains(input.value)) {
                    TRY(input, loaded(input, op));
                }
            }
            order_.place(op);
            for (const ValueId made : op.outputs)
                if (const auto copy = copy_of_.find(made.value); copy != copy_of_.end()) {
                    graph::Variable& variable = graph_.variables[copy->second];
                    TRY(variable.next, order_.emit("cast", {made}, {{"dtype", std::string("float16")}},
                                                   variable.name + "/new"));
                }
            return {};
        }));
        graph_.set_operations(std::move(ordered));
        return {};
    }

    std::string said() const {
        if (masters_.empty() && loads_.empty())
            return "no weights to offload";
        return counted_text(static_cast<std::int64_t>(masters_.size()), "master copy", "master copies") +
               ", " + counted_text(static_cast<std::int64_t>(loads_.size()), "load") +
               " of weights for the passes";
    }

  private:
    bool updates(OpId id) const { return graph_.operation(id).phase == Phase::Update; }
    bool is_cast_to_half(OpId id) const {
        const Operation& op = graph_.operation(id);
        return op.kind == "cast" && graph_.type(op.inputs[0]).dtype == graph::DType::Float32 &&
               graph_.type(op.outputs[0]).dtype == graph::DType::Float16;
    }
    bool trained(const graph::Variable& variable) const {
        return variable.trainable &&
               graph_.type(variable.value).bytes().value >= least_remote_bytes * sharers_ &&
               only_update_sets(graph_, variable);
    }

    /// The float16 copy of a master, in the place of the casts of it.
    Result<void> add_copy(std::size_t master) {
        const graph::Variable variable = graph_.variables[master];
        order_.build.scope = {};
        order_.build.scope.layer = variable.layer;
        TRY(const ValueId copy, order_.build.variable(variable.name + "/float16",
                                                      variable.initial.as(graph::DType::Float16), false));
        for (const OpId reader : entry(users_, variable.value))
            if (!updates(reader)) {
                dropped_.insert(reader.value);
                copies_[graph_.operation(reader).outputs[0].value] = copy;
            }
        copy_of_[variable.next.value] = graph_.variables.size() - 1;
        return {};
    }

    /// As a pass of a stage reads a weight.
    Result<ValueId> loaded(ValueId weight, const Operation& reader) {
        const bool forward = reader.phase == Phase::Forward;
        const auto [found, fresh] =
            loads_.try_emplace({weight.value, forward, reader.placement.shard}, graph::no_value);
        if (fresh) {
            const std::string pass = forward ? "forward" : "backward";
            const graph::Value& value = graph_.value(weight);
            graph::Attributes attributes{{"reader", pass}};
            if (sharers_ > 1)
                attributes.set("replicas", sharers_);
            TRY(found->second,
                order_.emit("remote_load", {weight}, std::move(attributes), value.name + "/load/" + pass));
        }
        return found->second;
    }

    graph::Graph& graph_;
    Reordering order_;
    const std::vector<std::vector<OpId>> users_;  ///< by value
    std::int64_t sharers_;                        ///< replicas that share each weight
    std::vector<std::size_t> masters_;            ///< variables
    std::set<std::int32_t> direct_;               ///< values of variables that passes read as they are
    std::set<std::int32_t> dropped_;              ///< casts of masters
    std::map<std::int32_t, ValueId> copies_;      ///< by what a cast gives: the variable in its place
    std::map<std::int32_t, std::size_t> copy_of_; ///< by the next value of a master: its copy, a variable
    std::map<std::tuple<std::int32_t, bool, std::int32_t>, ValueId> loads_;
};

} // namespace

Result<std::string> offload_weights(Compilation& c) {
    if (!c.options.offload_weights)
        return std::string("all weights stay on tiles");
    Weights weights(c);
    TRY(weights.run());
    return weights.said();
}

} // namespace tilescope::compile
