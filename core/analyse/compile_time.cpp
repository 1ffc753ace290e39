// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/compile_time.h"

#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace tilescope::analyse {
namespace {

using profile::CompileEventRecord;

/// Places what is in `parent` and, below it, what is in that.
class Placement {
  public:
    Placement(const std::vector<CompileEventRecord>& events,
              const std::map<std::string, std::int64_t>& layers, CompileTime& time)
        : layers_(layers), time_(time) {
        for (const CompileEventRecord& event : events)
            inside_[event.parent_id].push_back(&event);
        for (auto& [parent, all] : inside_)
            std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
                return std::tie(a->start_us, a->id) < std::tie(b->start_us, b->id);
            });
    }

    void place(std::int64_t parent, std::int64_t depth, double from, double to) {
        const auto found = inside_.find(parent);
        if (found == inside_.end())
            return;
        constexpr std::int64_t passes = 1; // and what is above have a time of their own
        double together = 0;
        for (const CompileEventRecord* event : found->second)
            together += static_cast<double>(event->duration_us);
        const double scale = together > to - from && together > 0 ? (to - from) / together : 1;
        for (const CompileEventRecord* event : found->second) {
            const auto length = static_cast<double>(event->duration_us);
            const double begin = depth <= passes ? static_cast<double>(event->start_us) : from;
            const double end = begin + (depth <= passes ? length : length * scale);
            add(*event, depth, begin, end);
            place(event->id, depth + 1, begin, end);
            from = end;
        }
    }

  private:
    void add(const CompileEventRecord& event, std::int64_t depth, double from, double to) {
        const auto layer = layers_.find(event.name);
        time_.parts.push_back({event, depth, from, to, layer == layers_.end() ? -1 : layer->second});
        time_.depth = std::max(time_.depth, depth);
    }

    std::map<std::int64_t, std::vector<const CompileEventRecord*>> inside_; ///< by parent
    const std::map<std::string, std::int64_t>& layers_;                     ///< by the name of their part
    CompileTime& time_;
};

} // namespace

std::optional<double> CompileTime::share(const CompilePart& part) const {
    if (total_us <= 0)
        return std::nullopt;
    return static_cast<double>(part.event.duration_us) / static_cast<double>(total_us);
}

const CompilePart* CompileTime::longest_pass() const {
    const CompilePart* longest = nullptr;
    for (const CompilePart& part : parts)
        if (part.depth == 1 && (longest == nullptr || part.event.duration_us > longest->event.duration_us))
            longest = &part;
    return longest;
}

const CompilePart* CompileTime::part(std::int64_t event_id) const {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const CompilePart& part) { return part.event.id == event_id; });
    return found == parts.end() ? nullptr : &*found;
}

const CompilePart* CompileTime::whole_of(const CompilePart& of) const {
    return of.event.parent_id < 0 ? nullptr : part(of.event.parent_id);
}

std::vector<const CompilePart*> CompileTime::parts_of(const CompilePart& of) const {
    std::vector<const CompilePart*> own;
    for (const CompilePart& each : parts)
        if (each.event.parent_id == of.event.id)
            own.push_back(&each);
    std::stable_sort(own.begin(), own.end(), [](const auto* a, const auto* b) {
        return a->event.duration_us > b->event.duration_us;
    });
    return own;
}

const CompilePart* CompileTime::part_named(const std::string& name) const {
    const auto found = std::find_if(parts.begin(), parts.end(),
                                    [&](const CompilePart& each) { return each.event.name == name; });
    return found == parts.end() ? nullptr : &*found;
}

Result<CompileTime> read_compile_time(const profile::Profile& profile) {
    TRY(const auto events, profile.compile_events());
    TRY(const auto layers, profile.layers());
    CompileTime time;
    std::map<std::string, std::int64_t> layer_of;
    for (const auto& layer : layers)
        layer_of["layer " + layer.name] = layer.id;
    for (const CompileEventRecord& event : events)
        if (event.parent_id < 0)
            time.total_us = std::max(time.total_us, event.start_us + event.duration_us);
    Placement(events, layer_of, time).place(-1, 0, 0, static_cast<double>(time.total_us));
    if (time.parts.size() != events.size())
        return bad_input("the compilation's passes do not form a tree", {}, "record the profile again");
    TRY(time.made, profile.program_size());
    TRY(const auto run, profile.run());
    time.run_us = std::llround(run.compile_s * 1e6);
    return time;
}

std::int64_t products_of(const std::vector<ChosenPlan>& plans) {
    std::int64_t products = 0;
    for (const ChosenPlan& plan : plans)
        products += static_cast<std::int64_t>(plan.operations.size());
    return products;
}

Result<std::vector<ChosenPlan>> chosen_plans(const profile::Profile& profile) {
    TRY(const auto records, profile.plans());
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::size_t> known; ///< what is the same
    std::map<std::pair<std::int64_t, std::string>, std::size_t> first; ///< by the product that stands for it
    std::vector<ChosenPlan> plans;
    for (const auto& record : records) {
        if (record.rank != 0)
            continue;
        const auto [at, added] =
            known.try_emplace({record.description, record.cycles, record.temporary_bytes}, plans.size());
        if (added) {
            first[{record.operation_id, record.product}] = plans.size();
            plans.push_back({record, {}, std::nullopt});
        }
        plans[at->second].operations.push_back(record.operation_id);
    }
    for (const auto& record : records)
        if (const auto at = first.find({record.operation_id, record.product});
            record.rank == 1 && at != first.end())
            plans[at->second].other = record;
    std::stable_sort(plans.begin(), plans.end(), [](const ChosenPlan& a, const ChosenPlan& b) {
        return a.record.cycles * static_cast<std::int64_t>(a.operations.size()) >
               b.record.cycles * static_cast<std::int64_t>(b.operations.size());
    });
    return plans;
}

} // namespace tilescope::analyse
