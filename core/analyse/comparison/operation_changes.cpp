// SPDX-License-Identifier: GPL-3.0-or-later
#include "operation_changes.h"

#include "base/text.h"
#include "base/try.h"
#include "json_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace tilescope::analyse {
namespace {

using profile::OperationRecord;

struct Reason {
    CauseKind kind = CauseKind::Unexplained;
    std::string why;
};

std::string summaries(const std::vector<PlanChoice>& plans) {
    std::string text;
    for (const PlanChoice& plan : plans)
        text += (text.empty() ? "" : "; ") + plan.summary;
    return text.empty() ? "none" : text;
}

/// A plan with those of its decisions that are other ones in another plan: "AMP nx1 on 1,452 tiles (batch
/// 4)".
std::string unlike(const PlanChoice& plan, const PlanChoice& other) {
    const std::vector<std::string>& others = other.decisions;
    std::string text;
    for (const std::string& decision : plan.decisions)
        if (std::find(others.begin(), others.end(), decision) == others.end())
            text += (text.empty() ? "" : ", ") + decision;
    return plan.summary + (text.empty() ? text : " (" + text + ")");
}

/// What the planner weighed against the plan that it chose: the one of the base where that was among them,
/// else the next best.
std::string runner_up(const PlanChoice& chosen, const std::vector<PlanChoice>& weighed,
                      const std::string& old) {
    const PlanChoice* other = nullptr;
    for (const PlanChoice& choice : weighed)
        if (other == nullptr || (choice.summary == old && other->summary != old))
            other = &choice;
    if (other == nullptr)
        return {};
    return other->summary == old ? ", which would now be " + against(chosen, *other)
                                 : "; next best is " + other->summary + ", " + against(chosen, *other);
}

/// What the attributes of an operation are and of which kind each is, its operator says: they are one column
/// of JSON, and are shown here as they stand there, without knowing what they mean.
std::string setting_change(const OperationRecord& before, const OperationRecord& after) {
    const auto a = read_json(before.attributes);
    const auto b = read_json(after.attributes);
    if (!a.is_object() || !b.is_object())
        return {};
    std::string text;
    for (const auto& [key, value] : b.items())
        if (key != "salt" && // which numbers of the seed are drawn
            (!a.contains(key) || a.at(key) != value))
            text += (text.empty() ? "its " : ", its ") + key + " is " + value.dump() + ", was " +
                    (a.contains(key) ? a.at(key).dump() : "none");
    return text;
}

/// What a program step on tiles depends on.
std::string tiles_change(const profile::TargetRecord& before, const profile::TargetRecord& after) {
    if (before.tiles_per_ipu != after.tiles_per_ipu)
        return "an IPU has " + count_text(after.tiles_per_ipu) + " tiles, had " +
               count_text(before.tiles_per_ipu);
    if (before.half_flops_per_cycle != after.half_flops_per_cycle ||
        before.float_flops_per_cycle != after.float_flops_per_cycle ||
        before.exchange_bytes_per_cycle != after.exchange_bytes_per_cycle)
        return "a tile of the target does other work in a cycle";
    return {};
}

/// What copies over links and to the host depend on, besides.
std::string system_change(const profile::TargetRecord& before, const profile::TargetRecord& after) {
    if (before.generation == after.generation && before.system == after.system)
        return {};
    return "the target is " + after.generation + " in " + after.system + ", was " + before.generation +
           " in " + before.system;
}

/// Finds what changed of an operation, step by step.
class OperationChange {
  public:
    OperationChange(const BothRuns& runs, std::int64_t before, std::int64_t after)
        : runs_(runs), before_(before), after_(after), a_(runs.base.operation(before)),
          b_(runs.now.operation(after)) {}

    Result<std::vector<Cause>> all() {
        const Works now = with_old_arguments(runs_.now.works(after_, runs_.ipu));
        const Works base = runs_.base.works(before_, runs_.ipu);
        std::int64_t sum_base = 0, sum_now = 0;
        for (const auto& [work, cost] : base)
            sum_base += cost.cycles;
        for (const auto& [work, cost] : now)
            sum_now += cost.cycles;
        if (std::fabs(runs_.in_now(sum_now) - runs_.in_base(sum_base)) < least)
            return std::vector<Cause>();
        std::set<StepWork> works;
        for (const Works* side : {&base, &now})
            for (const auto& [work, cost] : *side)
                works.insert(work);
        for (const StepWork& work : works) {
            const WorkCost a = of(base, work);
            const WorkCost b = of(now, work);
            const double by = runs_.in_now(b.cycles) - runs_.in_base(a.cycles);
            if (std::fabs(by) < least)
                continue;
            TRY(auto reason, reason_of(work, a, b));
            add(work, std::move(reason), by);
        }
        return std::move(causes_);
    }

  private:
    static constexpr double least = 1e-6; ///< cycles: below it they are the same

    static WorkCost of(const Works& works, const StepWork& work) {
        const auto found = works.find(work);
        return found == works.end() ? WorkCost() : found->second;
    }
    /// Works of the new run in the base's words; where two would get the same one, the second keeps its own.
    Works with_old_arguments(const Works& works) const {
        Works result;
        for (const auto& [work, cost] : works) {
            const StepWork old{work.role, work.verb, runs_.old_names.of(work.of)};
            if (!result.emplace(old, cost).second)
                result.emplace(work, cost);
        }
        return result;
    }
    void add(const StepWork& work, Reason reason, double by) {
        for (Cause& cause : causes_)
            if (cause.kind == reason.kind && cause.why == reason.why) {
                *cause.cycles += by;
                return;
            }
        std::string what = b_ == nullptr ? work.text() : b_->name;
        causes_.push_back({std::move(what), std::move(reason.why), by, {}, {}, reason.kind, {}});
    }

    Result<Reason> reason_of(const StepWork& work, const WorkCost& a, const WorkCost& b) {
        if (b_ == nullptr)
            return host_reason(work, a, b);
        if (const bool new_or_lost = (a.runs == 0) != (b.runs == 0); new_or_lost)
            if (const Reason reason = presence(work, a, b); reason.kind != CauseKind::Unexplained)
                return reason;
        if (const Reason reason = how_often(a, b); reason.kind != CauseKind::Unexplained)
            return reason;
        TRY(auto general, general_reason());
        if (general.kind == CauseKind::Unexplained && a.between_ipus)
            return of_target(system_change);
        if (work.role != StepRole::Rearrange || general.kind == CauseKind::Unexplained)
            return general;
        return Reason{CauseKind::Rearrangement, operand_text(work) + " is rearranged otherwise; " +
                                                    (general.kind == CauseKind::Plan ? "it " : "") +
                                                    general.why};
    }

    /// A rearrangement or a copy that only one of both has.
    Reason presence(const StepWork& work, const WorkCost& a, const WorkCost& b) const {
        const bool is_new = a.runs == 0;
        const WorkCost& cost = is_new ? b : a;
        const char* was = is_new ? ", was not" : "";
        const char* is = is_new ? " is " : " is no longer ";
        if (cost.between_ipus)
            return {CauseKind::Copy, copied(work) + is + copy_text(work, cost) + was};
        if (work.role == StepRole::Copy)
            return {CauseKind::Stash, copied(work) + is + "kept for a later stage of the same IPU" + was};
        if (work.role == StepRole::Push || work.role == StepRole::Pop)
            return {CauseKind::Stash, work.of + is + "kept for the backward pass of the pipeline" + was};
        if (work.role == StepRole::Rearrange)
            return {CauseKind::Rearrangement, operand_text(work) + is + "rearranged in front of it" + was};
        if (work.role == StepRole::Bring && (is_operand(work.of) || plans_.empty()))
            return {CauseKind::Rearrangement,
                    operand_text(work) + is + "brought to other tiles for it" + was};
        return {};
    }
    std::string copied(const StepWork& work) const { return work.of.empty() ? b_->name : work.of; }
    static std::string copy_text(const StepWork& work, const WorkCost& cost) {
        if (cost.to < 0)
            return "exchanged between IPUs (" + work.verb + ")";
        return "copied from IPU " + std::to_string(cost.from) + " to IPU " + std::to_string(cost.to) + " (" +
               bytes_text(static_cast<double>(cost.bytes)) + ")";
    }
    static bool is_operand(const std::string& argument) {
        return argument == "input" || argument == "weights";
    }
    /// "conv2d/Relu", or "its input (conv2d/Relu)" where the step names an operand. A plan may load either as
    /// the weights: which tensor it is, only the exchange tells.
    std::string operand_text(const StepWork& work) const {
        const std::string& argument = work.of;
        if (!is_operand(argument))
            return argument;
        const auto* tensor = runs_.now.moved_by(after_, work);
        if (tensor == nullptr)
            return "one of its operands";
        const bool first = !b_->inputs.empty() && b_->inputs.front() == tensor->id;
        return (first ? "its input (" : "its second operand (") + tensor->name + ")";
    }

    /// The same cycles each time, more or less often.
    Reason how_often(const WorkCost& a, const WorkCost& b) const {
        if (a.runs == 0 || b.runs == 0)
            return {};
        const auto each = [](const WorkCost& cost) {
            return static_cast<double>(cost.cycles) / static_cast<double>(cost.runs * cost.ipus);
        };
        if (each(a) != each(b))
            return {};
        if (a.ipus != b.ipus)
            return {CauseKind::Loop, "runs on " + count_text(b.ipus) + (b.ipus == 1 ? " IPU" : " IPUs") +
                                         ", was on " + count_text(a.ipus)};
        const auto often = [&](const RunParts& run, const WorkCost& cost) {
            return runs_text(cost.runs, run.costs().loops().count(runs_.basis), runs_.basis);
        };
        const std::string now = often(runs_.now, b), base = often(runs_.base, a);
        return now == base ? Reason() : Reason{CauseKind::Loop, "runs " + now + ", was " + base};
    }

    /// What changed of the whole operation.
    Result<Reason> general_reason() {
        if (!general_) {
            TRY(general_, found_reason());
        }
        return *general_;
    }
    Result<Reason> found_reason() const {
        if (const std::string plan = plan_change(runs_, before_, after_); !plan.empty())
            return Reason{CauseKind::Plan, plan};
        if (const std::string size = size_change(runs_, *a_, *b_); !size.empty())
            return Reason{CauseKind::Size, size};
        if (kinds_of(*a_) != kinds_of(*b_))
            return Reason{CauseKind::Setting, "does " + kinds_text(*b_) + ", was " + kinds_text(*a_)};
        if (const std::string setting = setting_change(*a_, *b_); !setting.empty())
            return Reason{CauseKind::Setting, setting};
        TRY(const std::string place, mapping_change());
        if (!place.empty())
            return Reason{CauseKind::Mapping, place};
        return of_target(tiles_change);
    }
    static std::string kinds_text(const OperationRecord& operation) {
        std::string text;
        for (const std::string& kind : kinds_of(operation))
            text += (text.empty() ? "" : ", ") + kind;
        return text;
    }
    /// Of the tensors that it reads and gives, the first that lies elsewhere.
    Result<std::string> mapping_change() const {
        for (const auto list : {&OperationRecord::inputs, &OperationRecord::outputs})
            for (std::size_t i = 0; i < std::min((a_->*list).size(), (b_->*list).size()); ++i) {
                TRY(const Place base, runs_.base.place((a_->*list)[i]));
                TRY(const Place now, runs_.now.place((b_->*list)[i]));
                const std::string change = place_change(base, now);
                const auto* tensor = runs_.now.tensor((b_->*list)[i]);
                if (!change.empty() && tensor != nullptr)
                    return tensor->name + " " + change;
            }
        return std::string();
    }

    /// Of a copy from or to the host, by the name of its stream.
    Result<Reason> host_reason(const StepWork& work, const WorkCost& a, const WorkCost& b) const {
        if (a.runs == 0 || b.runs == 0)
            return Reason{CauseKind::Host, a.runs == 0 ? "takes place, did not" : "no longer takes place"};
        if (Reason often = how_often(a, b); often.kind != CauseKind::Unexplained)
            return often;
        if (a.bytes != b.bytes)
            return Reason{CauseKind::Size, "has " + bytes_text(static_cast<double>(b.bytes)) + ", was " +
                                               bytes_text(static_cast<double>(a.bytes))};
        if (for_clock(a, b))
            return Reason{CauseKind::Clock, same_time_of_host};
        const std::string& tensor = work.of;
        const std::int64_t tensor_base = runs_.base.tensor_named(tensor);
        TRY(const Place base, runs_.base.place(tensor_base));
        const std::int64_t tensor_now = tensor_of_old_name(tensor);
        TRY(const Place now, runs_.now.place(tensor_now));
        if (const std::string place = place_change(base, now); !place.empty())
            return Reason{CauseKind::Mapping, place};
        TRY(const Place buffer_base, runs_.base.place_of_buffer(tensor_base));
        TRY(const Place buffer_now, runs_.now.place_of_buffer(tensor_now));
        if (const std::string place = place_change(buffer_base, buffer_now); !place.empty())
            return Reason{CauseKind::Mapping, "its buffer " + place};
        return of_target(system_change);
    }
    template<class Change>
    Reason of_target(const Change& change) const {
        const std::string why = change(runs_.base.summary().target, runs_.now.summary().target);
        return why.empty() ? Reason() : Reason{CauseKind::Target, why};
    }
    std::int64_t tensor_of_old_name(const std::string& name) const {
        for (const auto& operation : runs_.now.parts().operations)
            for (const auto list : {&OperationRecord::inputs, &OperationRecord::outputs})
                for (const std::int64_t tensor : operation.*list)
                    if (const auto* record = runs_.now.tensor(tensor);
                        record != nullptr && runs_.old_names.of(record->name) == name)
                        return tensor;
        return -1;
    }
    /// Whether a transfer of the same bytes changes as the clock does, but for a part that is always of the
    /// same cycles.
    bool for_clock(const WorkCost& a, const WorkCost& b) const {
        const double from = runs_.base.summary().target.clock_hz;
        const double to = runs_.now.summary().target.clock_hz;
        if (from == to || from <= 0 || to <= 0)
            return false;
        const auto each = [](const WorkCost& cost) {
            return static_cast<double>(cost.exchange) / static_cast<double>(cost.runs * cost.ipus);
        };
        const double as_long = each(a) * to / from;
        return each(b) >= std::min(each(a), as_long) - 1 && each(b) <= std::max(each(a), as_long) + 1;
    }

    const BothRuns& runs_;
    std::int64_t before_, after_;
    const OperationRecord* a_; ///< null: program steps of no operation
    const OperationRecord* b_;
    const std::vector<PlanChoice>& plans_ = runs_.now.plans(after_);
    std::optional<Reason> general_;
    std::vector<Cause> causes_;
};

} // namespace

double BothRuns::in_base(std::int64_t cycles) const {
    return base.costs().loops().mean(cycles, basis);
}

double BothRuns::in_now(std::int64_t cycles) const {
    return now.costs().loops().mean(cycles, basis);
}

Result<std::vector<Cause>> operation_changes(const BothRuns& runs, std::int64_t before, std::int64_t after) {
    return OperationChange(runs, before, after).all();
}

std::string size_change(const BothRuns& runs, const OperationRecord& before, const OperationRecord& after) {
    for (const auto list : {&OperationRecord::outputs, &OperationRecord::inputs})
        for (std::size_t i = 0; i < std::min((before.*list).size(), (after.*list).size()); ++i) {
            const auto* a = runs.base.tensor((before.*list)[i]);
            const auto* b = runs.now.tensor((after.*list)[i]);
            if (a == nullptr || b == nullptr || (a->shape == b->shape && a->dtype == b->dtype))
                continue;
            return b->name + " is " + (a->shape == b->shape ? to_string(b->dtype) : b->shape) + ", was " +
                   (a->shape == b->shape ? to_string(a->dtype) : a->shape);
        }
    return {};
}

std::string plan_change(const BothRuns& runs, std::int64_t before, std::int64_t after) {
    const auto& a = runs.base.plans(before);
    const auto& b = runs.now.plans(after);
    const auto words = [&](const std::string& is, const std::string& was) {
        const std::string text = "is planned as " + is + ", was " + was;
        return b.empty() ? text
                         : text + runner_up(b.front(), runs.now.weighed_against(after, b.front()),
                                            a.empty() ? std::string() : a.front().summary);
    };
    if (summaries(a) != summaries(b))
        return words(summaries(b), summaries(a));
    for (std::size_t i = 0; i < b.size(); ++i)
        if (a[i].decisions != b[i].decisions)
            return words(unlike(b[i], a[i]), unlike(a[i], b[i]));
    return {};
}

std::string place_change(const Place& before, const Place& after) {
    if (before == after || before.empty() || after.empty())
        return {};
    const bool with_ipus = before.size() != after.size() ||
                           !std::equal(before.begin(), before.end(), after.begin(),
                                       [](const auto& a, const auto& b) { return a.first == b.first; });
    const std::string was = place_text(before, with_ipus), is = place_text(after, with_ipus);
    return was == is ? "lies on other tiles (" + is + ")" : "lies on " + is + ", was on " + was;
}

} // namespace tilescope::analyse
