// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/part_of_model.h"
#include "formats/json_reader.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// Settings that hold for parts of a model: a value for all, a list of one for each stage, or rules.
namespace tilescope::workload {

/// The members of a list that a word or a number each stands for; nothing where one does not.
template<class Read>
auto read_each(formats::ObjectReader& reader, const std::string& key, const std::string& expected,
               const Read& read) {
    std::vector<typename std::invoke_result_t<Read, const formats::Json&>::value_type> list;
    const formats::Json* given = reader.member(key);
    if (given == nullptr)
        return list;
    bool valid = given->is_array() && !given->empty();
    for (const formats::Json& each : valid ? *given : formats::Json::array()) {
        const auto value = read(each);
        valid = valid && value;
        if (value)
            list.push_back(*value);
    }
    if (!valid)
        reader.fail(key, "expects a list of " + expected + ", got " + given->dump());
    return list;
}

/// The conditions of a rule: "ipus", "stages", "layers".
PartOfModel read_part(formats::ObjectReader& rule);
/// And back.
void write_part(const PartOfModel& part, formats::Json& rule);

/// [true, false]: one value for each stage; or [{"layers": "conv5_*", KEY: true}]: rules. `read` gives what a
/// value stands for, or nothing; `expected` names such values.
template<class T, class Read>
std::vector<ForPart<T>> read_parts(const formats::Json& list, const std::string& key,
                                   formats::ObjectReader& object, const std::string& path,
                                   formats::Reading& reading, const std::string& expected, const Read& read) {
    std::vector<ForPart<T>> rules;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].is_object()) {
            formats::ObjectReader rule(list[i], path + "[" + std::to_string(i) + "]", reading);
            const PartOfModel part = read_part(rule);
            const formats::Json* value = rule.member(key);
            const std::optional<T> known = value == nullptr ? std::nullopt : read(*value);
            if (known)
                rules.push_back({part, *known});
            else
                rule.fail(key, "expects " + expected + (value == nullptr ? "" : ", got " + value->dump()));
            rule.finish();
        } else if (const std::optional<T> known = read(list[i])) {
            rules.push_back({{.stages = {static_cast<std::int32_t>(i)}}, *known});
        } else {
            object.fail(key, "expects a list of " + expected + " for each stage, or of rules, got " +
                                 list[i].dump());
        }
    }
    if (list.empty())
        object.fail(key, "the list is empty", "give one for each stage");
    return rules;
}

template<class T>
formats::Json parts_json(const std::vector<ForPart<T>>& rules, const char* key) {
    formats::Json list = formats::Json::array();
    for (const ForPart<T>& rule : rules) {
        formats::Json json{{key, rule.value}};
        write_part(rule.part, json);
        list.push_back(std::move(json));
    }
    return list;
}

/// Lists of one value for each IPU or stage have as many as there are.
void check_list_lengths(const formats::Json& document, formats::ObjectReader& root, const Workload& workload);

} // namespace tilescope::workload
