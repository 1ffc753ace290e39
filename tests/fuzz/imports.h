// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::tests {

/// A file that an import takes over as it is.
struct Seed {
    std::string name;
    std::string bytes;
};

/// One way in for files that others wrote.
struct Import {
    std::string name; ///< of its fuzz target: "onnx_model"
    /// From the bytes of a file to what the product makes of it: a built graph, a tensor, a profile's
    /// figures. Returns the line with which it was refused, "" where it was taken over; whatever the bytes
    /// are, nothing else may come of them.
    std::string (*take)(std::string_view bytes);
    std::vector<Seed> (*seeds)();
    /// What its files may say, for the fuzzer to say it elsewhere.
    std::vector<std::string> (*words)();
    friend std::ostream& operator<<(std::ostream& out, const Import& import) { return out << import.name; }
};

/// Keras models as JSON, .h5 and .keras, ONNX models, data tensors, workloads, graphs as text, IDX files,
/// cached executables, budgets, profiles.
const std::vector<Import>& imports();
/// The one of this name; ends the program where there is none.
const Import& import_named(std::string_view name);

} // namespace tilescope::tests
