// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/moved_layers.h"

#include <set>

namespace tilescope::analyse {
namespace {

using IpusOfLayer = std::map<std::int64_t, std::set<std::int64_t>>;

IpusOfLayer ipus_of_layers(const Parts& parts) {
    IpusOfLayer ipus;
    for (const profile::OperationRecord& operation : parts.operations)
        if (operation.layer_id >= 0 && operation.ipu >= 0)
            ipus[operation.layer_id].insert(operation.ipu);
    return ipus;
}

} // namespace

std::vector<MovedLayer> moved_layers(const Parts& base, const Parts& now, const Matching& matching) {
    const IpusOfLayer before = ipus_of_layers(base);
    const IpusOfLayer after = ipus_of_layers(now);
    std::vector<MovedLayer> moved;
    for (const profile::LayerRecord& layer : now.layers) {
        const auto match = matching.layers.find(layer.id);
        if (match == matching.layers.end())
            continue;
        const auto from = before.find(match->second);
        const auto to = after.find(layer.id);
        if (from == before.end() || to == after.end() || from->second == to->second)
            continue;
        moved.push_back({layer.id,
                         layer.name,
                         {from->second.begin(), from->second.end()},
                         {to->second.begin(), to->second.end()}});
    }
    return moved;
}

std::string move_text(const MovedLayer& layer) {
    const auto list = [](const std::vector<std::int64_t>& ipus) {
        std::string text;
        for (const std::int64_t ipu : ipus)
            text += (text.empty() ? "" : ", ") + std::to_string(ipu);
        return text;
    };
    return "IPU " + list(layer.from) + " → " + list(layer.to);
}

} // namespace tilescope::analyse
