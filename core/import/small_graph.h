// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/builder.h"

#include <string>

namespace tilescope::import {

/// Adds a graph written as {"nodes": [{"name", "op", "inputs", "attributes", "device"}], "feeds": {NAME:
/// values}, "fetches": [NAME], "expect": {NAME: values}}. Feeds are float32 (int32 where {"dtype": "int32",
/// "values": …}, and numbers made up where {"shape": […]}). Errors: BadInput with the node's name.
Result<void> add_small_graph(graph::Builder& build, const std::string& text, const std::string& path);

} // namespace tilescope::import
