// SPDX-License-Identifier: GPL-3.0-or-later
// What one wants to know of a matching: the old names of what is new, and on which ground each part is
// matched.
#include "analyse/matching.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tilescope::analyse {
namespace {

/// Parts without a counterpart that are a part of another: of the new run, and of the base, by the base's.
struct Wholes {
    const std::map<std::int64_t, std::int64_t>&split, &merged;
};

/// Lists the parts of one kind.
template<class Record>
class Listing {
  public:
    Listing(PartKind part, const profile::SharedRows<Record>& base, const profile::SharedRows<Record>& now,
            const std::map<std::int64_t, std::int64_t>& partners,
            const std::map<std::int64_t, MatchGround>& grounds, const Wholes& wholes,
            const HandMatches& by_hand)
        : part_(part) {
        for (const HandMatch& match : by_hand)
            if (match.part == part) {
                const bool unknown = (!match.base.empty() && !has(base, match.base)) ||
                                     (!match.now.empty() && !has(now, match.now));
                (unknown ? rows_ : told_)
                    .push_back({match, MatchGround::ByHand, unknown}); // in the order of the runs, below
            }
        std::map<std::int64_t, std::string> base_names, now_names; // by id in the base
        for (const Record& record : base)
            base_names[record.id] = record.name;
        std::set<std::int64_t> found;
        for (const Record& record : now)
            if (const auto whole = wholes.split.find(record.id); whole != wholes.split.end()) {
                add(base_names[whole->second], record.name, MatchGround::Split);
            } else if (const auto partner = partners.find(record.id); partner == partners.end()) {
                add({}, record.name, std::nullopt);
            } else {
                now_names[partner->second] = record.name;
                found.insert(partner->second);
                add(base_names[partner->second], record.name, grounds.at(record.id));
            }
        for (const Record& record : base)
            if (const auto whole = wholes.merged.find(record.id); whole != wholes.merged.end())
                add(record.name, now_names[whole->second], MatchGround::Split);
            else if (!found.contains(record.id))
                add(record.name, {}, std::nullopt);
    }
    std::vector<MatchedPart> sorted() && {
        std::stable_sort(rows_.begin(), rows_.end(), [](const MatchedPart& a, const MatchedPart& b) {
            return weight(a.ground) < weight(b.ground);
        });
        return std::move(rows_);
    }

  private:
    static bool has(const profile::SharedRows<Record>& records, const std::string& name) {
        return std::any_of(records.begin(), records.end(),
                           [&](const Record& record) { return record.name == name; });
    }
    static int weight(const std::optional<MatchGround>& ground) {
        if (!ground)
            return 1;
        switch (*ground) {
        case MatchGround::ByHand:
            return 0;
        case MatchGround::Order:
        case MatchGround::Split:
            return 2;
        case MatchGround::Renamed:
            return 3;
        case MatchGround::Name:
            break;
        }
        return 4;
    }
    void add(const std::string& base, const std::string& now, std::optional<MatchGround> ground) {
        const HandMatch names{part_, base, now};
        const bool said = std::any_of(told_.begin(), told_.end(),
                                      [&](const MatchedPart& row) { return row.names == names; });
        rows_.push_back({names, said ? MatchGround::ByHand : ground, false});
    }

    PartKind part_;
    std::vector<MatchedPart> told_, rows_;
};

} // namespace

std::vector<MatchedPart> matched_parts(const Parts& base, const Parts& now, const HandMatches& by_hand) {
    const Matching matching = match(base, now, by_hand);
    auto parts = Listing(PartKind::Layer, base.layers, now.layers, matching.layers, matching.layer_grounds,
                         {matching.split, matching.merged}, by_hand)
                     .sorted();
    const std::map<std::int64_t, std::int64_t> none; // operations are matched themselves
    auto operations = Listing(PartKind::Operation, base.operations, now.operations, matching.operations,
                              matching.operation_grounds, {none, none}, by_hand)
                          .sorted();
    parts.insert(parts.end(), std::make_move_iterator(operations.begin()),
                 std::make_move_iterator(operations.end()));
    return parts;
}

OldNames::OldNames(const Parts& base, const Parts& now, const Matching& matching)
    : renamed_(matching.renamed) {
    std::map<std::int64_t, std::string> names;
    for (const auto& operation : base.operations)
        names[operation.id] = operation.name;
    for (const auto& operation : now.operations) {
        names_now_[operation.id] = operation.name;
        if (const auto partner = matching.operations.find(operation.id);
            partner != matching.operations.end() && names[partner->second] != operation.name)
            operations_[operation.name] = names[partner->second];
    }
}

std::string OldNames::of(const std::string& name) const {
    const auto found = operations_.find(name);
    return found == operations_.end() ? with_old_names(name, renamed_) : found->second;
}

std::string OldNames::of(const profile::VariableRecord& variable) const {
    const auto operation = names_now_.find(variable.operation_id);
    return operation != names_now_.end() && variable.name.starts_with(operation->second)
               ? of(operation->second) + variable.name.substr(operation->second.size())
               : of(variable.name);
}

} // namespace tilescope::analyse
