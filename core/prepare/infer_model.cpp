// SPDX-License-Identifier: GPL-3.0-or-later
#include "prepare/infer_model.h"

#include "base/try.h"
#include "formats/array_file.h"
#include "ipu/target.h"
#include "keras/file.h"
#include "keras/model.h"
#include "onnx/model.h"
#include "operators/operators.h"
#include "run/inference.h"
#include "workload/workload.h"

#include <filesystem>
#include <map>
#include <utility>

namespace tilescope::prepare {
namespace {

namespace fs = std::filesystem;

/// ONNX's names of the types of NumPy's files.
std::string onnx_type(const std::string& npy) {
    static const std::map<std::string, const char*> names{
        {"f2", "float16"}, {"f4", "float"},  {"f8", "double"}, {"i1", "int8"},
        {"i2", "int16"},   {"i4", "int32"},  {"i8", "int64"},  {"u1", "uint8"},
        {"u2", "uint16"},  {"u4", "uint32"}, {"u8", "uint64"}, {"b1", "bool"}};
    return names.at(npy);
}

bool is_floating(const std::string& type) {
    const auto dtype = onnx::device_type(type);
    return dtype && graph::is_floating(*dtype);
}

/// Whether a whole number is one of a type.
bool fits(std::int64_t value, const std::string& type) {
    return type == "int8"     ? std::in_range<std::int8_t>(value)
           : type == "int16"  ? std::in_range<std::int16_t>(value)
           : type == "int32"  ? std::in_range<std::int32_t>(value)
           : type == "uint8"  ? std::in_range<std::uint8_t>(value)
           : type == "uint16" ? std::in_range<std::uint16_t>(value)
           : type == "uint32" ? std::in_range<std::uint32_t>(value)
           : type == "uint64" ? value >= 0
                              : true;
}

/// Numbers in the type that is wanted of them: any as floats, whole ones as whole ones. Others, and all where
/// no type is wanted, keep their own.
Result<onnx::OnnxTensor> as_tensor(formats::NumberFile numbers, const std::string& wanted,
                                   const std::string& path) {
    const std::string own = onnx_type(numbers.type);
    const bool floats = is_floating(own);
    const bool whole = !floats && own != "bool" && wanted != "bool";
    const bool becomes = is_floating(wanted) || (whole && onnx::device_type(wanted));
    onnx::OnnxTensor tensor{{}, becomes ? wanted : own, numbers.extents, {}, {}};
    if (is_floating(tensor.type)) {
        tensor.floats = graph::HostTensor({*onnx::device_type(tensor.type), numbers.extents});
        for (std::int64_t i = 0; i < tensor.floats.elements(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            tensor.floats.set(i, floats ? numbers.values[at] : static_cast<double>(numbers.integers[at]));
        }
        return tensor;
    }
    tensor.integers = std::move(numbers.integers);
    for (const std::int64_t value : tensor.integers)
        if (!fits(value, tensor.type))
            return bad_input("the value " + std::to_string(value) + " is no " + tensor.type, path,
                             "give values of that type");
    return tensor;
}

/// The files PREFIX_0, PREFIX_1 … of a folder: TensorProto (.pb) or NumPy's (.npy), these in the types that
/// are wanted of them.
Result<std::vector<onnx::OnnxTensor>> read_tensors(const std::string& folder, const std::string& prefix,
                                                   const std::vector<std::string>& wanted = {}) {
    TRY(auto tensors, onnx::read_onnx_tensors(folder, prefix));
    if (!tensors.empty())
        return tensors;
    while (true) {
        const auto path = fs::path(folder) / (prefix + "_" + std::to_string(tensors.size()) + ".npy");
        if (!fs::exists(path))
            return tensors;
        TRY(auto numbers, formats::read_npy_numbers(path.string()));
        const std::string type = tensors.size() < wanted.size() ? wanted[tensors.size()] : "";
        TRY(auto tensor, as_tensor(std::move(numbers), type, path.string()));
        tensors.push_back(std::move(tensor));
    }
}

/// The inputs as the device has them, and as the model may take them into account.
struct Inputs {
    std::vector<onnx::OnnxTensor> given;
    std::vector<graph::HostTensor> feeds;
};

Result<Inputs> read_inputs(const Inference& o, const onnx::OnnxModel& model) {
    std::vector<std::string> types;
    types.reserve(model.inputs.size());
    for (const auto& input : model.inputs)
        types.push_back(input.type);
    TRY(auto given, read_tensors(o.inputs, "input", types));
    if (given.size() != model.inputs.size())
        return bad_input("has " + std::to_string(given.size()) + " input files, the model " +
                             std::to_string(model.inputs.size()) + " inputs",
                         o.inputs, "give input_0.pb or input_0.npy and so on, one for each input");
    Inputs inputs{std::move(given), {}};
    for (std::size_t i = 0; i < inputs.given.size(); ++i) {
        auto feed = onnx::narrowed(inputs.given[i]);
        if (!feed) {
            Error error = feed.error();
            error.place = (fs::path(o.inputs) / ("input_" + std::to_string(i) + ".pb")).string();
            return Failure(std::move(error));
        }
        inputs.feeds.push_back(std::move(*feed));
    }
    return inputs;
}

bool is_keras(const std::string& path) {
    return fs::path(path).extension() != ".onnx" &&
           (fs::path(path).extension() == ".json" || keras::is_binary_keras_file(path));
}

Result<std::vector<ModelOutput>> computed(graph::Graph graph, const graph::OperatorRegistry& registry,
                                          const std::vector<graph::HostTensor>& feeds) {
    compile::Options options;
    options.target = *ipu::find_target("ipu2", {});
    std::vector<std::string> names;
    for (const graph::Fetch& fetch : graph.fetches)
        names.push_back(fetch.name);
    TRY(auto values, run::infer(std::move(graph), registry, options, feeds));
    std::vector<ModelOutput> result;
    for (std::size_t i = 0; i < values.size(); ++i)
        result.push_back({names[i], std::move(values[i])});
    return result;
}

/// What a Keras model is fed, in the types that its input layers want.
Result<std::vector<graph::HostTensor>> keras_feeds(const Inference& o, const graph::Graph& graph,
                                                   const std::vector<onnx::OnnxTensor>& given) {
    if (given.size() != graph.feeds.size())
        return bad_input("has " + std::to_string(given.size()) + " input files, the model " +
                             std::to_string(graph.feeds.size()) + " inputs",
                         o.inputs, "give input_0.npy and so on, one for each input");
    std::vector<graph::HostTensor> feeds;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const graph::TensorType& type = graph.type(graph.feeds[i].value);
        if (given[i].shape != type.shape)
            return bad_input("input " + std::to_string(i) + " is " + graph::to_string(given[i].shape) +
                                 ", the model's \"" + graph.feeds[i].name + "\" is " +
                                 graph::to_string(type.shape),
                             o.inputs, "give it that shape");
        TRY(const auto values, onnx::narrowed(given[i]));
        graph::HostTensor& feed = feeds.emplace_back(type);
        for (std::int64_t k = 0; k < feed.elements(); ++k)
            feed.set(k, values.at(k));
    }
    return feeds;
}

Result<std::vector<ModelOutput>> keras_outcomes(const Inference& o) {
    TRY(const auto file, keras::read_keras_file(o.model));
    if (!file.has_weights && o.weights.empty())
        return bad_input("has no weights", o.model,
                         "give a file that model.save() has written, or --weights FILE");
    TRY(const auto given, read_tensors(o.inputs, "input"));
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    keras::KerasOptions options;
    options.batch = given.empty() || given[0].shape.empty() ? 1 : given[0].shape[0];
    TRY(const auto model, keras::add_keras_model(build, file.model, o.model, options));
    TRY(keras::load_keras_weights(o.weights.empty() ? o.model : o.weights, model.variables, graph));
    for (const keras::ModelOutput& output : model.outputs)
        build.fetch(output.name, output.value);
    TRY(const auto feeds, keras_feeds(o, graph, given));
    return computed(std::move(graph), registry, feeds);
}

} // namespace

Result<std::vector<ModelOutput>> infer_model(const Inference& o) {
    TRY(workload::check_model_kind(o.model));
    if (is_keras(o.model))
        return keras_outcomes(o);
    if (!o.weights.empty())
        return Failure(
            Error{ErrorKind::Usage, "an ONNX model has its own weights", "--weights", "leave it out"});
    TRY(const auto model, onnx::load_onnx_model(o.model));
    TRY(auto inputs, read_inputs(o, model));
    const graph::OperatorRegistry registry = operators::standard_operators();
    graph::Graph graph;
    graph::Builder build(graph, registry);
    TRY(const auto outputs, onnx::add_onnx_model(build, model, o.model, {0, {}, inputs.given, {}}));
    for (std::size_t i = 0; i < outputs.size(); ++i)
        build.fetch(model.outputs[i], outputs[i]);
    return computed(std::move(graph), registry, inputs.feeds);
}

Result<void> compare_outputs(std::vector<ModelOutput>& outputs, const std::string& folder,
                             const onnx::Tolerances& tolerances) {
    std::vector<std::string> types;
    types.reserve(outputs.size());
    for (const ModelOutput& output : outputs)
        types.emplace_back(output.value.type().dtype == graph::DType::Float32   ? "float"
                           : output.value.type().dtype == graph::DType::Float16 ? "float16"
                                                                                : "");
    TRY(const auto expected, read_tensors(folder, "output", types));
    if (expected.empty() || expected.size() > outputs.size())
        return bad_input("has " + std::to_string(expected.size()) + " output files, the model " +
                             std::to_string(outputs.size()) + " outputs",
                         folder, "give output_0.pb and so on");
    for (std::size_t i = 0; i < expected.size(); ++i) {
        outputs[i].difference = onnx::difference(outputs[i].value, expected[i], tolerances);
    }
    return {};
}

} // namespace tilescope::prepare
