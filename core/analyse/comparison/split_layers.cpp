// SPDX-License-Identifier: GPL-3.0-or-later
#include "split_layers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::OperationRecord;
using Operations = std::vector<const OperationRecord*>;
using OperationPairs = std::vector<std::pair<const OperationRecord*, const OperationRecord*>>;

/// Of each phase, operations and those of `whole` that do the same, both in their order.
OperationPairs in_order(const Operations& own, const Operations& whole) {
    OperationPairs pairs;
    std::map<profile::Phase, std::size_t> from; // what comes next of each phase
    for (const OperationRecord* operation : own) {
        std::size_t& next = from[operation->phase];
        std::size_t at = next;
        while (at < whole.size() &&
               !(whole[at]->phase == operation->phase && same_kind(*whole[at], *operation)))
            ++at;
        if (at == whole.size())
            continue;
        pairs.emplace_back(operation, whole[at]);
        next = at + 1;
    }
    return pairs;
}

using ByLayer = std::map<std::int64_t, Operations>;

ByLayer operations_of(const Parts& run) {
    ByLayer all;
    for (const OperationRecord& operation : run.operations)
        all[operation.layer_id].push_back(&operation);
    return all;
}

/// The layers that make tensors, by tensor.
std::map<std::int64_t, std::int64_t> producers_of(const Parts& run) {
    std::map<std::int64_t, std::int64_t> producers;
    for (const OperationRecord& operation : run.operations)
        for (const std::int64_t tensor : operation.outputs)
            producers[tensor] = operation.layer_id;
    return producers;
}

void match_operation(Matching& matching, std::int64_t here, std::int64_t there) {
    matching.operations[here] = there;
    matching.operation_grounds[here] = MatchGround::Split;
}

/// A layer that is a part of one of the other run, with the pairs of their operations, its own first.
struct SplitPart {
    std::int64_t layer = -1;
    std::int64_t whole = -1;
    OperationPairs operations;
};

/// Looks for layers of a run with more layers that are parts of those of one with less.
class SplitFinder {
  public:
    /// `partners`: layers of the run with less, by those of the one with more.
    SplitFinder(const Parts& more, const TakenParts& more_taken, const Parts& less,
                const TakenParts& less_taken, std::map<std::int64_t, std::int64_t> partners)
        : more_(more), more_taken_(more_taken), wholes_(std::move(partners)), own_(operations_of(more)),
          producers_(producers_of(more)) {
        for (const OperationRecord& operation : more.operations)
            for (const std::int64_t tensor : operation.inputs)
                readers_[tensor].push_back(operation.layer_id);
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
        const auto taken = [&](const OperationRecord* each) {
            return more_taken_.operations.contains(each->id);
        };
        if (std::ranges::any_of(own, taken))
            return std::nullopt;
        SplitPart part{layer, whole, in_order(own, left->second)};
        const auto forward = [](const OperationRecord* each) {
            return each->phase == profile::Phase::Forward;
        };
        const auto done = std::ranges::count_if(own, forward);
        const auto found =
            std::ranges::count_if(part.operations, [&](const auto& pair) { return forward(pair.first); });
        return done > 0 && found == done ? std::optional(std::move(part)) : std::nullopt;
    }

    const Parts& more_;
    const TakenParts& more_taken_;
    std::map<std::int64_t, std::int64_t> wholes_; ///< in the run with less, also of the parts that were found
    ByLayer own_, left_;                          ///< by layer
    std::map<std::int64_t, std::int64_t> producers_;
    std::map<std::int64_t, std::vector<std::int64_t>> readers_;
};

/// A layer, and the layers that it is in the other run.
struct LayerOfParts {
    std::int64_t whole = -1;
    std::int64_t chief = -1; ///< of the parts, the one with most parameters
    std::vector<std::int64_t> others;
    OperationPairs operations; ///< of the parts and of the whole
};

/// Looks for layers of a run with less layers that are several ones of a run with more.
class PartsFinder {
  public:
    PartsFinder(const Parts& more, const TakenParts& more_taken, const Parts& less,
                const TakenParts& less_taken)
        : more_(more), less_(less), left_(operations_of(less)), own_(operations_of(more)),
          producers_(producers_of(more)) {
        for (const auto& layer : more.layers) {
            more_free_.push_back(is_free(layer.id, more_taken, own_));
            kinds_.push_back(forward_kinds(layer.id, own_));
        }
        for (const auto& layer : less.layers)
            less_free_.push_back(is_free(layer.id, less_taken, left_));
    }

    std::vector<LayerOfParts> all() {
        std::vector<LayerOfParts> found;
        for (std::size_t i = 0; i < less_.layers.size(); ++i)
            if (less_free_[i])
                if (auto parts = parts_of(less_.layers[i]))
                    found.push_back(std::move(*parts));
        return found;
    }

  private:
    static bool is_free(std::int64_t layer, const TakenParts& taken, const ByLayer& operations) {
        const auto own = operations.find(layer);
        return own != operations.end() && !taken.layers.contains(layer) &&
               std::ranges::none_of(own->second, [&](const OperationRecord* operation) {
                   return taken.operations.contains(operation->id);
               });
    }
    /// What a layer does forward, one operator after the other.
    static std::vector<std::string> forward_kinds(std::int64_t layer, const ByLayer& operations) {
        std::vector<std::string> kinds;
        if (const auto own = operations.find(layer); own != operations.end())
            for (const OperationRecord* operation : own->second)
                if (operation->phase == profile::Phase::Forward)
                    for (std::string& kind : kinds_of(*operation))
                        kinds.push_back(std::move(kind));
        return kinds;
    }
    /// Whether a layer reads what one of those from `first` on before it made.
    bool joins(std::size_t first, std::size_t layer) const {
        for (const OperationRecord* operation : own_.at(more_.layers[layer].id))
            for (const std::int64_t tensor : operation->inputs)
                if (const auto producer = producers_.find(tensor); producer != producers_.end())
                    for (std::size_t before = first; before < layer; ++before)
                        if (more_.layers[before].id == producer->second)
                            return true;
        return false;
    }
    std::optional<LayerOfParts> parts_of(const profile::LayerRecord& whole) {
        const std::vector<std::string> kinds = forward_kinds(whole.id, left_);
        for (std::size_t first = 0; !kinds.empty() && first < more_.layers.size(); ++first) {
            std::vector<std::string> together;
            std::int64_t parameters = 0;
            for (std::size_t end = first; end < more_.layers.size() && more_free_[end]; ++end) {
                if (end > first && !joins(first, end))
                    break;
                together.insert(together.end(), kinds_[end].begin(), kinds_[end].end());
                parameters += more_.layers[end].parameters;
                if (together.size() > kinds.size())
                    break;
                if (end > first && together == kinds && parameters == whole.parameters &&
                    sample_shape(more_.layers[end]) == sample_shape(whole))
                    return taken(whole.id, first, end);
            }
        }
        return std::nullopt;
    }
    LayerOfParts taken(std::int64_t whole, std::size_t first, std::size_t last) {
        Operations own;
        for (std::size_t i = first; i <= last; ++i) {
            const Operations& part = own_.at(more_.layers[i].id);
            own.insert(own.end(), part.begin(), part.end());
        }
        std::ranges::sort(own, {}, &OperationRecord::id);
        LayerOfParts found{whole, -1, {}, in_order(own, left_.at(whole))};
        std::size_t chief = first;
        for (std::size_t i = first; i <= last; ++i)
            if (more_.layers[i].parameters > more_.layers[chief].parameters)
                chief = i;
        for (std::size_t i = first; i <= last; ++i) {
            more_free_[i] = false;
            if (i != chief)
                found.others.push_back(more_.layers[i].id);
        }
        found.chief = more_.layers[chief].id;
        return found;
    }

    const Parts& more_;
    const Parts& less_;
    ByLayer left_, own_; ///< of the run with less, and of that with more
    std::map<std::int64_t, std::int64_t> producers_;
    std::vector<bool> more_free_, less_free_;     ///< by place
    std::vector<std::vector<std::string>> kinds_; ///< by place, of the run with more: what it does forward
};

} // namespace

void match_layers_of_parts(Matching& matching, const Parts& base, const Parts& now, TakenParts base_taken,
                           TakenParts now_taken) {
    const auto match = [&](std::int64_t here, std::int64_t there) {
        matching.layers[here] = there;
        matching.layer_grounds[here] = MatchGround::Split;
        now_taken.layers.insert(here);
        base_taken.layers.insert(there);
    };
    for (const LayerOfParts& found : PartsFinder(now, now_taken, base, base_taken).all()) {
        match(found.chief, found.whole);
        for (const std::int64_t other : found.others)
            matching.split[other] = found.whole;
        for (const auto& [own, whole] : found.operations)
            match_operation(matching, own->id, whole->id);
    }
    for (const LayerOfParts& found : PartsFinder(base, base_taken, now, now_taken).all()) {
        match(found.whole, found.chief);
        for (const std::int64_t other : found.others)
            matching.merged[other] = found.chief;
        for (const auto& [own, whole] : found.operations)
            match_operation(matching, whole->id, own->id);
    }
}

void match_split_layers(Matching& matching, const Parts& base, const Parts& now, TakenParts base_taken,
                        TakenParts now_taken) {
    const auto match = [&](std::int64_t here, std::int64_t there) {
        match_operation(matching, here, there);
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
