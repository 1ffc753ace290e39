// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/matching.h"

#include "analyse/device_program.h"
#include "base/try.h"
#include "profile/profile.h"
#include "split_layers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace tilescope::analyse {
namespace {

constexpr int apart = 0; ///< two that are not the same
using Score = std::function<int(std::size_t base, std::size_t now)>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>; ///< positions in base and new, rising in both

/// The pairs of two sequences, in order, with the highest sum of scores.
Pairs align(std::size_t base, std::size_t now, const Score& score) {
    std::vector<int> best((base + 1) * (now + 1), 0); // of what begins there
    const auto at = [&](std::size_t i, std::size_t j) -> int& { return best[i * (now + 1) + j]; };
    for (std::size_t i = base; i-- > 0;)
        for (std::size_t j = now; j-- > 0;) {
            at(i, j) = std::max(at(i + 1, j), at(i, j + 1));
            if (const int both = score(i, j); both > apart)
                at(i, j) = std::max(at(i, j), at(i + 1, j + 1) + both);
        }
    Pairs pairs;
    for (std::size_t i = 0, j = 0; i < base && j < now;) {
        const int both = score(i, j);
        if (both > apart && at(i, j) == at(i + 1, j + 1) + both)
            pairs.emplace_back(i++, j++);
        else
            (at(i + 1, j) >= at(i, j + 1) ? i : j)++;
    }
    return pairs;
}

/// "conv2d_1" or "max_pooling2d": a framework counted the layers of that kind. Another layer has the name as
/// soon as one is put in front of it.
bool is_counted(const profile::LayerRecord& layer) {
    const std::size_t last = layer.name.find_last_not_of("0123456789");
    const bool numbered =
        last != std::string::npos && last + 1 < layer.name.size() && layer.name[last] == '_';
    const auto letters = [](std::string_view text) {
        std::string all;
        for (const char c : text)
            if (std::isalnum(static_cast<unsigned char>(c)) != 0)
                all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return all;
    };
    return letters(std::string_view(layer.name).substr(0, numbered ? last : std::string::npos)) ==
           letters(layer.kind);
}

bool of_one_size(const profile::LayerRecord& a, const profile::LayerRecord& b) {
    return sample_shape(a) == sample_shape(b) && a.parameters == b.parameters;
}

/// How alike two layers are. A counted name weighs less than a shape, so that what was renumbered is found.
int likeness(const profile::LayerRecord& a, const profile::LayerRecord& b) {
    if (a.kind != b.kind)
        return apart;
    return 1 + 3 * static_cast<int>(a.name == b.name) +
           4 * static_cast<int>(sample_shape(a) == sample_shape(b)) +
           4 * static_cast<int>(a.parameters == b.parameters);
}

/// What was said by hand of layers, or of operations: which are told, and so are no other's partner.
template<class Record>
class Told {
  public:
    Told(PartKind part, const std::vector<Record>& base, const std::vector<Record>& now,
         const HandMatches& by_hand) {
        const auto find = [](const std::vector<Record>& records, const std::string& name) {
            const auto found = std::find_if(records.begin(), records.end(),
                                            [&](const Record& record) { return record.name == name; });
            return found == records.end() ? std::optional<std::int64_t>() : found->id;
        };
        for (const HandMatch& match : by_hand) {
            if (match.part != part)
                continue;
            const auto there = find(base, match.base);
            const auto here = find(now, match.now);
            if ((!match.base.empty() && !there) || (!match.now.empty() && !here))
                continue;
            if (there)
                base_.insert(*there);
            if (here)
                now_.insert(*here);
            if (there && here)
                pairs_[*here] = *there;
        }
    }
    const std::map<std::int64_t, std::int64_t>& pairs() const { return pairs_; }
    bool in_base(std::int64_t id) const { return base_.contains(id); }
    bool in_now(std::int64_t id) const { return now_.contains(id); }
    const std::set<std::int64_t>& of_base() const { return base_; }
    const std::set<std::int64_t>& of_now() const { return now_; }

  private:
    std::map<std::int64_t, std::int64_t> pairs_;
    std::set<std::int64_t> base_, now_;
};

using ToldLayers = Told<profile::LayerRecord>;

void match_layers(Matching& matching, const Parts& base, const Parts& now, const ToldLayers& told) {
    auto& matched = matching.layers;
    matched = told.pairs();
    std::map<std::string, const profile::LayerRecord*> named;
    std::map<std::int64_t, bool> taken; // of the base
    for (const auto& layer : base.layers)
        if (told.in_base(layer.id))
            taken[layer.id] = true;
        else
            named[layer.name] = &layer;
    for (const auto& [here, there] : matched)
        matching.layer_grounds[here] = MatchGround::ByHand;
    for (const auto& layer : now.layers)
        if (const auto found = named.find(layer.name);
            found != named.end() && found->second->kind == layer.kind && !told.in_now(layer.id) &&
            (!is_counted(layer) || of_one_size(*found->second, layer))) {
            matched[layer.id] = found->second->id;
            matching.layer_grounds[layer.id] = MatchGround::Name;
            taken[found->second->id] = true;
        }
    // Those of equal names hold the others in their places.
    constexpr int anchor = 1000;
    const auto score = [&](std::size_t i, std::size_t j) {
        const auto partner = matched.find(now.layers[j].id);
        if (partner != matched.end())
            return partner->second == base.layers[i].id ? anchor : apart;
        return taken[base.layers[i].id] || told.in_now(now.layers[j].id)
                   ? apart
                   : likeness(base.layers[i], now.layers[j]);
    };
    for (const auto& [i, j] : align(base.layers.size(), now.layers.size(), score))
        if (matched.try_emplace(now.layers[j].id, base.layers[i].id).second)
            matching.layer_grounds[now.layers[j].id] =
                base.layers[i].name == now.layers[j].name ? MatchGround::Name : MatchGround::Order;
}

std::map<std::string, std::string> renamed_layers(const Matching& matching, const Parts& base,
                                                  const Parts& now) {
    std::map<std::int64_t, std::string> base_names;
    for (const auto& layer : base.layers)
        base_names[layer.id] = layer.name;
    std::set<std::string> of_others; // names in the base of what is called otherwise now
    std::map<std::string, std::string> renamed;
    for (const auto& layer : now.layers)
        if (const auto partner = matching.layers.find(layer.id);
            partner != matching.layers.end() && base_names[partner->second] != layer.name) {
            renamed[layer.name] = base_names[partner->second];
            of_others.insert(base_names[partner->second]);
        }
    for (const auto& layer : now.layers)
        if (!matching.layers.contains(layer.id) && of_others.contains(layer.name))
            renamed[layer.name] = layer.name + " (new)";
    return renamed;
}

void match_splits(Matching& matching, const Parts& base, const Parts& now, const ToldLayers& layers,
                  const Told<profile::OperationRecord>& operations) {
    TakenParts base_taken{layers.of_base(), operations.of_base()};
    TakenParts now_taken{layers.of_now(), operations.of_now()};
    for (const auto& [here, there] : matching.operations) {
        now_taken.operations.insert(here);
        base_taken.operations.insert(there);
    }
    for (const auto& [part, whole] : matching.split)
        now_taken.layers.insert(part);
    for (const auto& [part, whole] : matching.merged)
        base_taken.layers.insert(part);
    match_split_layers(matching, base, now, std::move(base_taken), std::move(now_taken));
}

void match_parts(Matching& matching, const Parts& base, const Parts& now, const ToldLayers& layers,
                 const Told<profile::OperationRecord>& operations) {
    TakenParts base_taken{layers.of_base(), operations.of_base()};
    TakenParts now_taken{layers.of_now(), operations.of_now()};
    for (const auto& [here, there] : matching.layers) {
        now_taken.layers.insert(here);
        base_taken.layers.insert(there);
    }
    match_layers_of_parts(matching, base, now, std::move(base_taken), std::move(now_taken));
}

using Group = std::pair<std::int64_t, profile::Phase>; ///< a layer of the base, and a phase

} // namespace

std::vector<std::int64_t> sample_shape(const profile::LayerRecord& layer) {
    std::vector<std::int64_t> extents;
    const char* const end = layer.output_shape.data() + layer.output_shape.size();
    for (const char* at = layer.output_shape.data(); at != end;) {
        std::int64_t extent = 0;
        const auto [behind, error] = std::from_chars(at, end, extent);
        if (error == std::errc())
            extents.push_back(extent);
        at = behind == at ? at + 1 : behind;
    }
    if (!extents.empty())
        extents.erase(extents.begin());
    return extents;
}

std::map<std::int64_t, std::int64_t> by_base(const std::map<std::int64_t, std::int64_t>& matched) {
    std::map<std::int64_t, std::int64_t> inverse;
    for (const auto& [now, base] : matched)
        inverse.emplace(base, now);
    return inverse;
}

std::string with_old_names(const std::string& name, const std::map<std::string, std::string>& renamed) {
    std::string result;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        const auto old = renamed.find(part);
        result += (begin == 0 ? "" : "/") + (old == renamed.end() ? part : old->second);
        begin = end + 1;
    }
    return result;
}

std::string name_beside(const std::string& layer, const Parts& now) {
    const bool taken = std::any_of(now.layers.begin(), now.layers.end(),
                                   [&](const profile::LayerRecord& other) { return other.name == layer; });
    return taken ? layer + " of the base" : layer;
}

std::vector<std::string> kinds_of(const profile::OperationRecord& operation) {
    return operation.parts.empty() ? std::vector<std::string>{operation.kind} : operation.parts;
}

bool same_kind(const profile::OperationRecord& a, const profile::OperationRecord& b) {
    const auto holds = [](const profile::OperationRecord& whole, const profile::OperationRecord& part) {
        return std::find(whole.parts.begin(), whole.parts.end(), part.kind) != whole.parts.end();
    };
    return a.kind == b.kind || holds(a, b) || holds(b, a);
}

std::int64_t Matching::whole_of_new(std::int64_t layer) const {
    for (const auto* in_base : {&layers, &split})
        if (const auto found = in_base->find(layer); found != in_base->end())
            return found->second;
    return -1;
}

std::int64_t Matching::whole_of_base(std::int64_t layer) const {
    const auto found = merged.find(layer);
    return found == merged.end() ? layer : found->second;
}

std::map<std::int64_t, std::int64_t> wholes_in_now(const Matching& matching) {
    auto wholes = by_base(matching.layers);
    for (const auto& [part, whole] : matching.merged)
        wholes.emplace(part, wholes.at(whole));
    return wholes;
}

std::map<std::int64_t, std::int64_t> split_in_now(const Matching& matching) {
    const auto in_now = by_base(matching.layers);
    std::map<std::int64_t, std::int64_t> wholes;
    for (const auto& [part, whole] : matching.split)
        wholes.emplace(part, in_now.at(whole));
    return wholes;
}

std::string joined_names(const std::vector<std::string>& layers) {
    std::string text;
    for (const std::string& layer : layers)
        text += (text.empty() ? "" : " + ") + layer;
    return text;
}

Result<Parts> Parts::read(const profile::Profile& file) {
    Parts parts;
    TRY(parts.layers, file.layers());
    TRY(parts.operations, file.operations());
    return parts;
}

Matching match(const Parts& base, const Parts& now, const HandMatches& by_hand) {
    Matching matching;
    const ToldLayers layers(PartKind::Layer, base.layers, now.layers, by_hand);
    match_layers(matching, base, now, layers);
    // What was said of layers holds for their operations, whatever these are called.
    const auto may_be = [&](const profile::OperationRecord& there, const profile::OperationRecord& here) {
        if (!layers.in_base(there.layer_id) && !layers.in_now(here.layer_id))
            return true;
        const auto partner = matching.layers.find(here.layer_id);
        return partner != matching.layers.end() && partner->second == there.layer_id;
    };
    const Told<profile::OperationRecord> told(PartKind::Operation, base.operations, now.operations, by_hand);
    matching.operations = told.pairs();
    for (const auto& [here, there] : matching.operations)
        matching.operation_grounds[here] = MatchGround::ByHand;
    match_parts(matching, base, now, layers, told);
    const auto of_parts = by_base(matching.operations);
    matching.renamed = renamed_layers(matching, base, now);
    const std::map<std::string, std::string>& renamed = matching.renamed;
    std::map<std::string, const profile::OperationRecord*> named;
    for (const auto& operation : base.operations)
        if (!told.in_base(operation.id) && !of_parts.contains(operation.id))
            named[operation.name] = &operation;
    std::map<Group, std::pair<std::vector<const profile::OperationRecord*>,
                              std::vector<const profile::OperationRecord*>>>
        left;
    for (const auto& operation : now.operations) {
        if (told.in_now(operation.id) || matching.operations.contains(operation.id))
            continue;
        const auto found = named.find(with_old_names(operation.name, renamed));
        if (found != named.end() && found->second != nullptr && same_kind(*found->second, operation) &&
            may_be(*found->second, operation)) {
            matching.operations[operation.id] = found->second->id;
            matching.operation_grounds[operation.id] =
                found->second->name == operation.name ? MatchGround::Name : MatchGround::Renamed;
            found->second = nullptr; // has its partner
            continue;
        }
        const auto layer = matching.layers.find(operation.layer_id);
        if (layer != matching.layers.end() || operation.layer_id < 0)
            left[{operation.layer_id < 0 ? -1 : layer->second, operation.phase}].second.push_back(&operation);
    }
    for (const auto& operation : base.operations)
        if (const auto own = named.find(operation.name); own != named.end() && own->second == &operation)
            left[{std::max<std::int64_t>(operation.layer_id, -1), operation.phase}].first.push_back(
                &operation);
    for (const auto& [group, operations] : left) {
        const auto& of_base = operations.first;
        const auto& of_now = operations.second;
        const auto score = [&](std::size_t i, std::size_t j) {
            const auto &a = *of_base[i], &b = *of_now[j];
            return a.kind != b.kind ? apart : 1 + static_cast<int>(a.attributes == b.attributes);
        };
        for (const auto& [i, j] : align(of_base.size(), of_now.size(), score)) {
            matching.operations[of_now[j]->id] = of_base[i]->id;
            matching.operation_grounds[of_now[j]->id] = MatchGround::Order;
        }
    }
    match_splits(matching, base, now, layers, told);
    return matching;
}

Result<std::vector<NamedStep>> named_steps(const profile::Profile& file) {
    TRY(const auto programs, read_device_programs(file));
    TRY(const auto described, file.program());
    TRY(const auto further, file.further_steps());
    std::map<std::int64_t, std::string> key_of;
    for (const DeviceProgram& program : programs)
        key_of[program.id] = program.key;
    std::map<std::int64_t, std::int64_t> operation_of; // also of what has steps in it
    std::vector<NamedStep> steps;
    const auto add = [&](const auto& row, std::int64_t program) {
        const auto around = operation_of.find(row.parent_id);
        const std::int64_t operation = row.operation_id >= 0          ? row.operation_id
                                       : around == operation_of.end() ? -1
                                                                      : around->second;
        operation_of[row.id] = operation;
        if (!is_leaf(row.kind))
            return;
        steps.push_back(
            {row.id, key_of[program], row.kind, operation, operation < 0 ? row.name : row.work().text()});
    };
    for (const auto& row : described)
        add(row, 0);
    for (const auto& row : further)
        add(row, row.device_program_id);
    return steps;
}

std::map<std::int64_t, std::int64_t>
match_steps(const std::vector<NamedStep>& base, const std::vector<NamedStep>& now, const Matching& matching) {
    using Key = std::tuple<std::string, std::int64_t, profile::StepKind, std::string>;
    std::map<Key, std::vector<std::int64_t>> there; // in reverse
    for (auto step = base.rbegin(); step != base.rend(); ++step)
        there[{step->program, step->operation, step->kind, step->name}].push_back(step->id);
    std::map<std::int64_t, std::int64_t> matched;
    for (const NamedStep& step : now) {
        const auto partner = matching.operations.find(step.operation);
        if (step.operation >= 0 && partner == matching.operations.end())
            continue;
        const auto found = there.find(
            {step.program, step.operation < 0 ? step.operation : partner->second, step.kind, step.name});
        if (found == there.end() || found->second.empty())
            continue;
        matched[step.id] = found->second.back();
        found->second.pop_back();
    }
    return matched;
}

} // namespace tilescope::analyse
