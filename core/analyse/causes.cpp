// SPDX-License-Identifier: GPL-3.0-or-later
#include "causes.h"

#include "analyse/plan_choice.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {
namespace {

double total_of(const Costs& costs, Basis basis, const profile::PhaseCycles& cycles) {
    return static_cast<double>(costs.in(basis, cycles).total());
}

/// Cycles of one kind on one side, as the comparison counts them.
template<class Cycles>
double change(const Comparison& c, const CauseSide& base, const CauseSide& now, const Cycles& cycles) {
    return total_of(now.costs, c.basis, cycles(now.costs)) -
           total_of(base.costs, c.basis, cycles(base.costs));
}

std::string joined(const std::vector<std::string>& reasons) {
    std::string text;
    for (const std::string& reason : reasons)
        text += (text.empty() ? "" : "; ") + reason;
    return text;
}

/// The short name of an operation within its layer.
std::string within(const std::string& operation, const std::string& layer) {
    return operation.starts_with(layer + "/") ? operation.substr(layer.size() + 1) : operation;
}

std::string kinds_text(const std::map<std::string, std::int64_t>& kinds) {
    std::string text;
    for (const auto& [kind, count] : kinds)
        text += (text.empty() ? "" : ", ") + (count > 1 ? count_text(count) + " " : std::string()) + kind;
    return text;
}

/// What the planner weighed against the plan that it chose: the one of the base where that was among them,
/// else the next best.
std::string runner_up(const profile::Profile& file, std::int64_t operation, const std::string& old) {
    const auto choices = plan_choices(file, operation);
    if (!choices || choices->empty())
        return {};
    const PlanChoice& chosen = choices->front();
    const PlanChoice* other = nullptr;
    for (const PlanChoice& choice : *choices)
        if (choice.product == chosen.product && choice.rank > chosen.rank &&
            (other == nullptr || (choice.summary == old && other->summary != old)))
            other = &choice;
    if (other == nullptr)
        return {};
    return other->summary == old ? ", which would now be " + against(chosen, *other)
                                 : "; next best is " + other->summary + ", " + against(chosen, *other);
}

/// Finds why a layer that is in both runs costs something else.
class LayerReasons {
  public:
    LayerReasons(const Comparison& c, const CauseSide& base, const CauseSide& now, const Matching& matching)
        : c_(c), base_(base), now_(now), matching_(matching) {
        for (const auto& operation : base.parts.operations)
            base_operations_[operation.id] = &operation;
    }
    std::string of(const profile::LayerRecord& before, const profile::LayerRecord& after) const {
        std::vector<std::string> reasons;
        if (before.output_shape != after.output_shape)
            reasons.push_back("gives " + after.output_shape + ", was " + before.output_shape);
        if (before.parameters != after.parameters)
            reasons.push_back(count_text(after.parameters) + " parameters, were " +
                              count_text(before.parameters));
        add_operations(before, after, reasons);
        return joined(reasons);
    }

  private:
    void add_operations(const profile::LayerRecord& before, const profile::LayerRecord& after,
                        std::vector<std::string>& reasons) const {
        std::int64_t kept = 0;
        std::int64_t added = 0;
        std::map<std::string, std::int64_t> kinds; // of the operations more
        double most = 0;                           // cycles, of those whose plan is another
        const profile::OperationRecord* planned = nullptr;
        for (const auto& operation : now_.parts.operations) {
            if (operation.layer_id != after.id)
                continue;
            const auto partner = matching_.operations.find(operation.id);
            if (partner == matching_.operations.end()) {
                ++added;
                ++kinds[operation.kind];
                continue;
            }
            ++kept;
            const std::string plan = plan_of(now_, operation.id);
            const std::string old = plan_of(base_, partner->second);
            const double cycles =
                total_of(now_.costs, c_.basis, now_.costs.operation(operation.id, c_.ipu).cycles) -
                total_of(base_.costs, c_.basis, base_.costs.operation(partner->second, c_.ipu).cycles);
            if (plan == old || cycles == 0)
                continue;
            if (planned == nullptr || std::fabs(cycles) > most) {
                most = std::fabs(cycles);
                planned = &operation;
            }
        }
        std::int64_t had = 0;
        for (const auto& [id, operation] : base_operations_)
            had += operation->layer_id == before.id ? 1 : 0;
        if (added > 0)
            reasons.push_back(count_text(added) + " operation" + (added == 1 ? "" : "s") + " more (" +
                              kinds_text(kinds) + ")");
        if (had > kept)
            reasons.push_back(count_text(had - kept) + " operation" + (had - kept == 1 ? "" : "s") + " less");
        if (planned != nullptr) {
            const std::string old = plan_of(base_, matching_.operations.at(planned->id));
            reasons.push_back(within(planned->name, after.name) + " is planned as " +
                              plan_of(now_, planned->id) + ", was " + old +
                              runner_up(now_.file, planned->id, old));
        }
    }
    static std::string plan_of(const CauseSide& side, std::int64_t operation) {
        const auto plan = side.plans.find(operation);
        return plan == side.plans.end() || plan->second.empty() ? "none" : plan->second;
    }

    const Comparison& c_;
    const CauseSide& base_;
    const CauseSide& now_;
    const Matching& matching_;
    std::map<std::int64_t, const profile::OperationRecord*> base_operations_;
};

/// Which phases a part spends its change in, where nothing else is known.
std::string phases_of(const Comparison& c, const CauseSide& base, std::int64_t before, const CauseSide& now,
                      std::int64_t after) {
    const profile::PhaseCycles a = base.costs.in(c.basis, base.costs.layer(before, c.ipu).cycles);
    const profile::PhaseCycles b = now.costs.in(c.basis, now.costs.layer(after, c.ipu).cycles);
    std::vector<std::string> texts;
    const auto add = [&](const char* name, std::int64_t from, std::int64_t to) {
        if (from != to)
            texts.push_back(std::string(name) + " " +
                            signed_text(static_cast<double>(to - from), count_text(to - from)));
    };
    add("compute", a.compute, b.compute);
    add("exchange", a.exchange, b.exchange);
    add("sync", a.sync, b.sync);
    add("inter-IPU", a.inter_ipu, b.inter_ipu);
    add("host", a.host, b.host);
    return joined(texts);
}

void add_layers(std::vector<Cause>& causes, const Comparison& c, const CauseSide& base, const CauseSide& now,
                const Matching& matching) {
    const LayerReasons reasons(c, base, now, matching);
    std::map<std::int64_t, const profile::LayerRecord*> left; // of the base, by id
    for (const auto& layer : base.parts.layers)
        left[layer.id] = &layer;
    const auto cycles = [&](const CauseSide& side, std::int64_t id) {
        return total_of(side.costs, c.basis, side.costs.layer(id, c.ipu).cycles);
    };
    for (const auto& layer : now.parts.layers) {
        const auto partner = matching.layers.find(layer.id);
        if (partner == matching.layers.end()) {
            causes.push_back({layer.name, "a layer more", cycles(now, layer.id)});
            continue;
        }
        const profile::LayerRecord& before = *left[partner->second];
        left.erase(partner->second);
        const double by = cycles(now, layer.id) - cycles(base, before.id);
        if (by == 0)
            continue;
        std::string why = reasons.of(before, layer);
        causes.push_back(
            {layer.name, why.empty() ? phases_of(c, base, before.id, now, layer.id) : std::move(why), by});
    }
    for (const auto& [id, layer] : left)
        causes.push_back({layer->name, "a layer less", -cycles(base, id)});
    causes.push_back(
        {"operations of no layer", phases_of(c, base, -1, now, -1), cycles(now, -1) - cycles(base, -1)});
}

/// What passes beside the layers.
void add_rest(std::vector<Cause>& causes, const Comparison& c, const CauseSide& base, const CauseSide& now) {
    const std::int64_t a = base.summary.run.steps_per_execution;
    const std::int64_t b = now.summary.run.steps_per_execution;
    causes.push_back({"launching engine runs",
                      a == b ? std::string()
                             : "one for every " + count_text(b) + (b == 1 ? " step" : " steps") +
                                   ", was for " + count_text(a),
                      change(c, base, now, [&](const Costs& costs) {
                          return profile::PhaseCycles{.host = costs.beside(c.ipu).host};
                      })});
    causes.push_back({"waiting for other IPUs", {}, change(c, base, now, [&](const Costs& costs) {
                          return profile::PhaseCycles{.waiting = costs.beside(c.ipu).waiting};
                      })});
    causes.push_back({"copies from and to the host", {}, change(c, base, now, [&](const Costs& costs) {
                          return costs.operation(no_operation, c.ipu).cycles;
                      })});
}

} // namespace

std::vector<Cause> causes_of(const Comparison& c, const CauseSide& base, const CauseSide& now,
                             const Matching& matching) {
    if (base.costs.elapsed() == 0 || now.costs.elapsed() == 0)
        return {}; // one was never run
    std::vector<Cause> causes;
    add_layers(causes, c, base, now, matching);
    add_rest(causes, c, base, now);
    std::erase_if(causes, [](const Cause& cause) { return *cause.cycles == 0; });
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
        return std::fabs(*a.cycles) > std::fabs(*b.cycles);
    });
    const double from = base.summary.target.clock_hz;
    const double to = now.summary.target.clock_hz;
    if (from != to && from > 0 && to > 0)
        causes.insert(causes.begin(), {"the clock",
                                       number_text(to / 1e9) + " GHz, was " + number_text(from / 1e9) +
                                           " GHz: the time of equal cycles " + change_text(1 / from, 1 / to),
                                       std::nullopt});
    return causes;
}

} // namespace tilescope::analyse
