// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "graph/builder.h"
#include "onnx/file.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope::onnx {

/// What a model's file leaves open.
struct OnnxSettings {
    std::int64_t batch = 0; ///< the first dimension of inputs, where the file does not say it; 0: not known
    std::map<std::string, std::int64_t> dimensions; ///< by name
    /// Values of the inputs, in their order, where they are known beforehand: they give shapes, and those
    /// that decide about shapes are taken into account. Empty: none are known.
    std::vector<OnnxTensor> given;
    /// The IPU of a node, by its name, and of those after it, up to the next that is named.
    std::map<std::string, std::int32_t> shards;
};

/// Reads a model and checks that it is valid and that all its operators are supported. Errors: BadInput with
/// the file and the node; NotSupported for an operator, with the nearest that is there.
Result<OnnxModel> load_onnx_model(const std::string& path);

/// Adds a loaded model's graph; a layer for each node. Returns its outputs, in the order of `model.outputs`.
/// Errors: BadInput with the file and the node: element types that the device lacks, shapes that stay open,
/// values that do not fit it.
Result<std::vector<graph::ValueId>> add_onnx_model(graph::Builder& build, const OnnxModel& model,
                                                   const std::string& path, const OnnxSettings& settings);

/// The first dimension of the model's first input, where the file says it; else 0.
std::int64_t fixed_batch(const OnnxModel& model);

/// ONNX's names of the operators that are supported, sorted.
std::vector<std::string> supported_onnx_operators();

/// Whether a file's name ends in ".onnx".
bool is_onnx_file(const std::string& path);

} // namespace tilescope::onnx
