// SPDX-License-Identifier: GPL-3.0-or-later
#include "value_lives.h"

#include "product_updates.h"

#include <algorithm>
#include <set>

namespace tilescope::operators {

using graph::Operation;
using graph::ValueId;

namespace {

std::size_t index(ValueId id) {
    return static_cast<std::size_t>(id.value);
}

/// Writes outputs over inputs that nothing reads afterwards, nor beside them: where the operation may, and
/// the input is what an operation made or the variable whose next value the output is.
class Overwriting {
  public:
    Overwriting(const graph::Graph& graph, const graph::OperatorRegistry& registry, ValueLives& lives)
        : graph_(graph), registry_(registry), order_(lives.order), home_(lives.home),
          last_read_(graph.values().size(), 0), kept_(graph.values().size(), false) {
        for (std::size_t i = 0; i < order_.size(); ++i)
            for (const auto* values : {&order_[i]->inputs, &order_[i]->outputs})
                for (const ValueId id : *values)
                    last_read_[index(home(id))] = i;
        for (const graph::Fetch& fetch : graph.fetches)
            kept_[index(home(fetch.value))] = true;
        for (const graph::Variable& variable : graph.variables)
            if (variable.next != graph::no_value)
                kept_[index(home(variable.next))] = true;
    }

    void run() {
        for (std::size_t i = 0; i < order_.size(); ++i)
            overwrite(*order_[i], i);
        for (ValueId& at : home_) // views of what is written over something
            at = home(at);
    }

  private:
    ValueId home(ValueId id) {
        while (home_[index(id)] != id)
            id = home_[index(id)] = home_[index(home_[index(id)])];
        return id;
    }

    void overwrite(const Operation& op, std::size_t place) {
        const graph::Operator& kind = registry_.at(op.kind);
        const bool any = kind.elementwise || kind.in_place == graph::InPlace::Any;
        if (!any && kind.in_place == graph::InPlace::Never)
            return;
        for (std::size_t k = 0; k < op.outputs.size(); ++k) {
            ValueId under = graph::no_value;
            for (std::size_t i = any ? 0 : k; i < (any ? op.inputs.size() : k + 1); ++i) {
                const ValueId candidate = home(op.inputs[i]);
                if (is_read_after(candidate, place) || !fits(op.outputs[k], candidate) ||
                    (!any && reads(op, candidate) != 1))
                    continue;
                if (under == graph::no_value || source(candidate) == graph::Source::Variable)
                    under = candidate; // which spares copying the next value
            }
            if (under == graph::no_value)
                continue;
            home_[index(op.outputs[k])] = under;
            last_read_[index(under)] = last_read_[index(op.outputs[k])];
            kept_[index(under)] = kept_[index(op.outputs[k])];
        }
    }
    bool is_read_after(ValueId under, std::size_t place) const {
        return kept_[index(under)] || last_read_[index(under)] != place;
    }
    bool fits(ValueId out, ValueId under) const {
        const graph::TensorType& type = graph_.type(out);
        const bool own = source(under) == graph::Source::Operation ||
                         (source(under) == graph::Source::Variable &&
                          graph_.variables[static_cast<std::size_t>(graph_.value(under).index)].next == out);
        return own && graph_.type(under).dtype == type.dtype &&
               graph_.type(under).elements() == type.elements();
    }
    std::int64_t reads(const Operation& op, ValueId under) {
        return std::count_if(op.inputs.begin(), op.inputs.end(),
                             [&](ValueId id) { return home(id) == under; });
    }
    graph::Source source(ValueId id) const { return graph_.value(id).source; }

    const graph::Graph& graph_;
    const graph::OperatorRegistry& registry_;
    const std::vector<const Operation*>& order_;
    std::vector<ValueId>& home_;
    std::vector<std::size_t> last_read_; ///< by home: its place in the order
    std::vector<bool> kept_;             ///< by home: read from outside
};

} // namespace

ValueLives::ValueLives(const graph::Graph& graph, const graph::OperatorRegistry& registry, bool one_batch) {
    if (one_batch)
        products = products_of_updates(graph);
    std::set<const Operation*> in_update;
    for (const auto& [update, product] : products)
        in_update.insert(product);
    for (const bool update : {false, true}) {
        update_begins_ = order.size();
        for (const Operation& op : graph.operations()) {
            if ((op.phase == Phase::Update) != update || registry.at(op.kind).view || in_update.contains(&op))
                continue;
            if (const auto product = products.find(&op); product != products.end())
                order.push_back(product->second);
            order.push_back(&op);
        }
    }
    for (std::size_t i = 0; i < graph.values().size(); ++i)
        home.emplace_back(static_cast<std::int32_t>(i));
    for (const Operation& op : graph.operations())
        if (registry.at(op.kind).view)
            home[index(op.outputs[0])] = home[index(op.inputs[0])];
    Overwriting(graph, registry, *this).run();
    find_groups(registry);
    find_last_uses(graph);
}

void ValueLives::find_last_uses(const graph::Graph& graph) {
    last_use.assign(graph.values().size(), 0);
    const auto use = [&](ValueId id, std::size_t group) {
        std::size_t& last = last_use[index(home[index(id)])];
        last = std::max(last, group);
    };
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t i = groups[g].first; i < groups[g].last; ++i)
            for (const auto* values : {&order[i]->inputs, &order[i]->outputs})
                for (const ValueId id : *values)
                    use(id, g);
    for (const graph::Fetch& fetch : graph.fetches)
        use(fetch.value, groups.size());
    for (const graph::Variable& variable : graph.variables)
        if (variable.next != graph::no_value)
            use(variable.next, groups.size());
}

void ValueLives::find_groups(const graph::OperatorRegistry& registry) {
    std::set<ValueId> read; // by the last group, where it may grow
    std::set<ValueId> written;
    bool grows = false;
    const auto any_in = [&](const std::vector<ValueId>& values, const std::set<ValueId>& of_group) {
        return std::any_of(values.begin(), values.end(),
                           [&](ValueId id) { return of_group.contains(home[index(id)]); });
    };
    update_groups = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Operation& op = *order[i];
        const bool ranges = static_cast<bool>(registry.at(op.kind).compute_range) && !products.contains(&op);
        const bool joins = grows && ranges && i != update_begins_ && !any_in(op.inputs, written) &&
                           !any_in(op.outputs, read) && !any_in(op.outputs, written);
        if (!joins) {
            groups.push_back({i, i});
            read.clear();
            written.clear();
        }
        if (i < update_begins_)
            update_groups = groups.size();
        grows = ranges;
        ++groups.back().last;
        for (const ValueId id : op.inputs)
            read.insert(home[index(id)]);
        for (const ValueId id : op.outputs)
            written.insert(home[index(id)]);
    }
}

} // namespace tilescope::operators
