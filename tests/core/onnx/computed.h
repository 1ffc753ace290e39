// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/model.h"
#include "tests/core/operators/graph_runner.h"
#include "tests/onnx_model_maker.h"
#include "tests/temporary_folder.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace tilescope::onnx {

/// All outputs of a model for these inputs, and the kinds of the operations that it becomes. Throws
/// std::runtime_error with the error's line.
inline std::vector<graph::HostTensor> computed_outputs(const tests::OnnxModelMaker& maker,
                                                       const std::vector<graph::HostTensor>& inputs,
                                                       std::vector<std::string>* kinds = nullptr) {
    const tests::TemporaryFolder folder;
    const auto model = load_onnx_model(maker.write(folder / "m.onnx"));
    if (!model)
        throw std::runtime_error(model.error().line());
    graph::Graph graph;
    graph::Builder build(graph, test::registry());
    const auto outputs = add_onnx_model(build, *model, "m.onnx", {});
    if (!outputs)
        throw std::runtime_error(outputs.error().line());
    for (const graph::Operation& op : graph.operations())
        if (kinds != nullptr)
            kinds->push_back(op.kind);
    const auto all = test::run(graph, inputs);
    std::vector<graph::HostTensor> result;
    for (const graph::ValueId output : *outputs)
        result.push_back(all[static_cast<std::size_t>(output.value)]);
    return result;
}

inline std::vector<double> values_of(const graph::HostTensor& tensor) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        values.push_back(tensor.at(i));
    return values;
}

} // namespace tilescope::onnx
