// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "reordering.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::no_value;
using graph::Operation;
using graph::OpId;
using graph::Source;
using graph::ValueId;

/// An update of a variable whose state is shared.
struct SharedUpdate {
    ValueId variable = no_value; ///< whole on each replica
    ValueId share = no_value;    ///< of it, once it is taken
};

/// Lets each replica update a share of a variable, of whose state, in streaming memory, it has that share:
/// the gradient is reduce-scattered, the variable's own share taken, and the shares of its next value
/// gathered (IPU TensorFlow, driver/passes/variables_offload_and_partition.cc and
/// replicated_resource_update_elementwise_clustering.cc; PopART
/// willow/src/transforms/streamingmemoryopinserter.cpp). What follows the update, as LAMB's step along its
/// direction, works on the whole again.
class Sharding {
  public:
    explicit Sharding(const Compilation& c) : c_(c), graph_(c.graph()), order_(c), users_(graph_.users()) {
        for (const Operation& op : graph_.operations()) {
            if (op.phase != Phase::Update || op.inputs.empty() || !is_trained(op.inputs[0]))
                continue;
            bool shares = false;
            for (const ValueId input : op.inputs)
                if (const Operation* load = maker(input);
                    load != nullptr && load->kind == "remote_load" &&
                    graph_.type(input).shape == graph_.type(op.inputs[0]).shape) {
                    of_load_[load->id.value] = op.id.value;
                    shares = true;
                }
            if (!shares)
                continue;
            updates_[op.id.value] = {op.inputs[0]};
            scatter_for(op);
        }
    }

    Result<void> run() {
        TRY(auto ordered, order_.each([&](Operation& op) -> Result<void> {
            for (ValueId& input : op.inputs)
                if (const auto found = gathered_.find(input.value); found != gathered_.end())
                    input = found->second;
            if (const auto update = of_load_.find(op.id.value); update != of_load_.end()) {
                TRY(op.inputs, on_share(op, updates_.at(update->second)));
            } else if (const auto scattered = scattered_.find(op.id.value); scattered != scattered_.end()) {
                op.kind = "reduce_scatter";
                op.inputs.push_back(scattered->second);
            }
            if (on_shares_.contains(op.id.value))
                op.attributes.set("shares", replicas());
            const auto update = updates_.find(op.id.value);
            if (update != updates_.end())
                op.inputs[0] = update->second.share;
            order_.place(op);
            return update == updates_.end() ? Result<void>() : gather(op, update->second);
        }));
        graph_.set_operations(std::move(ordered));
        return {};
    }

    std::size_t count() const { return updates_.size(); }

  private:
    std::int64_t replicas() const { return c_.options.schedule.replicas; }

    const Operation* maker(ValueId id) const {
        const graph::Value& value = graph_.value(id);
        return value.source == Source::Operation ? &graph_.operation(value.producer) : nullptr;
    }
    graph::Variable* variable_of(ValueId id) {
        const graph::Value& value = graph_.value(id);
        return value.source == Source::Variable ? &graph_.variables[static_cast<std::size_t>(value.index)]
                                                : nullptr;
    }
    bool is_trained(ValueId id) {
        const graph::Variable* variable = variable_of(id);
        return variable != nullptr && variable->trainable;
    }

    /// The all-reduce of the gradient becomes a reduce-scatter, where only this update needs its sum: at
    /// once, or after it was scaled.
    void scatter_for(const Operation& update) {
        on_shares_.insert(update.id.value);
        std::vector<std::int32_t> between;
        ValueId at = update.inputs.back();
        const Operation* op = maker(at);
        while (op != nullptr && op->kind != "all_reduce" && c_.registry.at(op->kind).elementwise &&
               op->phase == Phase::Update && entry(users_, at).size() == 1) {
            between.push_back(op->id.value);
            at = op->inputs[0];
            op = maker(at);
        }
        if (op == nullptr || op->kind != "all_reduce" || entry(users_, at).size() != 1)
            return;
        scattered_[op->id.value] = update.inputs[0];
        on_shares_.insert(between.begin(), between.end());
    }

    /// What a load reads, laid out like the share, which is taken before the first load.
    Result<std::vector<ValueId>> on_share(const Operation& load, SharedUpdate& update) {
        if (update.share == no_value) {
            TRY(update.share,
                placed("take_share", {update.variable}, variable_of(update.variable)->name + "/share"));
        }
        return std::vector<ValueId>{load.inputs[0], update.share};
    }

    Result<void> gather(const Operation& op, const SharedUpdate& update) {
        graph::Variable* variable = variable_of(update.variable);
        const bool next = variable->next == op.outputs[0];
        std::vector<ValueId> inputs{op.outputs[0]};
        if (next)
            inputs.push_back(update.variable);
        TRY(const ValueId whole, placed("all_gather", inputs, op.name + "/all_gather"));
        (next ? variable->next : gathered_[op.outputs[0].value]) = whole;
        return {};
    }

    Result<ValueId> placed(const char* kind, const std::vector<ValueId>& inputs, const std::string& name) {
        return order_.emit(kind, inputs, {{"replicas", replicas()}}, name);
    }

    const Compilation& c_;
    graph::Graph& graph_;
    Reordering order_;
    std::vector<std::vector<OpId>> users_;
    std::map<std::int32_t, SharedUpdate> updates_; ///< by operation
    std::map<std::int32_t, std::int32_t> of_load_; ///< by load: the update that reads it
    std::map<std::int32_t, ValueId> scattered_;    ///< by all-reduce: the variable whose gradient it is of
    std::set<std::int32_t> on_shares_;             ///< operations that work on them
    std::map<std::int32_t, ValueId> gathered_;     ///< by the value of which replicas have shares
};

} // namespace

Result<std::string> shard_state(Compilation& c) {
    if (!c.options.shard_state || c.options.schedule.replicas == 1)
        return std::string("no state is shared");
    Sharding sharding(c);
    TRY(sharding.run());
    return "updates of " + count_text(static_cast<std::int64_t>(sharding.count())) + " variables shared by " +
           count_text(c.options.schedule.replicas) + " replicas";
}

} // namespace tilescope::compile
