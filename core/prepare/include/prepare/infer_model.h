// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/tensor.h"
#include "onnx/expectation.h"

#include <optional>
#include <string>
#include <vector>

/// What a model file computes of tensors in a folder, without a profile.
namespace tilescope::prepare {

struct Inference {
    std::string model;   ///< an ONNX or Keras file
    std::string inputs;  ///< a folder with input_0.pb (TensorProto) or input_0.npy and so on
    std::string weights; ///< of a Keras model whose file has none; else ""
};

struct ModelOutput {
    std::string name;
    graph::HostTensor value;
    /// From what was expected: "" for none; nullopt where it was not compared.
    std::optional<std::string> difference = {};
};

/// Errors: BadInput for files that cannot be read, too few or too many, and for tensors that the model does
/// not take; Usage for weights of an ONNX model; those of compilation.
Result<std::vector<ModelOutput>> infer_model(const Inference& o);

/// Compares the outputs with output_0.pb or output_0.npy and so on of a folder, as far as there are such.
/// Errors: BadInput for files that cannot be read, for none, and for more than there are outputs.
Result<void> compare_outputs(std::vector<ModelOutput>& outputs, const std::string& folder,
                             const onnx::Tolerances& tolerances);

} // namespace tilescope::prepare
