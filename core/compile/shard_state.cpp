// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "reordering.h"

#include <algorithm>
#include <iterator>
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

/// An update whose tensors replicas share.
struct SharedUpdate {
    ValueId weight = no_value; ///< as the update reads it: the variable, or what is loaded of it
    ValueId share = no_value;  ///< of it, once it is taken
};

/// Lets each replica update a share of a weight, of which, or of whose state, in streaming memory, it has
/// that share: the gradient is reduce-scattered, the weight's own share taken where all of it is there, and
/// the shares of its next value gathered where all of it is to be (IPU TensorFlow,
/// driver/passes/variables_offload_and_partition.cc and
/// replicated_resource_update_elementwise_clustering.cc; PopART
/// willow/src/transforms/streamingmemoryopinserter.cpp). What follows the update, as LAMB's step along its
/// direction, works on the whole again.
class Sharding {
  public:
    explicit Sharding(const Compilation& c) : c_(c), graph_(c.graph()), order_(c), users_(graph_.users()) {
        for (const Operation& op : graph_.operations()) {
            if (op.phase != Phase::Update)
                continue;
            if (loads_share(op)) {
                shares_.insert(op.outputs[0].value);
                stored_shares_.insert(op.inputs[0].value);
            }
            if (updates_share(op))
                add_update(op);
        }
    }

    Result<void> run() {
        TRY(auto ordered, order_.each([&](Operation& op) -> Result<void> {
            if (const auto load = of_load_.find(op.id.value); load != of_load_.end()) {
                TRY(const ValueId share, share_of(updates_.at(load->second)));
                op.inputs = {op.inputs[0], share};
            } else if (const auto update = updates_.find(op.id.value); update != updates_.end()) {
                TRY(op.inputs[0], share_of(update->second));
            } else if (const auto scattered = scattered_.find(op.id.value); scattered != scattered_.end()) {
                op.kind = "reduce_scatter";
                op.inputs.push_back(scattered->second);
            }
            if (on_shares_.contains(op.id.value))
                op.attributes.set("shares", replicas());
            else if (stores_share(op) && !shares_.contains(op.inputs[0].value)) {
                TRY(op.inputs[0], placed("take_share", {op.inputs[0]}, op.name + "/share"));
            } else if (!works_on_share(op)) {
                for (ValueId& input : op.inputs)
                    if (const auto found = gathered_.find(input.value); found != gathered_.end())
                        input = found->second;
            }
            order_.place(op);
            return gather(op);
        }));
        graph_.set_operations(std::move(ordered));
        return {};
    }

    std::string said() const {
        const auto weights = static_cast<std::int64_t>(stored_shares_.size());
        if (updates_.empty() && weights == 0)
            return "no state is shared";
        return "updates of " + counted_text(std::ssize(updates_), "variable") +
               (weights > 0 ? ", and " + counted_text(weights, "weight") + "," : "") + " shared by " +
               count_text(replicas()) + " replicas";
    }

  private:
    std::int64_t replicas() const { return c_.options.schedule.replicas; }

    const Operation* maker(ValueId id) const {
        const graph::Value& value = graph_.value(id);
        return value.source == Source::Operation ? &graph_.operation(value.producer) : nullptr;
    }
    /// The trained weight that an update reads as `id`, or what it loads of it; else nothing.
    const graph::Variable* weight_of(ValueId id) const {
        const Operation* load = maker(id);
        const ValueId from = load != nullptr && load->kind == "remote_load" ? load->inputs[0] : id;
        const graph::Value& value = graph_.value(from);
        if (value.source != Source::Variable)
            return nullptr;
        const graph::Variable& variable = graph_.variables[static_cast<std::size_t>(value.index)];
        return variable.trainable ? &variable : nullptr;
    }

    static bool loads_share(const Operation& op) {
        return op.kind == "remote_load" && op.attributes.has("shares");
    }
    /// Into streaming memory, of which each replica has a share.
    bool stores_share(const Operation& op) const {
        return op.kind == "remote_store" && stored_shares_.contains(op.inputs[1].value);
    }
    bool works_on_share(const Operation& op) const {
        return of_load_.contains(op.id.value) || stores_share(op);
    }

    /// Of an optimiser's update: replicas share all state that is like the weight, and there is some, or they
    /// share the weight.
    bool updates_share(const Operation& op) const {
        if (c_.registry.at(op.kind).in_place != graph::InPlace::Paired || weight_of(op.inputs[0]) == nullptr)
            return false;
        bool shares = shares_.contains(op.inputs[0].value);
        for (std::size_t i = 1; i + 1 < op.inputs.size(); ++i) {
            if (graph_.type(op.inputs[i]).shape != graph_.type(op.inputs[0]).shape)
                continue;
            const Operation* load = maker(op.inputs[i]);
            if (load == nullptr || load->kind != "remote_load" || !c_.options.shard_state)
                return false;
            shares = true;
        }
        return shares;
    }

    void add_update(const Operation& op) {
        const ValueId weight = op.inputs[0];
        updates_[op.id.value] = {weight, shares_.contains(weight.value) ? weight : no_value};
        for (std::size_t i = 1; i + 1 < op.inputs.size(); ++i)
            if (const Operation* load = maker(op.inputs[i]);
                load != nullptr && load->kind == "remote_load" &&
                graph_.type(op.inputs[i]).shape == graph_.type(weight).shape)
                of_load_[load->id.value] = op.id.value;
        scatter_for(op);
        if (shares_.contains(weight.value))
            keep_shares_of(op);
    }

    /// What is only stored of an update stays a share, and so does the float16 copy until it is all there.
    void keep_shares_of(const Operation& update) {
        const ValueId next = update.outputs[0];
        shares_.insert(next.value);
        for (const OpId id : entry(users_, next))
            if (const Operation& user = graph_.operation(id); user.kind == "cast") {
                on_shares_.insert(id.value);
                shares_.insert(user.outputs[0].value);
            }
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
        scattered_[op->id.value] = laid_out_like(update.inputs[0]);
        on_shares_.insert(between.begin(), between.end());
    }

    /// What lies, before the update begins, where a weight does that it reads.
    ValueId laid_out_like(ValueId weight) const {
        const Operation* load = maker(weight);
        return load != nullptr ? load->inputs.back() : weight;
    }

    /// Of what an update reads, taken before the first operation that needs it.
    Result<ValueId> share_of(SharedUpdate& update) {
        if (update.share == no_value) {
            TRY(update.share,
                placed("take_share", {update.weight}, graph_.value(update.weight).name + "/share"));
        }
        return update.share;
    }

    /// What `op` gives of which each replica has a share, and someone needs the whole.
    Result<void> gather(const Operation& op) {
        if (op.outputs.empty())
            return {};
        const ValueId given = op.outputs[0];
        if (!updates_.contains(op.id.value) && !shares_.contains(given.value))
            return {};
        graph::Variable* next = nullptr;
        for (graph::Variable& variable : graph_.variables)
            if (variable.next == given)
                next = &variable;
        const std::vector<OpId>& users = entry(users_, given);
        const bool read = std::any_of(users.begin(), users.end(), [&](OpId id) {
            const Operation& user = graph_.operation(id);
            return !on_shares_.contains(id.value) && !works_on_share(user);
        });
        if (next == nullptr && !read)
            return {};
        std::vector<ValueId> inputs{given};
        if (next != nullptr)
            inputs.insert(inputs.begin(), next->value);
        TRY(const ValueId whole, placed("all_gather", inputs, op.name + "/all_gather"));
        (next != nullptr ? next->next : gathered_[given.value]) = whole;
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
    std::map<std::int32_t, std::int32_t> of_load_; ///< by load of state: the update that reads it
    std::map<std::int32_t, ValueId> scattered_;    ///< by all-reduce: what its sum is laid out like
    std::set<std::int32_t> on_shares_;             ///< operations that work on them
    std::set<std::int32_t> shares_;            ///< values of which replicas have shares, weights and theirs
    std::set<std::int32_t> stored_shares_;     ///< variables that are weights of which they have shares
    std::map<std::int32_t, ValueId> gathered_; ///< by the value of which replicas have shares
};

} // namespace

Result<std::string> shard_state(Compilation& c) {
    if (!(c.options.shard_state || c.options.shard_weights) || c.options.schedule.replicas == 1)
        return std::string("no state is shared");
    Sharding sharding(c);
    TRY(sharding.run());
    return sharding.said();
}

} // namespace tilescope::compile
