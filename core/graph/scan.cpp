// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/scan.h"

#include "base/try.h"

#include <memory>
#include <utility>

namespace tilescope::graph {

Scan::Scan(const Attributes& attributes)
    : body(attributes.body("body")), steps(attributes.integer("steps")),
      states(static_cast<std::size_t>(attributes.integer("states"))),
      sequences(static_cast<std::size_t>(attributes.integer("sequences"))),
      reversed(attributes.flag("reversed")) {}

Attributes Scan::attributes() const {
    return {{"body", body},
            {"steps", steps},
            {"states", static_cast<std::int64_t>(states)},
            {"sequences", static_cast<std::int64_t>(sequences)},
            {"reversed", reversed}};
}

TensorType slice_type(TensorType sequence) {
    sequence.shape.erase(sequence.shape.begin());
    return sequence;
}

TensorType sequence_type(TensorType slice, std::int64_t steps) {
    slice.shape.insert(slice.shape.begin(), steps);
    return slice;
}

Result<ScanOutputs> add_scan(Builder& build, const ScanInputs& inputs, bool reversed, const ScanStep& step,
                             const std::string& name) {
    auto graph = std::make_shared<Graph>();
    graph->name = name;
    Builder body(*graph, build.registry());
    ScanInputs feeds;
    const auto feed = [&](const char* kind, const TensorType& type,
                          std::vector<ValueId>& list) -> Result<void> {
        TRY(const ValueId id, body.feed(kind, type));
        list.push_back(id);
        return {};
    };
    for (const ValueId id : inputs.states)
        TRY(feed("state", build.type(id), feeds.states));
    for (const ValueId id : inputs.sequences)
        TRY(feed("slice", slice_type(build.type(id)), feeds.sequences));
    for (const ValueId id : inputs.fixed)
        TRY(feed("fixed", build.type(id), feeds.fixed));
    TRY(const auto made, step(body, feeds));
    for (const ValueId id : made.states)
        body.fetch("next state", id);
    for (const ValueId id : made.sequences)
        body.fetch("slice", id);

    Scan scan{{}};
    scan.body = std::move(graph);
    scan.steps = build.type(inputs.sequences.at(0)).shape.at(0);
    scan.states = inputs.states.size();
    scan.sequences = inputs.sequences.size();
    scan.reversed = reversed;
    std::vector<ValueId> all = inputs.states;
    all.insert(all.end(), inputs.sequences.begin(), inputs.sequences.end());
    all.insert(all.end(), inputs.fixed.begin(), inputs.fixed.end());
    TRY(const auto outputs, build.add("scan", all, scan.attributes(), name));
    const auto middle = outputs.begin() + static_cast<std::ptrdiff_t>(scan.states);
    return ScanOutputs{{outputs.begin(), middle}, {middle, outputs.end()}};
}

} // namespace tilescope::graph
