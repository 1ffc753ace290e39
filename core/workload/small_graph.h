// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "formats/json_reader.h"
#include "graph/builder.h"

#include <map>
#include <string>
#include <vector>

namespace tilescope::workload {

struct SmallNode {
    std::string name;
    std::string op;
    std::string device;
    std::int64_t shard = -1; ///< which IPU runs it; -1: where its first operand lies
    std::vector<std::string> inputs;
    graph::Attributes attributes;
};

/// A graph as it is written: {"nodes": [{"name", "op", "inputs", "attributes", "device", "shard"}], "feeds":
/// {NAME: values}, "fetches": [NAME], "expect": {NAME: values}}. Values are nested arrays of numbers,
/// float32, or
/// {"dtype": "int32", "values": …}, or {"shape": [2, 3]} for numbers between -1 and 1 made up from the name.
struct SmallGraph {
    std::vector<SmallNode> nodes;
    std::map<std::string, graph::HostTensor> feeds;
    std::vector<std::string> linear; ///< feeds that are mapped linearly
    std::vector<std::string> fetches;
    std::map<std::string, graph::HostTensor> expected;
};

/// Reads what is written; whether nodes fit together is seen when they are added. Problems go to `reading`.
SmallGraph read_small_graph(const formats::Json& document, formats::Reading& reading);

/// Adds the graph that `text` describes. Errors: BadInput with the node's name.
Result<void> add_small_graph(graph::Builder& build, const std::string& text, const std::string& path);

} // namespace tilescope::workload
