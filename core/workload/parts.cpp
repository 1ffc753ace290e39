// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts.h"

#include "base/text.h"

#include <algorithm>

namespace tilescope::workload {
namespace {

std::vector<std::int32_t> read_numbers(formats::ObjectReader& rule, const char* key,
                                       const std::string& what) {
    return read_each(rule, key, what + ", counted from 0", [](const formats::Json& each) {
        return formats::is_count(each, 0) ? std::optional(each.get<std::int32_t>()) : std::nullopt;
    });
}

/// What a list has a value for each of.
struct Listed {
    const char* group;
    const char* key;
    bool by_ipu;
};

} // namespace

PartOfModel read_part(formats::ObjectReader& rule) {
    PartOfModel part;
    part.ipus = read_numbers(rule, "ipus", "IPUs of a replica");
    part.stages = read_numbers(rule, "stages", "stages or shards");
    part.layers = rule.text("layers");
    return part;
}

void write_part(const PartOfModel& part, formats::Json& rule) {
    if (!part.ipus.empty())
        rule["ipus"] = part.ipus;
    if (!part.stages.empty())
        rule["stages"] = part.stages;
    if (!part.layers.empty())
        rule["layers"] = part.layers;
}

void check_list_lengths(const formats::Json& document, formats::ObjectReader& root, const Workload& w) {
    const std::vector<std::int32_t>& mapping = w.device_mapping;
    const std::int64_t most = w.ipus_per_model();
    std::int64_t least = w.stages();
    if (!w.graph.empty())
        least = most;
    else if (!mapping.empty())
        least = 1 + *std::max_element(mapping.begin(), mapping.end());
    for (const Listed& listed :
         {Listed{"ipu_config", "available_memory_proportion", true},
          Listed{"ipu_config", "partials_type", true}, Listed{"ipu_config", "allow_recompute", false},
          Listed{"model", "dtype", false}}) {
        const formats::Json* group = &formats::member(document, listed.group);
        if (group->is_array() && !group->empty())
            group = &group->back();
        const formats::Json& list = formats::member(*group, listed.key);
        if (!list.is_array() || list.empty() || list.front().is_object())
            continue;
        const auto size = static_cast<std::int64_t>(list.size());
        const std::string key = std::string(listed.group) + "." + listed.key;
        if (listed.by_ipu && (size < least || size > most))
            root.fail(key,
                      "has " + counted_text(size, "value") + ", and a replica " + counted_text(least, "IPU"),
                      "give one for each IPU");
        else if (!listed.by_ipu && size != w.stages())
            root.fail(key,
                      "has " + counted_text(size, "value") + ", and the model " +
                          counted_text(w.stages(), "stage or shard", "stages or shards"),
                      "give one for each");
    }
}

} // namespace tilescope::workload
