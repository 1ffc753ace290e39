// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_causes.h"

#include "base/text.h"
#include "base/try.h"
#include "causes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace tilescope::analyse {
namespace {

using profile::MemoryCategory;
using profile::VariableRecord;

/// A variable, by what it is called in the base, and its category.
using VariableKey = std::pair<MemoryCategory, std::string>;

/// The variables of one run of one key: several, where operations make them more than once or on more IPUs.
struct Variables {
    struct OfIpu {
        const VariableRecord* record; ///< of the IPU of the first replica that has the same
        std::int64_t ipu;
    };
    std::vector<OfIpu> placed;
    std::int64_t held = 0; ///< bytes on the fullest tile, whether they live or not when it holds most
    std::int64_t live = 0; ///< of these, then
    std::int64_t all() const {
        return std::accumulate(placed.begin(), placed.end(), std::int64_t{0},
                               [](std::int64_t sum, const OfIpu& each) { return sum + each.record->bytes; });
    }
};
using VariablesByKey = std::map<VariableKey, Variables>;

/// What changed of the variables on the fullest tiles of two runs.
class VariableChanges {
  public:
    VariableChanges(const BothRuns& runs, const std::vector<FusionChange>& fusions, const TileUse& base,
                    const TileUse& now)
        : runs_(runs), base_use_(base), now_use_(now), layer_in_now_(wholes_in_now(runs.matching)),
          operation_in_now_(by_base(runs.matching.operations)), split_in_now_(split_in_now(runs.matching)) {
        for (const FusionChange& change : fusions) {
            (change.lost ? fused_base_ : fused_now_)[change.whole] = change.why;
            for (const std::int64_t single : change.single)
                (change.lost ? fused_now_ : fused_base_)[single] = change.why;
        }
    }
    Result<std::vector<Cause>> all() {
        base_ = held(base_use_, false);
        now_ = held(now_use_, true);
        std::set<VariableKey> keys; // of what the tile of either run holds
        for (const VariablesByKey* side : {&base_, &now_})
            for (const auto& [key, variables] : *side)
                keys.insert(key);
        find(runs_.base, keys, base_, false);
        find(runs_.now, keys, now_, true);
        std::map<std::string, Cause> causes; // by layer, or by category
        for (const VariablesByKey* side : {&base_, &now_})
            for (const auto& [key, variables] : *side) {
                if (side == &now_ && base_.contains(key))
                    continue; // told with the base
                const Variables& a = of(base_, key);
                const Variables& b = of(now_, key);
                if (a.live == b.live || (a.placed.empty() && b.placed.empty()))
                    continue; // none is placed where the file's tables contradict each other
                TRY(auto part, change(key, a, b));
                const auto [layer, name] = cause_of(key, a, b);
                Cause& cause =
                    causes.try_emplace(name, Cause{name, {}, {}, 0.0, {}, layer, {}}).first->second;
                by_category_[name][key.first] += b.live - a.live;
                cause.parts.push_back(std::move(part));
            }
        std::vector<Cause> list;
        for (auto& [name, cause] : causes) {
            close(cause, &Cause::bytes);
            cause.why = why(cause);
            list.push_back(std::move(cause));
        }
        std::erase_if(list, [](const Cause& cause) { return *cause.bytes == 0; });
        largest_first(list, &Cause::bytes);
        return list;
    }

  private:
    static const Variables& of(const VariablesByKey& side, const VariableKey& key) {
        static const Variables none;
        const auto found = side.find(key);
        return found == side.end() ? none : found->second;
    }
    VariablesByKey held(const TileUse& use, bool is_now) const {
        VariablesByKey result;
        for (const auto& [variable, bytes] : use.variables) {
            Variables& own = result[key_of(variable, is_now)];
            own.held += bytes;
            own.live += live_at(variable, use.peak.step) ? bytes : 0;
        }
        return result;
    }
    /// All variables of a run of these keys, wherever they are.
    void find(const RunParts& run, const std::set<VariableKey>& keys, VariablesByKey& side,
              bool is_now) const {
        for (const VariableRecord* variable : run.variables())
            if (const auto key = key_of(*variable, is_now); keys.contains(key))
                for (const std::int64_t ipu : run.alike(variable->ipu))
                    side[key].placed.push_back({variable, ipu});
    }
    VariableKey key_of(const VariableRecord& variable, bool is_now) const {
        return {variable.category, is_now ? runs_.old_names.of(variable) : variable.name};
    }
    /// The layer that a variable is of, or what stands for those of none: its category.
    std::pair<CauseKind, std::string> cause_of(const VariableKey& key, const Variables& a,
                                               const Variables& b) {
        const bool in_now = !b.placed.empty();
        std::int64_t layer = (in_now ? b : a).placed.front().record->layer_id;
        const auto& wholes = in_now ? split_in_now_ : layer_in_now_;
        const auto whole = wholes.find(layer);
        const bool named_by_now = in_now || whole != wholes.end();
        if (whole != wholes.end())
            layer = whole->second;
        for (const auto& record : (named_by_now ? runs_.now : runs_.base).parts().layers)
            if (record.id == layer)
                return {CauseKind::Layer, named_by_now ? record.name : gone(record.name)};
        return {is_code(key.first) ? CauseKind::Code : CauseKind::Layer, to_string(key.first)};
    }
    /// The name of a layer that only the base has.
    std::string gone(const std::string& layer) {
        return *gone_.insert(name_beside(layer, runs_.now.parts())).first;
    }
    std::string why(const Cause& cause) const {
        const auto& layers = runs_.now.parts().layers;
        const auto now = std::find_if(layers.begin(), layers.end(),
                                      [&](const auto& layer) { return layer.name == cause.what; });
        const bool in_now = now != layers.end();
        const bool in_base = gone_.contains(cause.what);
        const bool more = in_now && !runs_.matching.layers.contains(now->id);
        const bool less = !in_now && in_base;
        std::string text = more                  ? "a layer more"
                           : less                ? "a layer less"
                           : !in_now && !in_base ? "of no layer"
                                                 : "";
        if (in_now || in_base) {
            BytesByCategory by = by_category_.at(cause.what);
            std::erase_if(by, [](const auto& row) { return row.second == 0; });
            text += (text.empty() ? "" : ": ") + categories_text(by, true);
        }
        const std::string part = part_text(cause.parts.front(), cause.what);
        return part.empty() || more || less ? text : text + "; " + part;
    }

    Result<Cause> change(const VariableKey& key, const Variables& a, const Variables& b) {
        const std::string& name = (b.placed.empty() ? a : b).placed.front().record->name;
        Cause cause{name, {}, {}, static_cast<double>(b.live - a.live), {}, CauseKind::Unexplained, {}};
        if (a.held == b.held) {
            cause.kind = CauseKind::Liveness;
            cause.why = b.live > a.live ? "is live where the tile holds most, was not"
                                        : "is no longer live where the tile holds most";
        } else if (a.placed.empty() || b.placed.empty())
            presence(cause, key.first, a, b);
        else {
            TRY(difference(cause, key.first, a, b));
        }
        return cause;
    }
    /// Of a variable that only one run has.
    void presence(Cause& cause, MemoryCategory category, const Variables& a, const Variables& b) const {
        const bool is_new = a.placed.empty();
        const VariableRecord& record = *(is_new ? b : a).placed.front().record;
        const bool has_partner = is_new ? runs_.matching.operations.contains(record.operation_id)
                                        : operation_in_now_.contains(record.operation_id);
        const auto* operation = (is_new ? runs_.now : runs_.base).operation(record.operation_id);
        if (record.role == StepRole::Push || record.role == StepRole::Pop) {
            cause.kind = CauseKind::Stash;
            cause.why = is_new ? "kept for the backward pass of the pipeline, was not"
                               : "no longer kept for the backward pass of the pipeline";
        } else if (const auto fusion = (is_new ? fused_now_ : fused_base_).find(record.operation_id);
                   fusion != (is_new ? fused_now_ : fused_base_).end()) {
            cause.kind = CauseKind::Fusion;
            cause.why = fusion->second;
        } else if (record.role == StepRole::Copy) {
            cause.kind = CauseKind::Copy;
            cause.why = is_new ? "is copied to this IPU, was not" : "is no longer copied to the IPU";
        } else if (is_code(category)) {
            cause.kind = CauseKind::Code;
            cause.why = is_new ? "code that is run now, was not" : "code that is no longer run";
        } else if (operation != nullptr && !has_partner) {
            cause.kind = CauseKind::Operation;
            cause.why =
                (is_new ? "of an operation more (" : "of an operation less (") + operation->name + ")";
        } else if (category == MemoryCategory::RearrangementBuffers) {
            cause.kind = CauseKind::Rearrangement;
            cause.why = is_new ? "a rearrangement more" : "a rearrangement less";
        } else if (const std::string plan = plan_of(record.operation_id, is_new); !plan.empty()) {
            cause.kind = CauseKind::Plan;
            cause.why = plan;
        } else {
            cause.kind = CauseKind::Operation;
            cause.why = is_new ? "a variable more" : "a variable less";
        }
    }
    Result<void> difference(Cause& cause, MemoryCategory category, const Variables& a,
                            const Variables& b) const {
        const VariableRecord &before = *a.placed.front().record, &after = *b.placed.front().record;
        TRY(const Place base, place(runs_.base, a));
        TRY(const Place now, place(runs_.now, b));
        const std::string plan = plan_of(after.operation_id, true);
        const std::string lies = place_change(base, now);
        if (is_code(category) && !lies.empty()) {
            cause.kind = CauseKind::Code;
            cause.why = a.all() == b.all()
                            ? lies
                            : bytes_text(static_cast<double>(b.all())) + " on " + place_text(now, false) +
                                  ", was " + bytes_text(static_cast<double>(a.all())) + " on " +
                                  place_text(base, false);
        } else if (!plan.empty()) {
            cause.kind = CauseKind::Plan;
            cause.why = plan;
        } else if (before.shape != after.shape || before.dtype != after.dtype) {
            cause.kind = CauseKind::Size;
            cause.why = "is " + profile::type_text(after) + ", was " + profile::type_text(before);
        } else if (!lies.empty()) {
            cause.kind = CauseKind::Mapping;
            cause.why = lies;
        } else if (base_use_.tile.tile != now_use_.tile.tile || base_use_.tile.ipu != now_use_.tile.ipu) {
            cause.kind = CauseKind::FullestTile;
            cause.why = "tile " + count_text(now_use_.tile.tile) + " of IPU " +
                        std::to_string(now_use_.tile.ipu) + " is the fullest, was tile " +
                        count_text(base_use_.tile.tile) + " of IPU " + std::to_string(base_use_.tile.ipu);
        }
        return {};
    }
    /// What is planned otherwise of the operation that makes a variable.
    std::string plan_of(std::int64_t operation, bool in_now) const {
        if (operation < 0)
            return {};
        const auto& partners = in_now ? runs_.matching.operations : operation_in_now_;
        const auto partner = partners.find(operation);
        if (partner == partners.end())
            return {};
        const std::string change = in_now ? plan_change(runs_, partner->second, operation)
                                          : plan_change(runs_, operation, partner->second);
        const auto* record = runs_.now.operation(in_now ? operation : partner->second);
        return change.empty() || record == nullptr ? std::string() : "since " + record->name + " " + change;
    }
    static Result<Place> place(const RunParts& run, const Variables& variables) {
        Place place;
        for (const auto& [record, ipu] : variables.placed) {
            TRY(const auto bytes, run.file().tile_values("variable", record->id, ipu, "bytes"));
            auto& sum = place[ipu];
            sum.resize(std::max(sum.size(), bytes.size()));
            std::transform(bytes.begin(), bytes.end(), sum.begin(), sum.begin(), std::plus<>());
        }
        return place;
    }

    const BothRuns& runs_;
    const TileUse& base_use_;
    const TileUse& now_use_;
    std::map<std::int64_t, std::int64_t> layer_in_now_, operation_in_now_; ///< by id in the base
    std::map<std::int64_t, std::int64_t> split_in_now_; ///< wholes of layers of the new run, by its ids
    std::map<std::int64_t, std::string> fused_base_, fused_now_; ///< why, by operation
    VariablesByKey base_, now_;
    std::map<std::string, BytesByCategory> by_category_; ///< changes, by cause
    std::set<std::string> gone_;                         ///< causes: layers that only the base has
};

} // namespace

Result<std::vector<Cause>> memory_causes(const BothRuns& runs, const std::vector<FusionChange>& fusions,
                                         const TileUse& base, const TileUse& now) {
    TRY(auto causes, VariableChanges(runs, fusions, base, now).all());
    if (now.gaps != base.gaps) // last, since they follow from all others
        causes.push_back({"gaps between allocations",
                          {},
                          {},
                          static_cast<double>(now.gaps - base.gaps),
                          {},
                          CauseKind::Gaps,
                          {}});
    return causes;
}

} // namespace tilescope::analyse
