// SPDX-License-Identifier: GPL-3.0-or-later
#include "split_layers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::OperationRecord;
using Operations = std::vector<const OperationRecord*>;

/// A layer that is a part of one of the other run, with the pairs of their operations, its own first.
struct SplitPart {
    std::int64_t layer = -1;
    std::int64_t whole = -1;
    std::vector<std::pair<const OperationRecord*, const OperationRecord*>> operations;
};

/// Looks for layers of a run with more layers that are parts of those of one with less.
class SplitFinder {
  public:
    /// `partners`: layers of the run with less, by those of the one with more.
    SplitFinder(const Parts& more, const TakenParts& more_taken, const Parts& less,
                const TakenParts& less_taken, std::map<std::int64_t, std::int64_t> partners)
        : more_(more), more_taken_(more_taken), wholes_(std::move(partners)) {
        for (const OperationRecord& operation : more.operations) {
            own_[operation.layer_id].push_back(&operation);
            for (const std::int64_t tensor : operation.outputs)
                producers_[tensor] = operation.layer_id;
            for (const std::int64_t tensor : operation.inputs)
                readers_[tensor].push_back(operation.layer_id);
        }
        for (const OperationRecord& operation : less.operations)
            if (!less_taken.operations.contains(operation.id))
                left_[operation.layer_id].push_back(&operation);
    }

    /// Until nothing more is found, as one part may only be joined with another.
    std::vector<SplitPart> all() {
        std::vector<SplitPart> parts;
        for (bool found = true; found;) {
            found = false;
            for (const profile::LayerRecord& layer : more_.layers) {
                if (more_taken_.layers.contains(layer.id) || wholes_.contains(layer.id))
                    continue;
                auto part = find(layer.id);
                if (!part)
                    continue;
                found = true;
                wholes_[layer.id] = part->whole;
                for (const auto& [own, other] : part->operations)
                    std::erase(left_[part->whole], other);
                parts.push_back(std::move(*part));
            }
        }
        return parts;
    }

  private:
    std::optional<SplitPart> find(std::int64_t layer) const {
        const auto own = own_.find(layer);
        if (own == own_.end())
            return std::nullopt;
        for (const std::int64_t whole : joined(own->second))
            if (auto part = part_of(layer, own->second, whole))
                return part;
        return std::nullopt;
    }
    /// The wholes of the layers that operations are joined with, those that they read first.
    std::vector<std::int64_t> joined(const Operations& operations) const {
        std::vector<std::int64_t> found;
        const auto add = [&](std::int64_t layer) {
            const auto whole = wholes_.find(layer);
            if (whole != wholes_.end() && std::find(found.begin(), found.end(), whole->second) == found.end())
                found.push_back(whole->second);
        };
        for (const OperationRecord* operation : operations)
            for (const std::int64_t tensor : operation->inputs)
                if (const auto producer = producers_.find(tensor); producer != producers_.end())
                    add(producer->second);
        for (const OperationRecord* operation : operations)
            for (const std::int64_t tensor : operation->outputs)
                if (const auto readers = readers_.find(tensor); readers != readers_.end())
                    for (const std::int64_t layer : readers->second)
                        add(layer);
        return found;
    }
    std::optional<SplitPart> part_of(std::int64_t layer, const Operations& own, std::int64_t whole) const {
        const auto left = left_.find(whole);
        if (left == left_.end())
            return std::nullopt;
        SplitPart part{layer, whole, {}};
        bool does_forward = false;
        std::map<profile::Phase, std::size_t> from; // what comes next of each phase
        for (const OperationRecord* operation : own) {
            if (more_taken_.operations.contains(operation->id))
                return std::nullopt;
            const bool forward = operation->phase == profile::Phase::Forward;
            std::size_t& next = from[operation->phase];
            std::size_t at = next;
            while (at < left->second.size() &&
                   !(left->second[at]->phase == operation->phase && same_kind(*left->second[at], *operation)))
                ++at;
            if (at < left->second.size()) {
                part.operations.emplace_back(operation, left->second[at]);
                next = at + 1;
            } else if (forward)
                return std::nullopt;
            does_forward = does_forward || forward;
        }
        return does_forward ? std::optional(std::move(part)) : std::nullopt;
    }

    const Parts& more_;
    const TakenParts& more_taken_;
    std::map<std::int64_t, std::int64_t> wholes_; ///< in the run with less, also of the parts that were found
    std::map<std::int64_t, Operations> own_, left_; ///< by layer
    std::map<std::int64_t, std::int64_t> producers_;
    std::map<std::int64_t, std::vector<std::int64_t>> readers_;
};

} // namespace

void match_split_layers(Matching& matching, const Parts& base, const Parts& now, TakenParts base_taken,
                        TakenParts now_taken) {
    const auto match = [&](std::int64_t here, std::int64_t there) {
        matching.operations[here] = there;
        matching.operation_grounds[here] = MatchGround::Split;
        now_taken.operations.insert(here);
        base_taken.operations.insert(there);
    };
    for (const SplitPart& part : SplitFinder(now, now_taken, base, base_taken, matching.layers).all()) {
        matching.split[part.layer] = part.whole;
        for (const auto& [own, other] : part.operations)
            match(own->id, other->id);
    }
    for (const SplitPart& part :
         SplitFinder(base, base_taken, now, now_taken, by_base(matching.layers)).all()) {
        matching.merged[part.layer] = matching.layers.at(part.whole);
        for (const auto& [own, other] : part.operations)
            match(other->id, own->id);
    }
}

} // namespace tilescope::analyse
