// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/part_of_model.h"

#include "base/pattern.h"

#include <algorithm>

namespace tilescope {

bool PartOfModel::holds_for(std::int32_t stage, const std::string& layer) const {
    if (!stages.empty() && std::find(stages.begin(), stages.end(), stage) == stages.end())
        return false;
    if (layers.empty() || matches_pattern(layers, layer))
        return true;
    for (std::size_t slash = layer.find('/'); slash != std::string::npos; slash = layer.find('/', slash + 1))
        if (matches_pattern(layers, layer.substr(0, slash)))
            return true;
    return false;
}

} // namespace tilescope
