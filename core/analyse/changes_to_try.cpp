// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/changes_to_try.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace tilescope::analyse {
namespace {

using SortedJson = nlohmann::json;

/// Changes of a workload, as it was read with every default.
class Changes {
  public:
    explicit Changes(const Summary& summary)
        : summary_(summary), workload_(SortedJson::parse(summary.run.workload, nullptr, false)) {}

    void for_finding(const std::string& code) {
        if (code == "host_bound")
            longer_executions();
        else if (code == "global_step_on_ipu")
            all.emplace_back("compile.global_step=cpu");
        else if (code == "tile_nearly_full" || code == "tile_imbalance" || code == "code_size") {
            memory_for_plans(0.3);
            recomputation();
            batch(1, 2);
        } else if (code == "stage_imbalance" || code == "idle_ipus")
            automatic_cut();
        else if (code == "inter_ipu_bound") {
            more_accumulation();
            automatic_cut();
        } else if (code == "exchange_bound" || code == "exchange_bound_operation" ||
                   code == "rearrangement_cost") {
            memory_for_plans(0.9);
            batch(2, 1);
        } else if (code == "sync_bound" || code == "poor_balance")
            batch(2, 1);
    }
    std::vector<std::string> all;

  private:
    const SortedJson* at(const char* group, const char* key) const {
        if (!workload_.is_object())
            return nullptr;
        const auto found = workload_.find(group);
        if (found == workload_.end() || !found->is_object())
            return nullptr;
        const auto value = found->find(key);
        return value == found->end() ? nullptr : &*value;
    }
    std::optional<double> number(const char* group, const char* key) const {
        const SortedJson* value = at(group, key);
        return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
    }
    bool pipelined() const { return workload_.is_object() && workload_.contains("pipeline"); }
    void add(const std::string& key, const SortedJson& value) { all.push_back(key + "=" + value.dump()); }

    void longer_executions() {
        if (const std::int64_t steps = steps_of_epoch(); steps > 1)
            add("compile.steps_per_execution", steps);
    }
    std::int64_t steps_of_epoch() const {
        const auto epochs = static_cast<std::int64_t>(summary_.epochs.size());
        const auto planned = static_cast<std::int64_t>(number("fit", "epochs").value_or(1));
        return summary_.steps / std::max<std::int64_t>(1, epochs > 0 ? epochs : planned);
    }
    void memory_for_plans(double proportion) {
        const auto now = number("ipu_config", "available_memory_proportion");
        if (now && (proportion < 0.5 ? *now > proportion : *now < proportion))
            add("ipu_config.available_memory_proportion", proportion);
    }
    void recomputation() {
        const SortedJson* now = at("ipu_config", "allow_recompute");
        if (now != nullptr && *now == false && summary_.loops.training)
            all.emplace_back("ipu_config.allow_recompute=true");
    }
    void batch(std::int64_t times, std::int64_t part) {
        const auto now = number("fit", "batch_size");
        if (!now || static_cast<std::int64_t>(*now) * times / part < 1 || !summary_.outputs.empty())
            return;
        const auto at_once = static_cast<std::int64_t>(number("compile", "steps_per_execution").value_or(1));
        if (at_once > 1 && steps_of_epoch() * part / times % at_once != 0)
            return; // executions are of whole numbers of them: it could not be compiled
        add("fit.batch_size", static_cast<std::int64_t>(*now) * times / part);
    }
    void automatic_cut() {
        if (pipelined() && summary_.stages.size() > 1)
            add("pipeline.stages", summary_.stages.size());
    }
    void more_accumulation() {
        const char* group = pipelined() ? "pipeline" : "compile";
        constexpr const char* key = "gradient_accumulation_steps_per_replica";
        if (const auto now = number(group, key))
            add(std::string(group) + "." + key, static_cast<std::int64_t>(*now) * 2);
    }

    const Summary& summary_;
    SortedJson workload_;
};

} // namespace

std::vector<std::string> changes_to_try(const Insight& insight, const Summary& summary) {
    Changes changes(summary);
    changes.for_finding(insight.code);
    return std::move(changes.all);
}

} // namespace tilescope::analyse
