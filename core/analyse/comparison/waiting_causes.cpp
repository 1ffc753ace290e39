// SPDX-License-Identifier: GPL-3.0-or-later
#include "waiting_causes.h"

#include "analyse/phases.h"
#include "base/text.h"
#include "base/try.h"
#include "both_files.h"
#include "causes.h"
#include "critical_path.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace tilescope::analyse {
namespace {

constexpr double least = 1e-6; ///< cycles: below it they are the same

std::string change_in_cycles(double by) {
    return signed_text(by, number_text(by)) + (std::fabs(by) == 1 ? " cycle" : " cycles");
}

/// Of one operation, per basis.
struct Held {
    double path = 0;
    double compute = 0; ///< of it
    double work = 0;    ///< of the IPUs that are compared
    std::int64_t ipu = -1;
};

/// One side of the comparison.
struct WaitingRun {
    const RunParts& run;
    const std::map<std::int64_t, PathCost>& path;
    double per; ///< bases in an engine run
    std::int64_t ipu;

    /// How many IPUs are compared.
    double ipus() const { return ipu == every_ipu ? static_cast<double>(run.costs().ipus().size()) : 1; }
    double waiting() const { return static_cast<double>(run.costs().beside(ipu).waiting) / per; }
    Held of(std::int64_t operation) const {
        Held held;
        if (const auto on_path = path.find(operation); on_path != path.end())
            held = {static_cast<double>(on_path->second.cycles) / per,
                    static_cast<double>(on_path->second.compute) / per, 0, on_path->second.ipu};
        held.work = static_cast<double>(run.costs().operation(operation, ipu).cycles.total()) / per;
        return held;
    }
};

class WaitingCauses {
  public:
    WaitingCauses(const BothRuns& runs, const WaitingRun& base, const WaitingRun& now)
        : runs_(runs), base_(base), now_(now), layer_in_now_(wholes_in_now(runs.matching)),
          base_layers_(names_of_layers(runs.base)), now_layers_(names_of_layers(runs.now)) {}

    std::vector<Cause> all() {
        std::set<std::int64_t> told; // of the base
        for (const auto& operation : runs_.now.parts().operations) {
            const auto partner = runs_.matching.operations.find(operation.id);
            const bool in_both = partner != runs_.matching.operations.end();
            if (in_both)
                told.insert(partner->second);
            add(name_of(operation.layer_id, now_layers_), operation.name,
                in_both ? base_.of(partner->second) : Held(), now_.of(operation.id));
        }
        for (const auto& operation : runs_.base.parts().operations)
            if (!told.contains(operation.id))
                add(layer_in_base(operation), operation.name, base_.of(operation.id), Held());
        add(copying, copying, base_.of(no_operation), now_.of(no_operation));
        std::vector<Cause> causes;
        for (auto& [name, parts] : layers_) {
            Cause cause{name, {}, 0.0, {}, {}, CauseKind::Waiting, std::move(parts)};
            close(cause, &Cause::cycles);
            cause.why = part_text(cause.parts.front(), name);
            causes.push_back(std::move(cause));
        }
        return causes;
    }

  private:
    using LayerNames = std::unordered_map<std::int64_t, std::string>; ///< by id
    static LayerNames names_of_layers(const RunParts& run) {
        LayerNames names;
        for (const auto& layer : run.parts().layers)
            names.emplace(layer.id, layer.name);
        return names;
    }
    static std::string name_of(std::int64_t layer, const LayerNames& names) {
        const auto found = names.find(layer);
        return found == names.end() ? of_no_layer : found->second;
    }
    /// By its name in the new run, where that has it.
    std::string layer_in_base(const profile::OperationRecord& operation) const {
        const auto partner = layer_in_now_.find(operation.layer_id);
        return partner == layer_in_now_.end() ? name_of(operation.layer_id, base_layers_)
                                              : name_of(partner->second, now_layers_);
    }
    void add(const std::string& layer, const std::string& operation, const Held& base, const Held& now) {
        const double by = (now_.ipus() * now.path - now.work) - (base_.ipus() * base.path - base.work);
        if (std::fabs(by) < least)
            return;
        layers_[layer].push_back({operation, why(base, now), by, {}, {}, CauseKind::Waiting, {}});
    }
    std::string why(const Held& base, const Held& now) const {
        const double by = now.path - base.path, work = now.work - base.work;
        std::string more = base.path > 0 && now.path > 0 ? other_ipus() : std::string();
        if (std::fabs(by) < least && std::fabs(work) < least && !more.empty())
            return more;
        std::string text;
        if (std::fabs(by) < least)
            text = "takes " + change_in_cycles(work) + " while others are waited for";
        else {
            text = base.path == 0  ? "is waited for, was not: "
                   : now.path == 0 ? "is no longer waited for: "
                                   : "is waited for ";
            text += change_in_cycles(by) + " on IPU " + std::to_string(now.ipu >= 0 ? now.ipu : base.ipu);
            if (const double compute = now.compute - base.compute; std::fabs(compute) >= least)
                text += ", its slowest tile " + change_in_cycles(compute);
        }
        return more.empty() ? text : text + "; " + more;
    }
    /// How many more or less wait for what is on the path; "" where as many are compared.
    std::string other_ipus() const {
        const auto by = static_cast<std::int64_t>(now_.ipus() - base_.ipus());
        return by == 0    ? ""
               : by == 1  ? "another IPU now waits while it runs"
               : by == -1 ? "one IPU less waits while it runs"
               : by > 0   ? count_text(by) + " more IPUs now wait while it runs"
                          : count_text(-by) + " IPUs less wait while it runs";
    }

    const BothRuns& runs_;
    const WaitingRun& base_;
    const WaitingRun& now_;
    const std::map<std::int64_t, std::int64_t> layer_in_now_; ///< by id in the base
    const LayerNames base_layers_, now_layers_;
    std::map<std::string, std::vector<Cause>> layers_;
};

/// "IPU 1 waits +1,200; …", of those IPUs whose waiting changes most.
std::string by_ipu(const BothRuns& runs) {
    std::vector<std::pair<double, std::int64_t>> ipus;
    for (const std::int64_t ipu : runs.now.costs().ipus())
        ipus.emplace_back(runs.in_now(runs.now.costs().beside(ipu).waiting) -
                              runs.in_base(runs.base.costs().beside(ipu).waiting),
                          ipu);
    std::stable_sort(ipus.begin(), ipus.end(),
                     [](const auto& a, const auto& b) { return std::fabs(a.first) > std::fabs(b.first); });
    constexpr std::size_t most = 2;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, ipus.size()); ++i)
        if (ipus[i].first != 0)
            text += (text.empty() ? "IPU " : "; IPU ") + std::to_string(ipus[i].second) + " waits " +
                    change_in_cycles(ipus[i].first);
    return text;
}

} // namespace

Result<Cause> waiting_cause(const BothRuns& runs) {
    const auto per = [&](const RunParts& run) {
        return static_cast<double>(run.costs().loops().count(runs.basis));
    };
    std::map<std::int64_t, PathCost> base_path, now_path;
    const WaitingRun base{runs.base, base_path, per(runs.base), runs.ipu};
    const WaitingRun now{runs.now, now_path, per(runs.now), runs.ipu};
    const double change = now.waiting() - base.waiting();
    Cause cause{phase_of(TimeKind::Waiting).words, {}, change, {}, {}, CauseKind::Waiting, {}};
    if (std::fabs(change) < least)
        return cause;
    TRY(auto paths, read_both({&runs.base.file(), &runs.now.file()},
                              [](const profile::Profile& file, std::size_t) { return critical_path(file); }));
    base_path = std::move(paths[0]);
    now_path = std::move(paths[1]);
    if (!base_path.empty() && !now_path.empty()) {
        cause.parts = WaitingCauses(runs, base, now).all();
        close(cause, &Cause::cycles);
        if (const double rest = change - *cause.cycles; std::fabs(rest) >= least)
            cause.parts.push_back({cause.what, {}, rest, {}, {}, CauseKind::Unexplained, {}});
        cause.cycles = change;
        if (!cause.parts.empty())
            cause.why = part_text(cause.parts.front(), {}) + "; ";
    }
    cause.why += by_ipu(runs);
    return cause;
}

} // namespace tilescope::analyse
