// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "run/data_set.h"

#include <cstdint>
#include <string>

namespace tilescope::prepare {

enum class Split { Train, Test };

/// Whether read_idx would find its files.
bool has_idx(const std::string& folder, const std::string& name, Split split);

/// Reads FOLDER/NAME/{train,t10k}-{images-idx3,labels-idx1}-ubyte, plain or .gz (or the same files in
/// FOLDER). Errors: BadInput for missing files (and where they were looked for), a wrong magic number, a file
/// cut short or longer than its header says, images and labels that differ in number.
Result<run::DataSet> read_idx(const std::string& folder, const std::string& name, Split split);

/// The built-in digits: 28 x 28, ten classes, strokes drawn with a random affine distortion, thickness and
/// noise. Sample i depends on seed, split and i only.
run::DataSet synthetic_digits(std::int64_t count, Split split, std::uint64_t seed);

} // namespace tilescope::prepare
