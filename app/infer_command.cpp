// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/number_checks.h"
#include "base/try.h"
#include "export/whole_file.h"
#include "formats/array_file.h"
#include "onnx/model.h"
#include "prepare/infer_model.h"

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tilescope::app {
namespace {

namespace fs = std::filesystem;

using prepare::ModelOutput;

struct InferOptions : prepare::Inference {
    std::string expect;
    std::string output;
    std::string format = "text";
    onnx::Tolerances tolerances;
};

/// NumPy's text of a type.
const char* npy_type(graph::DType dtype) {
    switch (dtype) {
    case graph::DType::Float32:
        return "<f4";
    case graph::DType::Float16:
        return "<f2";
    case graph::DType::Int32:
        return "<i4";
    case graph::DType::Bool:
        return "|b1";
    case graph::DType::UInt8:
        return "|u1";
    }
    return "";
}

/// Whether two names are of one file or folder.
bool are_same(const fs::path& a, const fs::path& b) {
    std::error_code unknown;
    return fs::equivalent(a, b, unknown);
}

/// What is written must not take the place of what is read: the next run would find its own outputs as
/// expected.
Result<void> check_output(const InferOptions& o) {
    for (const auto& [option, folder] : {std::pair("--expect", o.expect), std::pair("--inputs", o.inputs)}) {
        if (are_same(o.output, folder))
            return wrong_usage(std::string("-o is the folder of ") + option, o.output, "name another folder");
        std::error_code unreadable;
        for (const auto& read : fs::directory_iterator(folder, unreadable)) // through links, too
            if (const fs::path written = fs::path(o.output) / read.path().filename();
                are_same(written, read.path()))
                return wrong_usage(std::string("-o would replace a file of ") + option, written.string(),
                                   "name another folder");
    }
    return {};
}

/// In the format of the inputs.
Result<void> write(const InferOptions& o, const std::vector<ModelOutput>& outputs) {
    std::error_code failed;
    fs::create_directories(o.output, failed);
    const bool arrays = fs::exists(fs::path(o.inputs) / "input_0.npy") &&
                        !fs::exists(fs::path(o.inputs) / "input_0.pb"); // as they were read
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const graph::HostTensor& value = outputs[i].value;
        const std::string name = "output_" + std::to_string(i) + (arrays ? ".npy" : ".pb");
        TRY(exports::write_whole_file((fs::path(o.output) / name).string(),
                                      [&](std::ostream& out) -> Result<void> {
                                          if (arrays)
                                              formats::write_npy(out, npy_type(value.type().dtype),
                                                                 value.shape(), value.device_bytes());
                                          else
                                              onnx::write_onnx_tensor(out, outputs[i].name, value);
                                          return {};
                                      }));
    }
    return {};
}

std::string verdict(const ModelOutput& output) {
    return output.difference->empty() ? "as expected" : *output.difference;
}

void print(const InferOptions& o, const std::vector<ModelOutput>& outputs) {
    if (o.format == "text") {
        for (const ModelOutput& output : outputs)
            std::cout << output.name << ": " << graph::to_string(output.value.type())
                      << (output.difference ? ", " + verdict(output) : "") << '\n';
        return;
    }
    nlohmann::ordered_json told = nlohmann::ordered_json::array();
    for (const ModelOutput& output : outputs) {
        nlohmann::ordered_json values = nlohmann::ordered_json::array();
        for (std::int64_t i = 0; i < output.value.elements(); ++i)
            values.push_back(output.value.at(i));
        nlohmann::ordered_json json{{"name", output.name},
                                    {"dtype", graph::to_string(output.value.type().dtype)},
                                    {"shape", output.value.shape()},
                                    {"values", values}};
        if (output.difference) {
            json["as_expected"] = output.difference->empty();
            json["difference"] = *output.difference;
        }
        told.push_back(std::move(json));
    }
    std::cout << nlohmann::ordered_json{{"model", o.model}, {"outputs", told}}.dump(2) << '\n';
}

Result<void> infer(const InferOptions& o) {
    if (!o.output.empty())
        TRY(check_output(o));
    TRY(auto all, prepare::infer_model(o));
    if (!o.expect.empty())
        TRY(prepare::compare_outputs(all, o.expect, o.tolerances));
    if (!o.output.empty())
        TRY(write(o, all));
    print(o, all);
    for (const ModelOutput& output : all)
        if (output.difference && !output.difference->empty())
            return Failure(Error{
                ErrorKind::NotMet, "output \"" + output.name + "\": " + *output.difference, o.model, {}});
    return {};
}

} // namespace

void add_infer_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<InferOptions>();
    CLI::App* command =
        program.add_subcommand("infer", "Compute an ONNX or Keras model's outputs, and compare them");
    command->add_option("MODEL", options->model, "ONNX or Keras model file")->required();
    command->add_option("--inputs", options->inputs, "Folder with input_0.pb or input_0.npy and so on")
        ->required()
        ->type_name("DIR");
    command->add_option("--weights", options->weights, "Weights of a Keras model, where its file has none")
        ->type_name("FILE");
    command
        ->add_option("--expect", options->expect,
                     "Folder with output_0.pb or output_0.npy and so on to compare with")
        ->type_name("DIR");
    command->add_option("--rtol", options->tolerances.relative, "Tolerance as a share of what is expected")
        ->capture_default_str()
        ->check(not_negative());
    command->add_option("--atol", options->tolerances.absolute, "Tolerance on top of that")
        ->capture_default_str()
        ->check(not_negative());
    command
        ->add_option("-o,--output", options->output,
                     "Write output_0 and so on into DIR, .pb or .npy as the inputs are")
        ->type_name("DIR");
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->footer("Example:\n  tilescope infer model.onnx --inputs data --expect data\n"
                    "  tilescope infer model.h5 --inputs arrays -o outputs\n");
    command->callback([options, &action] { action = [options] { return infer(*options); }; });
}

} // namespace tilescope::app
