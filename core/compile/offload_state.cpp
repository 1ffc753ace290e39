// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "remote_variables.h"
#include "reordering.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::OpId;
using graph::Source;
using graph::ValueId;

/// Gives variables that only the weight update uses a place in streaming memory: a load before the first
/// operation that reads one, a store behind the one that makes its next value (IPU TensorFlow,
/// driver/passes/variables_offload_and_partition.cc).
class Offloading {
  public:
    explicit Offloading(const Compilation& c) : c_(c), graph_(c.graph()), order_(c) {
        const auto users = graph_.users();
        for (graph::Variable& variable : graph_.variables)
            if (const std::vector<OpId> readers = besides_loads(entry(users, variable.value));
                only_update_uses(variable, readers)) {
                loads_[readers.front().value].push_back(&variable);
                stores_[graph_.value(variable.next).producer.value].push_back(&variable);
                bytes += graph_.type(variable.value).bytes().value;
                ++count;
            }
    }

    Result<void> run() {
        TRY(auto ordered, order_.each([&](Operation& op) -> Result<void> {
            std::vector<const graph::Variable*>& loads = loads_[op.id.value];
            // What belongs to a weight comes to where that is.
            std::stable_sort(loads.begin(), loads.end(),
                             [](const auto* a, const auto* b) { return a->trainable && !b->trainable; });
            for (const graph::Variable* variable : loads) {
                TRY(loaded_[variable->value.value], load(*variable, op));
            }
            for (ValueId& input : op.inputs)
                if (const auto found = loaded_.find(input.value); found != loaded_.end())
                    input = found->second;
            order_.place(op);
            for (graph::Variable* variable : stores_[op.id.value]) {
                TRY(variable->next, order_.emit("remote_store", {variable->next, variable->value}, {},
                                                variable->name + "/store"));
            }
            return {};
        }));
        graph_.set_operations(std::move(ordered));
        return {};
    }

    std::size_t count = 0;
    std::int64_t bytes = 0;

  private:
    /// But for what passes load of it (offload_weights.cpp).
    std::vector<OpId> besides_loads(std::vector<OpId> readers) const {
        std::erase_if(readers, [&](OpId id) { return graph_.operation(id).kind == "remote_load"; });
        return readers;
    }

    bool only_update_uses(const graph::Variable& variable, const std::vector<OpId>& users) const {
        return (!variable.trainable || c_.options.offload_weights) && !users.empty() &&
               graph_.type(variable.value).bytes().value >=
                   least_remote_bytes * sharers_of(variable.trainable, c_.options) &&
               only_update_sets(graph_, variable) && std::all_of(users.begin(), users.end(), [&](OpId id) {
                   return graph_.operation(id).phase == Phase::Update;
               });
    }

    /// The float16 copy that stays on the tiles of a weight whose next value this is.
    ValueId copy_of(ValueId next) const {
        for (const graph::Variable& variable : graph_.variables)
            if (variable.next != graph::no_value)
                if (const graph::Value& made = graph_.value(variable.next); made.source == Source::Operation)
                    if (const Operation& op = graph_.operation(made.producer);
                        op.kind == "cast" && op.inputs[0] == next)
                        return variable.value;
        return graph::no_value;
    }

    /// It comes to where the variable lies that it belongs to.
    Result<ValueId> load(const graph::Variable& variable, const Operation& reader) {
        std::vector<ValueId> inputs{variable.value};
        if (variable.trainable) {
            if (const ValueId copy = copy_of(variable.next); copy != graph::no_value)
                inputs.push_back(copy);
            const std::int64_t sharers = sharers_of(true, c_.options);
            return order_.emit("remote_load", inputs,
                               sharers > 1 ? graph::Attributes{{"shares", sharers}} : graph::Attributes{},
                               variable.name + "/load");
        }
        const auto like = std::find_if(reader.inputs.begin(), reader.inputs.end(), [&](ValueId id) {
            const graph::Value& value = graph_.value(id);
            return value.source == Source::Variable &&
                   graph_.variables[static_cast<std::size_t>(value.index)].trainable &&
                   value.type.shape == graph_.type(variable.value).shape;
        });
        if (like != reader.inputs.end()) {
            const auto weight = loaded_.find(like->value);
            inputs.push_back(weight == loaded_.end() ? *like : weight->second);
        }
        return order_.emit("remote_load", inputs, {}, variable.name + "/load");
    }

    const Compilation& c_;
    graph::Graph& graph_;
    Reordering order_;
    std::map<std::int32_t, std::vector<const graph::Variable*>> loads_; ///< by the first operation that reads
    std::map<std::int32_t, std::vector<graph::Variable*>> stores_; ///< by the one that makes the next value
    std::map<std::int32_t, ValueId> loaded_;                       ///< by the variable's own value
};

} // namespace

Result<std::string> offload_state(Compilation& c) {
    if (!c.options.offload_state)
        return std::string("all state stays on tiles");
    Offloading offloading(c);
    TRY(offloading.run());
    if (offloading.count == 0)
        return std::string("no state to offload");
    return counted_text(static_cast<std::int64_t>(offloading.count), "variable") + ", " +
           bytes_text(static_cast<double>(offloading.bytes)) + ", to streaming memory";
}

} // namespace tilescope::compile
