// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope {

/// The layers of a model that a setting is for. An empty condition holds for any.
struct PartOfModel {
    std::vector<std::int32_t> ipus;   ///< of a replica, as a mapping counts them
    std::vector<std::int32_t> stages; ///< of the pipeline, or shards
    std::string layers;               ///< pattern with * of their names

    bool everywhere() const { return ipus.empty() && stages.empty() && layers.empty(); }
    /// Whether it names stages, itself or by their IPUs.
    bool by_stage() const { return !ipus.empty() || !stages.empty(); }
    /// Whether a layer is one of them, or in one (`encoder/dense` is in `encoder`). Conditions on IPUs must
    /// have been turned into such on stages.
    bool holds_for(std::int32_t stage, const std::string& layer) const;
    bool operator==(const PartOfModel&) const = default;
};

/// A setting of a part of a model.
template<class T>
struct ForPart {
    PartOfModel part;
    T value{};
    bool operator==(const ForPart&) const = default;
};

/// What the last of the rules that holds for a layer says; `otherwise` where none does.
template<class T>
T setting_of(const std::vector<ForPart<T>>& rules, std::int32_t stage, const std::string& layer,
             T otherwise) {
    for (const ForPart<T>& rule : rules)
        if (rule.part.holds_for(stage, layer))
            otherwise = rule.value;
    return otherwise;
}

} // namespace tilescope
