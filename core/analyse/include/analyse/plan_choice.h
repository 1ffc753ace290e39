// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/phases.h"
#include "base/error.h"
#include "profile/profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::analyse {

/// A plan that the planner weighed for a product of an operation: what it costs, item by item.
struct PlanChoice {
    struct Item {
        std::string name; ///< "exchange inputs"
        std::int64_t cycles = 0;
        TimeKind kind = TimeKind::Compute; ///< what they go to
    };
    std::string product; ///< the operation's name, or that of one in the body of its loop
    std::int64_t rank = 0;
    std::string summary;                ///< "AMP 1x1 on 1,468 tiles"
    std::vector<std::string> decisions; ///< all else that was decided: "units 16", "in channels per group 8"
    std::vector<Item> items;            ///< what it was chosen by, in the order in which they happen
    std::int64_t cycles = 0;            ///< their sum
    /// Of the chosen plan the same with the operands where they lie, which is what the program takes; empty
    /// where the file does not say it.
    std::vector<Item> placed;
    std::int64_t temporary_bytes = 0;
    std::int64_t placed_cycles() const; ///< the sum of `placed`
    std::string description() const;    ///< the decisions: "units 16; in channels per group 8; …"
};

/// The plans of an operation, product by product, the chosen one of each first. Empty: nothing was planned.
/// Errors: those of reading the profile; BadInput where a plan is damaged.
Result<std::vector<PlanChoice>> plan_choices(const profile::Profile& profile, std::int64_t operation_id);
Result<PlanChoice> plan_choice(const profile::PlanRecord& record);

/// Those that take cycles: "exchange inputs 338, partials 2,898".
std::string to_string(const std::vector<PlanChoice::Item>& items);

/// Why `other` was not chosen, the items that differ most first: "27 cycles slower: partials −1,461, weights
/// −764, reduce +1,467". At equal cycles, or where `other` would be faster, what the planner went by: "as
/// fast, with 64 B more on the fullest tile".
std::string against(const PlanChoice& chosen, const PlanChoice& other);

} // namespace tilescope::analyse
