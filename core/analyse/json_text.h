// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_depth.h"

#include <nlohmann/json.hpp>
#include <string>

namespace tilescope::analyse {

/// The document of a text out of a file; discarded where it is no JSON, or nested too deep to be read.
inline nlohmann::ordered_json read_json(const std::string& text) {
    using Json = nlohmann::ordered_json;
    return nests_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

} // namespace tilescope::analyse
