// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/changes_to_try.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace tilescope::analyse {
namespace {

constexpr const char* stages_key = "pipeline.stages";
constexpr std::array cut_keys{stages_key, "model.shards"};

/// Changes of what a run was asked for.
class Changes {
  public:
    Changes(const Summary& summary, const Insight& insight) : summary_(summary), insight_(insight) {}

    std::vector<std::string> all;

    void longer_executions() {
        if (const std::int64_t steps = steps_of_epoch(); of_model() && steps > at_once())
            add("compile.steps_per_execution", steps);
    }
    void less_of_the_host() {
        longer_executions();
        io_tiles();
        const bool feeds_numbers = summary_.run.eight_bit_io == profile::EightBitIo::Off;
        if (of_model() && feeds_numbers && figure("feeds_share") > much)
            all.emplace_back("data.eight_bit_io=true");
        larger_batch();
    }
    void counter_on_host() { all.emplace_back("compile.global_step=cpu"); }
    void less_memory() {
        memory_for_plans(little_memory);
        recomputation();
        batch(1, 2);
    }
    void automatic_cut() {
        const auto stages = static_cast<std::int64_t>(summary_.stages.size());
        if (pipelined() && stages > 1 && summary_.run.cut != profile::ModelCut::Automatic)
            add(stages_key, stages);
    }
    void fewer_copies() {
        more_accumulation();
        automatic_cut();
    }
    void less_exchange() {
        memory_for_plans(much_memory);
        larger_batch();
    }
    void larger_batch() { batch(2, 1); }

  private:
    static constexpr double little_memory = 0.3; ///< for plans: half of the default
    static constexpr double much_memory = 0.9;   ///< nearly all that is free

    static constexpr double much = 0.1; ///< of the host's time: worth a change

    double figure(const char* name) const {
        const auto found = std::find_if(insight_.figures.begin(), insight_.figures.end(),
                                        [&](const InsightFigure& each) { return each.name == name; });
        return found == insight_.figures.end() ? 0 : found->value;
    }
    bool of_model() const {
        return summary_.run.workload_kind == profile::WorkloadKind::Model && summary_.outputs.empty();
    }
    std::int64_t at_once() const { return summary_.run.steps_per_execution; }
    bool pipelined() const { return summary_.run.schedule.has_value(); }
    void add(const std::string& key, std::int64_t value) { all.push_back(key + "=" + std::to_string(value)); }

    std::int64_t steps_of_epoch() const {
        const auto epochs = static_cast<std::int64_t>(summary_.epochs.size());
        return summary_.steps / std::max<std::int64_t>(1, epochs > 0 ? epochs : summary_.run.epochs);
    }
    void memory_for_plans(double proportion) {
        const auto now = summary_.run.available_memory_proportion;
        if (now && (proportion < 0.5 ? *now > proportion : *now < proportion))
            all.push_back("ipu_config.available_memory_proportion=" + fixed_text(proportion, 1));
    }
    void recomputation() {
        if (summary_.run.recomputation == profile::Recomputation::Off && summary_.loops.training)
            all.emplace_back("ipu_config.allow_recompute=true");
    }
    /// As many as the page on workloads shows. They overlap compute in loops of a model on one IPU, and in
    /// pipelines of the schedule Grouped.
    void io_tiles() {
        const bool grouped = summary_.run.schedule == PipelineSchedule::Grouped;
        const auto replicas = static_cast<std::size_t>(std::max<std::int64_t>(1, summary_.loops.replicas));
        const bool loops = at_once() > 1 || summary_.loops.micro_batches > 1;
        if (of_model() && summary_.io.tiles == 0 && loops && (grouped || summary_.ipus.size() == replicas))
            all.emplace_back(R"(ipu_config.io_tiles={"num_io_tiles": 32, "place_ops_on_io_tiles": true})");
    }
    void batch(std::int64_t times, std::int64_t part) {
        const std::int64_t now = summary_.run.batch_size.value_or(0);
        if (!of_model() || now * times / part < 1)
            return;
        if (at_once() > 1 && steps_of_epoch() * part / times % at_once() != 0)
            return; // executions are of whole numbers of them: it could not be compiled
        add("fit.batch_size", now * times / part);
    }
    void more_accumulation() {
        if (summary_.loops.training)
            add((pipelined() ? "pipeline" : "compile") +
                    std::string(".gradient_accumulation_steps_per_replica"),
                summary_.loops.micro_batches * 2);
    }

    const Summary& summary_;
    const Insight& insight_;
};

struct ChangesOfRule {
    const char* code; ///< of a rule of insight_rules(); what is not here has nothing to try
    void (Changes::*propose)();
};
constexpr std::array<ChangesOfRule, 16> changes_of_rules = {
    {{"host_bound", &Changes::longer_executions},
     {"host_time", &Changes::less_of_the_host},
     {"global_step_on_ipu", &Changes::counter_on_host},
     {"out_of_memory", &Changes::less_memory},
     {"tile_nearly_full", &Changes::less_memory},
     {"tile_imbalance", &Changes::less_memory},
     {"code_size", &Changes::less_memory},
     {"stage_imbalance", &Changes::automatic_cut},
     {"idle_ipus", &Changes::automatic_cut},
     {"inter_ipu_bound", &Changes::fewer_copies},
     {"exchange_bound", &Changes::less_exchange},
     {"exchange_bound_operation", &Changes::less_exchange},
     {"rearrangement_cost", &Changes::less_exchange},
     {"sync_bound", &Changes::larger_batch},
     {"small_batch", &Changes::larger_batch},
     {"poor_balance", &Changes::larger_batch}}};

} // namespace

std::vector<std::string> changes_to_try(const Insight& insight, const Summary& summary) {
    Changes changes(summary, insight);
    for (const ChangesOfRule& rule : changes_of_rules)
        if (insight.code == rule.code)
            (changes.*rule.propose)();
    return std::move(changes.all);
}

bool cuts_anew(const profile::RemedyRecord& change, bool cut_by_hand) {
    return cut_by_hand && std::any_of(cut_keys.begin(), cut_keys.end(), [&](const char* key) {
               return change.change.starts_with(std::string(key) + "=");
           });
}

std::string remedy_text(const profile::RemedyRecord& change, bool cut_by_hand) {
    return change.change + (change.ipus > 0 ? " on " + counted_text(change.ipus, "IPU") : std::string()) +
           (cuts_anew(change, cut_by_hand) ? ", cut anew" : "");
}

std::vector<std::string> rules_with_changes() {
    std::vector<std::string> codes;
    codes.reserve(changes_of_rules.size());
    for (const ChangesOfRule& rule : changes_of_rules)
        codes.emplace_back(rule.code);
    return codes;
}

} // namespace tilescope::analyse
