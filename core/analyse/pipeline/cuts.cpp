// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/cuts.h"

#include "base/text.h"

#include <map>
#include <set>
#include <utility>

namespace tilescope::analyse {

std::string Cut::text() const {
    std::string named = makes + " → " + uses;
    if (tensors > 1)
        named += " and " + count_text(tensors - 1) + (tensors == 2 ? " tensor more" : " tensors more");
    return named;
}

std::vector<Cut> cuts(const std::vector<profile::OperationRecord>& operations,
                      const std::vector<profile::LayerRecord>& layers,
                      const std::vector<profile::TensorRecord>& tensors) {
    using profile::OperationRecord;
    std::map<std::int64_t, std::string> layer_names;
    for (const auto& layer : layers)
        layer_names[layer.id] = layer.name;
    const auto name_of = [&](const OperationRecord& op) {
        const auto layer = layer_names.find(op.layer_id);
        return layer == layer_names.end() ? op.name : layer->second;
    };
    std::map<std::int64_t, std::int64_t> bytes_of;
    for (const auto& tensor : tensors)
        bytes_of[tensor.id] = tensor.bytes;
    std::map<std::int64_t, const OperationRecord*> maker_of;
    for (const OperationRecord& op : operations)
        for (const std::int64_t output : op.outputs)
            maker_of[output] = &op;
    struct Found {
        Cut cut;
        std::int64_t largest = -1;
        std::set<std::int64_t> tensors;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, Found> found; // by IPUs
    for (const OperationRecord& op : operations)
        for (const std::int64_t input : op.inputs) {
            const auto maker = maker_of.find(input);
            if (maker == maker_of.end() || maker->second->ipu == op.ipu)
                continue;
            Found& at = found[{maker->second->ipu, op.ipu}];
            if (!at.tensors.insert(input).second)
                continue;
            const std::int64_t bytes = bytes_of[input];
            at.cut.bytes += bytes;
            if (bytes <= at.largest)
                continue;
            at.largest = bytes;
            at.cut.makes = name_of(*maker->second);
            at.cut.uses = name_of(op);
        }
    std::vector<Cut> all;
    for (auto& [ipus, at] : found) {
        at.cut.from_ipu = ipus.first;
        at.cut.to_ipu = ipus.second;
        at.cut.tensors = static_cast<std::int64_t>(at.tensors.size());
        all.push_back(std::move(at.cut));
    }
    return all;
}

} // namespace tilescope::analyse
