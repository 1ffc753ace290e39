// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/plan_choice.h"

#include "base/text.h"
#include "base/try.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tilescope::analyse {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
    if (value.is_number_integer())
        return count_text(value.get<std::int64_t>());
    if (value.is_array()) {
        std::string all;
        for (const Json& part : value)
            all += (all.empty() ? "" : ", ") + value_text(part);
        return all.empty() ? "none" : all;
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

TimeKind kind_of(CostKind kind) {
    return kind == CostKind::Sync       ? TimeKind::Sync
           : kind == CostKind::Exchange ? TimeKind::Exchange
                                        : TimeKind::Compute;
}

std::vector<PlanChoice::Item> shown(const std::vector<profile::PlanItem>& recorded) {
    std::vector<PlanChoice::Item> items;
    items.reserve(recorded.size());
    for (const profile::PlanItem& item : recorded)
        items.push_back({spaced_text(item.name), item.cycles, kind_of(item.kind)});
    return items;
}

} // namespace

std::string to_string(const std::vector<PlanChoice::Item>& items) {
    std::string text;
    for (const PlanChoice::Item& item : items)
        if (item.cycles != 0)
            text += (text.empty() ? "" : ", ") + item.name + " " + count_text(item.cycles);
    return text;
}

std::int64_t PlanChoice::placed_cycles() const {
    return std::accumulate(placed.begin(), placed.end(), std::int64_t{0},
                           [](std::int64_t sum, const Item& item) { return sum + item.cycles; });
}

std::string PlanChoice::description() const {
    std::string text;
    for (const std::string& decision : decisions)
        text += (text.empty() ? "" : "; ") + decision;
    return text;
}

Result<PlanChoice> plan_choice(const profile::PlanRecord& record) {
    const Json description = Json::parse(record.description, nullptr, false);
    if (!description.is_object())
        return bad_input("the plan of " + record.product + " cannot be read", {}, "record the profile again");
    PlanChoice choice;
    choice.product = record.product;
    choice.rank = record.rank;
    choice.items = shown(record.items);
    choice.cycles = record.cycles;
    choice.placed = shown(record.placed);
    choice.temporary_bytes = record.temporary_bytes;
    if (description.contains("vertex"))
        choice.summary = value_text(description["vertex"]);
    if (description.contains("tiles"))
        choice.summary += " on " + value_text(description["tiles"]) + " tiles";
    for (const auto& [key, value] : description.items())
        if (key != "vertex" && key != "tiles")
            choice.decisions.push_back(spaced_text(key) + " " + value_text(value));
    return choice;
}

Result<std::vector<PlanChoice>> plan_choices(const profile::Profile& profile, std::int64_t operation_id) {
    TRY(const auto records, profile.plans(operation_id));
    std::vector<PlanChoice> choices;
    for (const profile::PlanRecord& record : records) {
        TRY(auto choice, plan_choice(record));
        choices.push_back(std::move(choice));
    }
    std::vector<std::string> order; // of products, as they were planned
    for (const PlanChoice& choice : choices)
        if (std::find(order.begin(), order.end(), choice.product) == order.end())
            order.push_back(choice.product);
    const auto place = [&](const PlanChoice& choice) {
        return std::pair(std::find(order.begin(), order.end(), choice.product), choice.rank);
    };
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const PlanChoice& a, const PlanChoice& b) { return place(a) < place(b); });
    return choices;
}

std::string against(const PlanChoice& chosen, const PlanChoice& other) {
    struct Difference {
        std::string name;
        std::int64_t cycles;
    };
    std::vector<Difference> differences;
    for (const PlanChoice::Item& item : other.items) {
        std::int64_t before = 0;
        for (const PlanChoice::Item& own : chosen.items)
            if (own.name == item.name)
                before = own.cycles;
        if (item.cycles != before)
            differences.push_back({item.name, item.cycles - before});
    }
    std::stable_sort(differences.begin(), differences.end(), [](const Difference& a, const Difference& b) {
        return std::abs(a.cycles) > std::abs(b.cycles);
    });
    const std::int64_t cycles = other.cycles - chosen.cycles;
    std::string text = cycles > 0   ? cycles_text(cycles) + " slower"
                       : cycles < 0 ? cycles_text(-cycles) + " faster"
                                    : "as fast";
    if (cycles <= 0 && other.temporary_bytes != chosen.temporary_bytes) {
        const std::int64_t bytes = other.temporary_bytes - chosen.temporary_bytes;
        text += ", with " + bytes_text(static_cast<double>(std::abs(bytes))) +
                (bytes > 0 ? " more" : " less") + " on the fullest tile";
    }
    for (std::size_t i = 0; i < differences.size(); ++i)
        text += (i == 0 ? ": " : ", ") + differences[i].name + " " +
                signed_text(static_cast<double>(differences[i].cycles), count_text(differences[i].cycles));
    return text;
}

} // namespace tilescope::analyse
