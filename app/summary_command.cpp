// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command.h"
#include "app/dimensions.h"
#include "base/text.h"
#include "base/try.h"
#include "export/text_table.h"
#include "operators/operators.h"
#include "workload/workload.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace tilescope::app {
namespace {

using namespace exports;

struct SummaryOptions {
    std::string model;
    std::string format = "text";
    std::vector<std::string> shapes;
};

/// The batch is not part of the model: Keras writes None.
std::string shape_text(const graph::Shape& shape) {
    std::string text = "(None";
    for (std::size_t d = 1; d < shape.size(); ++d)
        text += ", " + std::to_string(shape[d]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

nlohmann::ordered_json shape_json(const graph::Shape& shape) {
    nlohmann::ordered_json extents(shape);
    if (!shape.empty())
        extents[0] = nullptr;
    return extents;
}

void print_json(const workload::ModelSummary& summary) {
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (const auto& layer : summary.layers)
        layers.push_back({{"name", layer.name},
                          {"kind", layer.kind},
                          {"output_shape", shape_json(layer.output_shape)},
                          {"parameters", layer.parameters}});
    std::cout << nlohmann::ordered_json{{"name", summary.name},
                                        {"layers", layers},
                                        {"parameters", summary.parameters},
                                        {"trainable_parameters", summary.trainable},
                                        {"non_trainable_parameters", summary.parameters - summary.trainable}}
                     .dump(2)
              << '\n';
}

void print_text(const workload::ModelSummary& summary) {
    std::cout << "Model: \"" << summary.name << "\"\n\n";
    TextTable table({"Layer (type)", "Output Shape", "Param #"}, {false, false, true});
    for (const auto& layer : summary.layers)
        table.add({layer.name + " (" + layer.kind + ")", shape_text(layer.output_shape),
                   count_text(layer.parameters)});
    table.print(std::cout);
    std::cout << "\nTotal params: " << count_text(summary.parameters)
              << "\nTrainable params: " << count_text(summary.trainable)
              << "\nNon-trainable params: " << count_text(summary.parameters - summary.trainable) << '\n';
}

Result<void> summarise(const SummaryOptions& o) {
    TRY(const auto dimensions, read_dimensions(o.shapes));
    TRY(auto workload, workload::read_workload(o.model));
    for (const auto& [name, extent] : dimensions)
        workload.dimensions[name] = extent;
    TRY(const auto summary, workload::summarise(workload, operators::standard_operators()));
    if (o.format == "json")
        print_json(summary);
    else
        print_text(summary);
    return {};
}

} // namespace

void add_summary_command(CLI::App& program, Action& action) {
    auto options = std::make_shared<SummaryOptions>();
    CLI::App* command = program.add_subcommand("summary", "Print a model's layers, shapes and parameters");
    command->add_option("MODEL", options->model, "Keras (JSON, .h5 or .keras) or ONNX model, or a workload")
        ->required();
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_option("--shape", options->shapes, "Extent of a named dimension of an ONNX model")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->type_name("NAME=N");
    command->footer("Example:\n  tilescope summary samples/keras_mnist.json\n");
    command->callback([options, &action] { action = [options] { return summarise(*options); }; });
}

} // namespace tilescope::app
