// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/fuzz/imports.h"

/// Small files of each kind, made by the writers of the tests and taken from the samples. Each is taken over.
namespace tilescope::tests {

std::vector<Seed> keras_json_seeds();
std::vector<Seed> keras_h5_seeds();
std::vector<Seed> keras_archive_seeds();
/// With ONNX's backend tests where their data are installed.
std::vector<Seed> onnx_model_seeds();
std::vector<Seed> onnx_tensor_seeds();
std::vector<Seed> workload_seeds();
std::vector<Seed> graph_text_seeds();
std::vector<Seed> idx_seeds();
std::vector<Seed> npy_seeds();
std::vector<Seed> record_seeds();
std::vector<Seed> example_seeds();
std::vector<Seed> executable_seeds();
std::vector<Seed> budget_seeds();
std::vector<std::string> budget_words();
std::vector<Seed> profile_seeds();

/// The file that ONNX models with external data may name, beside the model, and its bytes.
inline constexpr const char* external_file = "data.bin";
inline constexpr std::size_t external_bytes = 64;

} // namespace tilescope::tests
