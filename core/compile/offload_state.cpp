// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/entry.h"
#include "base/text.h"
#include "base/try.h"
#include "compile/passes.h"
#include "reordering.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilescope::compile {
namespace {

using graph::Operation;
using graph::OpId;
using graph::Source;
using graph::ValueId;

/// `minimum_remote_tensor_size` of IPU TensorFlow.
constexpr std::int64_t least_bytes = 128;

/// Gives variables that only the weight update uses a place in streaming memory: a load before the first
/// operation that reads one, a store behind the one that makes its next value (IPU TensorFlow,
/// driver/passes/variables_offload_and_partition.cc).
class Offloading {
  public:
    explicit Offloading(const Compilation& c) : c_(c), graph_(c.graph()), order_(c) {
        const auto users = graph_.users();
        for (graph::Variable& variable : graph_.variables)
            if (only_update_uses(variable, entry(users, variable.value))) {
                loads_[entry(users, variable.value).front().value].push_back(&variable);
                stores_[graph_.value(variable.next).producer.value].push_back(&variable);
                bytes += graph_.type(variable.value).bytes().value;
                ++count;
            }
    }

    Result<void> run() {
        TRY(auto ordered, order_.each([&](Operation& op) -> Result<void> {
            for (const graph::Variable* variable : loads_[op.id.value]) {
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
    /// Replicas among which each variable is to be shared.
    std::int64_t sharers() const { return c_.options.shard_state ? c_.options.schedule.replicas : 1; }

    bool only_update_uses(const graph::Variable& variable, const std::vector<OpId>& users) const {
        const auto updates = [&](OpId id) { return graph_.operation(id).phase == Phase::Update; };
        if (variable.trainable || variable.next == graph::no_value || users.empty() ||
            graph_.type(variable.value).bytes().value < least_bytes * sharers())
            return false;
        const graph::Value& next = graph_.value(variable.next);
        return next.source == Source::Operation && updates(next.producer) &&
               std::all_of(users.begin(), users.end(), updates) &&
               std::none_of(graph_.fetches.begin(), graph_.fetches.end(), [&](const graph::Fetch& fetch) {
                   return fetch.value == variable.value || fetch.value == variable.next;
               });
    }

    /// It comes to where the variable lies that it belongs to.
    Result<ValueId> load(const graph::Variable& variable, const Operation& reader) {
        std::vector<ValueId> inputs{variable.value};
        const auto like = std::find_if(reader.inputs.begin(), reader.inputs.end(), [&](ValueId id) {
            const graph::Value& value = graph_.value(id);
            return value.source == Source::Variable &&
                   graph_.variables[static_cast<std::size_t>(value.index)].trainable &&
                   value.type.shape == graph_.type(variable.value).shape;
        });
        if (like != reader.inputs.end())
            inputs.push_back(*like);
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
    return count_text(static_cast<std::int64_t>(offloading.count)) + " variables, " +
           bytes_text(static_cast<double>(offloading.bytes)) + ", to streaming memory";
}

} // namespace tilescope::compile
