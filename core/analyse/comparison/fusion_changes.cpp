// SPDX-License-Identifier: GPL-3.0-or-later
#include "fusion_changes.h"

#include "base/host_work.h"

#include <algorithm>

namespace tilescope::analyse {
namespace {

using profile::OperationRecord;

/// Looks for operations of one run that are one operation of the other.
class Fusions {
  public:
    Fusions(const BothRuns& runs, bool lost)
        : lost_(lost), matching_(runs.matching), whole_run_(lost ? runs.base : runs.now),
          single_run_(lost ? runs.now : runs.base) {
        for (const auto& [now, base] : runs.matching.operations)
            partners_[lost ? base : now] = lost ? now : base;
        for (const auto& [whole, single] : partners_)
            matched_.insert(single);
    }

    std::vector<FusionChange> all() {
        std::vector<FusionChange> changes;
        for (const OperationRecord& whole : whole_run_.parts().operations) {
            const auto kinds = kinds_of(whole);
            if (kinds.size() < 2)
                continue;
            const std::vector<const OperationRecord*> single = singles_of(whole, kinds);
            if (single.size() < 2)
                continue;
            FusionChange change{lost_, whole.id, {}, {}};
            for (const auto* operation : single) {
                change.single.push_back(operation->id);
                taken_.insert(operation->id);
            }
            change.why = words(whole, single);
            changes.push_back(std::move(change));
        }
        return changes;
    }

  private:
    /// Operations that are connected, and together do as many things as the fused one: from the one that is
    /// matched with it on, or else from one that does what is among its own.
    std::vector<const OperationRecord*> singles_of(const OperationRecord& whole,
                                                   const std::vector<std::string>& kinds) const {
        const auto partner = partners_.find(whole.id);
        const OperationRecord* seed = nullptr;
        if (partner != partners_.end())
            seed = single_run_.operation(partner->second);
        else
            for (const OperationRecord& operation : single_run_.parts().operations)
                if (seed == nullptr && may_stand_for(operation, whole) &&
                    std::find(kinds.begin(), kinds.end(), kinds_of(operation).front()) != kinds.end())
                    seed = &operation;
        if (seed == nullptr || kinds_of(*seed).size() >= kinds.size())
            return {};
        std::vector<const OperationRecord*> found{seed};
        std::size_t done = kinds_of(*seed).size();
        for (std::size_t i = 0; i < found.size() && done < kinds.size(); ++i)
            for (const OperationRecord* next : neighbours(*found[i])) {
                if (done >= kinds.size() || !may_stand_for(*next, whole) ||
                    std::find(found.begin(), found.end(), next) != found.end())
                    continue;
                found.push_back(next);
                done += kinds_of(*next).size();
            }
        std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
        return found;
    }
    std::vector<const OperationRecord*> neighbours(const OperationRecord& operation) const {
        std::vector<const OperationRecord*> all;
        for (const std::int64_t tensor : operation.inputs)
            if (const auto* producer = single_run_.producer(tensor))
                all.push_back(producer);
        for (const std::int64_t tensor : operation.outputs)
            for (const auto* reader : single_run_.readers(tensor))
                all.push_back(reader);
        return all;
    }
    /// One that is in no other operation's place, of the same layer and phase.
    bool may_stand_for(const OperationRecord& operation, const OperationRecord& whole) const {
        const OperationRecord& base = lost_ ? whole : operation;
        const OperationRecord& now = lost_ ? operation : whole;
        const bool same_layer =
            base.layer_id < 0 || now.layer_id < 0
                ? base.layer_id < 0 && now.layer_id < 0
                : matching_.whole_of_base(base.layer_id) == matching_.whole_of_new(now.layer_id);
        return same_layer && operation.phase == whole.phase && !matched_.contains(operation.id) &&
               !taken_.contains(operation.id);
    }
    std::string words(const OperationRecord& whole, const std::vector<const OperationRecord*>& single) const {
        std::string names, kinds;
        for (std::size_t i = 0; i < single.size(); ++i)
            names += (i == 0 ? "" : i + 1 == single.size() ? " and " : ", ") + single[i]->name;
        for (const std::string& kind : kinds_of(whole))
            kinds += (kinds.empty() ? "" : ", ") + kind;
        if (!lost_)
            return names + " are fused, were not (" + whole.name + ": " + kinds + ")";
        return names + " are no longer fused (" + whole.name + " was: " + kinds + ")" + reason(single);
    }
    /// What keeps them apart: a value between them that others read, too, or IPUs.
    std::string reason(const std::vector<const OperationRecord*>& single) const {
        for (const auto* operation : single) {
            if (operation->ipu != single.front()->ipu)
                return ", being on IPU " + std::to_string(single.front()->ipu) + " and " +
                       std::to_string(operation->ipu);
            for (const std::int64_t tensor : operation->outputs) {
                if (const auto* record = single_run_.tensor(tensor);
                    operation != single.back() && record != nullptr &&
                    host_.contains(host_work(HostWork::Stream, record->name)))
                    return ", since " + record->name + " goes to the host";
                const auto readers = single_run_.readers(tensor);
                const OperationRecord* other = nullptr;
                bool within = false;
                for (const auto* reader : readers)
                    if (std::find(single.begin(), single.end(), reader) != single.end())
                        within = true;
                    else
                        other = reader;
                if (within && other != nullptr)
                    return ", since " + other->name + " reads " + operation->name + ", too";
            }
        }
        return {};
    }

    bool lost_;
    const Matching& matching_;
    const RunParts& whole_run_;
    const RunParts& single_run_;
    const Works host_ = single_run_.works(no_operation, every_ipu);
    std::map<std::int64_t, std::int64_t> partners_; ///< in the run of single operations, by fused one
    std::set<std::int64_t> matched_, taken_;        ///< in the run of single operations
};

} // namespace

std::vector<FusionChange> fusion_changes(const BothRuns& runs) {
    std::vector<FusionChange> all = Fusions(runs, true).all();
    for (FusionChange& change : Fusions(runs, false).all())
        all.push_back(std::move(change));
    return all;
}

} // namespace tilescope::analyse
