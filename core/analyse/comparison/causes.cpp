// SPDX-License-Identifier: GPL-3.0-or-later
#include "causes.h"

#include "base/text.h"
#include "base/try.h"
#include "base/worker_pool.h"
#include "waiting_causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::LayerRecord;
using profile::OperationRecord;

void add_reason(std::string& text, const std::string& reason) {
    if (!reason.empty())
        text += (text.empty() ? "" : "; ") + reason;
}

std::string kinds_text(const std::map<std::string, std::int64_t>& kinds) {
    std::string text;
    for (const auto& [kind, count] : kinds)
        text += (text.empty() ? "" : ", ") + (count > 1 ? count_text(count) + " " : std::string()) + kind;
    return text;
}

/// A layer of the new run, or (in_base) one that only the base has; id -1: operations of no layer.
struct LayerKey {
    bool in_base = false;
    std::int64_t id = -1;
    auto operator<=>(const LayerKey&) const = default;
};

struct LayerChanges {
    std::vector<Cause> parts;
    std::map<std::string, std::int64_t> more; ///< operations that only the new run has, by kind
    std::int64_t less = 0;                    ///< that only the base has
};

/// What changed in the layers.
class LayerCauses {
  public:
    LayerCauses(const BothRuns& runs, const std::vector<FusionChange>& fusions)
        : runs_(runs), fusions_(fusions), layer_in_now_(wholes_in_now(runs.matching)),
          partner_in_now_(by_base(runs.matching.operations)), split_in_now_(split_in_now(runs.matching)) {}
    Result<std::vector<Cause>> all() {
        add_fusions();
        TRY(add_operations());
        std::vector<Cause> causes;
        for (auto& [key, changes] : layers_)
            causes.push_back(layer_cause(key, std::move(changes)));
        return causes;
    }

  private:
    LayerKey key_in_base(const OperationRecord& operation) const {
        const auto now = layer_in_now_.find(operation.layer_id);
        if (operation.layer_id < 0 || now != layer_in_now_.end())
            return {false, operation.layer_id < 0 ? -1 : now->second};
        return {true, operation.layer_id};
    }
    LayerKey key_in_now(const OperationRecord& operation) const {
        const auto whole = split_in_now_.find(operation.layer_id);
        return {false, whole == split_in_now_.end() ? std::max<std::int64_t>(operation.layer_id, -1)
                                                    : whole->second};
    }
    double cycles_in_now(std::int64_t operation) const {
        return runs_.in_now(runs_.now.costs().operation(operation, runs_.ipu).cycles.total());
    }
    double cycles_in_base(std::int64_t operation) const {
        return runs_.in_base(runs_.base.costs().operation(operation, runs_.ipu).cycles.total());
    }
    void add(const LayerKey& key, Cause part) {
        if (*part.cycles != 0)
            layers_[key].parts.push_back(std::move(part));
    }
    void add_more(const OperationRecord& operation) {
        const double cycles = cycles_in_now(operation.id);
        const LayerKey key = key_in_now(operation);
        if (cycles != 0)
            ++layers_[key].more[operation.kind];
        add(key, {operation.name, more(operation), cycles, {}, {}, CauseKind::Operation, {}});
    }
    void add_less(const OperationRecord& operation) {
        const double cycles = -cycles_in_base(operation.id);
        const LayerKey key = key_in_base(operation);
        if (cycles != 0)
            ++layers_[key].less;
        const std::string why = "an operation less (" + operation.kind + ")";
        add(key, {operation.name, why, cycles, {}, {}, CauseKind::Operation, {}});
    }

    void add_fusions() {
        for (const FusionChange& change : fusions_) {
            const RunParts& run = change.lost ? runs_.now : runs_.base; // of the single ones
            double single = 0;
            for (const std::int64_t id : change.single) {
                single += change.lost ? cycles_in_now(id) : cycles_in_base(id);
                (change.lost ? told_now_ : told_base_).insert(id);
            }
            (change.lost ? told_base_ : told_now_).insert(change.whole);
            const double whole = change.lost ? cycles_in_base(change.whole) : cycles_in_now(change.whole);
            const OperationRecord& last = *run.operation(change.single.back());
            const OperationRecord& now = change.lost ? last : *runs_.now.operation(change.whole);
            add(key_in_now(now), {now.name,
                                  change.why,
                                  change.lost ? single - whole : whole - single,
                                  {},
                                  {},
                                  CauseKind::Fusion,
                                  {}});
        }
    }
    /// -1: the base has none.
    std::int64_t counterpart(const OperationRecord& operation) const {
        const auto partner = runs_.matching.operations.find(operation.id);
        return partner == runs_.matching.operations.end() || told_base_.contains(partner->second)
                   ? -1
                   : partner->second;
    }
    Result<void> add_operations() {
        const auto& operations = runs_.now.parts().operations;
        std::vector<Result<std::vector<Cause>>> changes(operations.size());
        // A file that is compared with itself serves one thread at a time.
        WorkerPool(&runs_.base.file() == &runs_.now.file() ? 1 : 0)
            .parallel_for(operations.size(), 16, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i)
                    if (const std::int64_t base = counterpart(operations[i]);
                        base >= 0 && !told_now_.contains(operations[i].id))
                        changes[i] = operation_changes(runs_, base, operations[i].id);
            });
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (told_now_.contains(operations[i].id))
                continue;
            if (counterpart(operations[i]) < 0)
                add_more(operations[i]);
            TRY(auto of_operation, std::move(changes[i]));
            for (Cause& change : of_operation)
                add(key_in_now(operations[i]), std::move(change));
        }
        for (const OperationRecord& operation : runs_.base.parts().operations)
            if (!told_base_.contains(operation.id) && !has_partner(operation.id))
                add_less(operation);
        return {};
    }
    bool has_partner(std::int64_t base) const {
        const auto now = partner_in_now_.find(base);
        return now != partner_in_now_.end() && !told_now_.contains(now->second);
    }
    static std::string more(const OperationRecord& operation) {
        return "an operation more (" + operation.kind + ")" +
               (operation.phase == profile::Phase::Recompute ? ", since it is recomputed" : "");
    }

    const LayerRecord* layer(const LayerKey& key) const {
        for (const auto& layer : (key.in_base ? runs_.base : runs_.now).parts().layers)
            if (layer.id == key.id)
                return &layer;
        return nullptr;
    }
    Cause layer_cause(const LayerKey& key, LayerChanges changes) const {
        const LayerRecord* record = layer(key);
        const auto partner = runs_.matching.layers.find(key.id);
        Cause cause{record == nullptr ? of_no_layer
                    : key.in_base     ? name_beside(record->name, runs_.now.parts())
                                      : record->name,
                    {},
                    0.0,
                    {},
                    {},
                    CauseKind::Layer,
                    std::move(changes.parts)};
        close(cause, &Cause::cycles);
        const bool in_both = record == nullptr || partner != runs_.matching.layers.end();
        if (!in_both || key.in_base) {
            cause.why = key.in_base ? "a layer less" : "a layer more";
            cause.parts.clear(); // all that it has
        } else
            cause.why = reasons(cause.parts, operations_text(changes.more, changes.less), record,
                                record == nullptr ? -1 : partner->second);
        return cause;
    }
    /// What is known of the layer, and what explains most of it.
    std::string reasons(const std::vector<Cause>& parts, const std::string& operations,
                        const LayerRecord* after, std::int64_t before_id) const {
        std::string text;
        for (const auto& before : runs_.base.parts().layers) {
            if (after == nullptr || before.id != before_id)
                continue;
            if (before.output_shape != after->output_shape)
                add_reason(text, "gives " + after->output_shape + ", was " + before.output_shape);
            if (before.parameters != after->parameters)
                add_reason(text, count_text(after->parameters) + " parameters, were " +
                                     count_text(before.parameters));
        }
        add_reason(text, split_text(before_id, after));
        add_reason(text, operations);
        constexpr std::size_t most = 2;
        std::size_t told = 0;
        for (const Cause& part : parts)
            if (part.kind != CauseKind::Operation && told < most &&
                !(part.kind == CauseKind::Size && !text.empty())) {
                add_reason(text, part_text(part, after == nullptr ? std::string() : after->name));
                ++told;
            }
        return text;
    }
    /// What a layer was split into, or which were merged into it.
    std::string split_text(std::int64_t before, const LayerRecord* after) const {
        const auto names = [](const RunParts& run, const std::map<std::int64_t, std::int64_t>& parts,
                              std::int64_t whole, std::int64_t itself) {
            std::vector<std::string> all;
            for (const LayerRecord& layer : run.parts().layers) {
                const auto part = parts.find(layer.id);
                if (layer.id == itself || (part != parts.end() && part->second == whole))
                    all.push_back(layer.name);
            }
            return all.size() > 1 ? joined_names(all) : std::string();
        };
        if (after == nullptr)
            return {};
        const std::string into = names(runs_.now, runs_.matching.split, before, after->id);
        const std::string from = names(runs_.base, runs_.matching.merged, before, before);
        return into.empty() ? from.empty() ? from : "merged from " + from : "split into " + into;
    }
    static std::string operations_text(const std::map<std::string, std::int64_t>& more, std::int64_t less) {
        std::int64_t added = 0;
        for (const auto& [kind, count] : more)
            added += count;
        std::string text;
        if (added > 0)
            add_reason(text, counted_text(added, "operation") + " more (" + kinds_text(more) + ")");
        if (less > 0)
            add_reason(text, counted_text(less, "operation") + " less");
        return text;
    }

    const BothRuns& runs_;
    const std::vector<FusionChange>& fusions_;
    std::map<std::int64_t, std::int64_t> layer_in_now_, partner_in_now_; ///< by id in the base
    std::map<std::int64_t, std::int64_t> split_in_now_; ///< wholes of layers of the new run, by its ids
    std::set<std::int64_t> told_now_, told_base_;       ///< operations that were fused
    std::map<LayerKey, LayerChanges> layers_;
};

/// Cycles that both sides count, as a change per basis.
template<class Cycles>
double change(const BothRuns& runs, const Cycles& cycles) {
    return runs.in_now(cycles(runs.now.costs())) - runs.in_base(cycles(runs.base.costs()));
}

/// The host takes the same time to launch an engine run on every clock.
Cause launches(const BothRuns& runs) {
    const auto host = [&](const Costs& costs) { return costs.beside(runs.ipu).host; };
    Cause cause{launching, {}, change(runs, host), {}, {}, CauseKind::Launch, {}};
    const std::int64_t a = runs.base.summary().run.steps_per_execution;
    const std::int64_t b = runs.now.summary().run.steps_per_execution;
    const double from = runs.base.summary().target.clock_hz;
    const double to = runs.now.summary().target.clock_hz;
    const auto base = static_cast<double>(host(runs.base.costs()));
    const auto now = static_cast<double>(host(runs.now.costs()));
    if (a != b)
        cause.why = "one for every " + (b == 1 ? "step" : counted_text(b, "step")) + ", was for every " +
                    (a == 1 ? "step" : count_text(a));
    else if (from != to && from > 0 && std::fabs(now - base * to / from) <= 1e-4 * now) {
        cause.kind = CauseKind::Clock;
        cause.why = same_time_of_host;
    } else if (runs.base.costs().ipus().size() != runs.now.costs().ipus().size())
        cause.why = counted_text(static_cast<std::int64_t>(runs.now.costs().ipus().size()), "IPU") +
                    ", were " + count_text(static_cast<std::int64_t>(runs.base.costs().ipus().size()));
    else if (runs.base.costs().loops().count(runs.basis) != runs.now.costs().loops().count(runs.basis))
        cause.why = "one for every " + runs_text(runs.now.costs().loops().count(runs.basis), 1, runs.basis);
    else
        cause.kind = CauseKind::Unexplained;
    return cause;
}

Cause clock(double from, double to) {
    return {"the clock",
            clock_text(to) + ", was " + clock_text(from) + ": the time of equal cycles " +
                change_text(1 / from, 1 / to),
            std::nullopt,
            {},
            {},
            CauseKind::Clock,
            {}};
}

double unexplained_of(const Cause& cause, std::optional<double> Cause::*amount) {
    if (cause.parts.empty())
        return cause.kind == CauseKind::Unexplained ? (cause.*amount).value_or(0) : 0;
    return std::accumulate(cause.parts.begin(), cause.parts.end(), 0.0,
                           [&](double sum, const Cause& part) { return sum + unexplained_of(part, amount); });
}

} // namespace

std::string to_string(CauseKind kind) {
    switch (kind) {
    case CauseKind::Layer:
        return "layer";
    case CauseKind::Operation:
        return "operation";
    case CauseKind::Plan:
        return "plan";
    case CauseKind::Rearrangement:
        return "rearrangement";
    case CauseKind::Fusion:
        return "fusion";
    case CauseKind::Copy:
        return "copy between IPUs";
    case CauseKind::Stash:
        return "stash";
    case CauseKind::Size:
        return "size";
    case CauseKind::Setting:
        return "setting";
    case CauseKind::Loop:
        return "loop";
    case CauseKind::Mapping:
        return "tile mapping";
    case CauseKind::Target:
        return "target";
    case CauseKind::Clock:
        return "clock";
    case CauseKind::Launch:
        return "launches";
    case CauseKind::Waiting:
        return "waiting";
    case CauseKind::Host:
        return "host";
    case CauseKind::Code:
        return "code";
    case CauseKind::Liveness:
        return "liveness";
    case CauseKind::FullestTile:
        return "fullest tile";
    case CauseKind::Gaps:
        return "gaps";
    case CauseKind::Unexplained:
        break;
    }
    return "not explained";
}

std::string reason_text(const Cause& cause) {
    return cause.why.empty() ? to_string(cause.kind) : cause.why;
}

std::optional<Explained> explained(const std::vector<Cause>& causes, std::optional<double> Cause::*amount) {
    std::optional<Explained> sum;
    for (const Cause& cause : causes) {
        if (!(cause.*amount))
            continue;
        const double not_told = unexplained_of(cause, amount);
        if (!sum)
            sum.emplace();
        sum->unexplained += not_told;
        sum->explained += *(cause.*amount) - not_told;
    }
    return sum;
}

void largest_first(std::vector<Cause>& causes, std::optional<double> Cause::*amount) {
    std::stable_sort(causes.begin(), causes.end(), [&](const Cause& a, const Cause& b) {
        return std::fabs((a.*amount).value_or(0)) > std::fabs((b.*amount).value_or(0));
    });
}

void close(Cause& cause, std::optional<double> Cause::*amount) {
    largest_first(cause.parts, amount);
    double sum = 0;
    for (const Cause& part : cause.parts)
        sum += (part.*amount).value_or(0);
    cause.*amount = sum;
}

std::string part_text(const Cause& part, const std::string& layer) {
    if (part.kind == CauseKind::Unexplained || part.why.empty())
        return {};
    const bool names_it = part.kind == CauseKind::Fusion;
    const std::string name =
        part.what.starts_with(layer + "/") ? part.what.substr(layer.size() + 1) : part.what;
    return names_it ? part.why : name + ": " + part.why;
}

Result<std::vector<Cause>> causes_of(const BothRuns& runs, const std::vector<FusionChange>& fusions) {
    if (runs.base.costs().elapsed() == 0 || runs.now.costs().elapsed() == 0)
        return std::vector<Cause>(); // one was never run
    TRY(auto causes, LayerCauses(runs, fusions).all());
    Cause host{copying, {}, 0.0, {}, {}, CauseKind::Host, {}};
    TRY(host.parts, operation_changes(runs, no_operation, no_operation));
    close(host, &Cause::cycles);
    if (!host.parts.empty())
        host.why = part_text(host.parts.front(), {});
    causes.push_back(std::move(host));
    causes.push_back(launches(runs));
    TRY(auto waiting, waiting_cause(runs));
    causes.push_back(std::move(waiting));
    std::erase_if(causes, [](const Cause& cause) { return std::fabs(*cause.cycles) < 1e-6; });
    largest_first(causes, &Cause::cycles);
    const double from = runs.base.summary().target.clock_hz;
    const double to = runs.now.summary().target.clock_hz;
    if (from != to && from > 0 && to > 0)
        causes.insert(causes.begin(), clock(from, to));
    return causes;
}

} // namespace tilescope::analyse
