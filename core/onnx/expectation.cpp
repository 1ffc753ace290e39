// SPDX-License-Identifier: GPL-3.0-or-later
#include "onnx/expectation.h"

#include "base/try.h"

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace tilescope::onnx {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

bool close(double value, double expected, const Tolerances& tolerances) {
    if (std::isnan(value) || std::isnan(expected))
        return std::isnan(value) && std::isnan(expected);
    if (std::isinf(value) || std::isinf(expected))
        return value == expected;
    return std::fabs(value - expected) <= tolerances.absolute + tolerances.relative * std::fabs(expected);
}

} // namespace

std::string difference(const graph::HostTensor& value, const OnnxTensor& expected,
                       const Tolerances& tolerances) {
    const auto dtype = device_type(expected.type);
    if (!dtype || *dtype != value.type().dtype || value.shape() != expected.shape)
        return "is " + graph::to_string(value.type()) + ", expected " + expected.type + " " +
               graph::to_string(expected.shape);
    for (std::int64_t i = 0; i < value.elements(); ++i) {
        const double wanted = graph::is_floating(*dtype)
                                  ? expected.floats.at(i)
                                  : static_cast<double>(expected.integers[static_cast<std::size_t>(i)]);
        if (!close(value.at(i), wanted, tolerances))
            return "element " + std::to_string(i) + " is " + number(value.at(i)) + ", expected " +
                   number(wanted);
    }
    return {};
}

Result<std::vector<OnnxTensor>> read_onnx_tensors(const std::string& folder, const std::string& prefix) {
    std::vector<OnnxTensor> tensors;
    if (!std::filesystem::is_directory(folder))
        return bad_input("is no folder", folder, "name a folder with " + prefix + "_0.pb and so on");
    while (true) {
        const auto path =
            std::filesystem::path(folder) / (prefix + "_" + std::to_string(tensors.size()) + ".pb");
        if (!std::filesystem::exists(path))
            return tensors;
        TRY(auto tensor, read_onnx_tensor(path.string()));
        tensors.push_back(std::move(tensor));
    }
}

} // namespace tilescope::onnx
