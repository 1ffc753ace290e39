// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/imports.h"

#include "analyse/budget.h"
#include "analyse/comparison.h"
#include "analyse/io_tiles.h"
#include "analyse/summary.h"
#include "compile/executable_cache.h"
#include "compile/record_executable.h"
#include "formats/array_file.h"
#include "formats/example_record.h"
#include "formats/idx_file.h"
#include "formats/json_reader.h"
#include "formats/record_file.h"
#include "graph/graph_text.h"
#include "keras/layers.h"
#include "onnx/model.h"
#include "operators/operators.h"
#include "profile/profile.h"
#include "run/clock.h"
#include "tests/fuzz/executable_seeds.h"
#include "tests/fuzz/seeds.h"
#include "tests/profile_fixture.h"
#include "tests/temporary_folder.h"
#include "workload/workload.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tilescope::tests {
namespace {

const graph::OperatorRegistry& registry() {
    static const graph::OperatorRegistry all = operators::standard_operators();
    return all;
}

/// The path of a file of this name that holds the bytes.
std::string file_of(const std::string& name, std::string_view bytes) {
    static const TemporaryFolder folder;
    std::ofstream(folder / name, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return folder / name;
}

/// Reads a workload or a bare model, and builds its graphs.
std::string take_workload(const std::string& path) {
    const auto workload = workload::read_workload(path);
    if (!workload)
        return workload.error().line();
    const auto trained = workload::build_graph(*workload, registry(), workload::Mode::Train);
    if (!trained)
        return trained.error().line();
    workload->canonical_json();
    const auto summary = workload::summarise(*workload, registry());
    return summary ? "" : summary.error().line();
}

std::string take_keras_json(std::string_view bytes) {
    return take_workload(file_of("model.json", bytes));
}

std::string take_keras_h5(std::string_view bytes) {
    return take_workload(file_of("model.h5", bytes));
}

std::string take_keras_archive(std::string_view bytes) {
    return take_workload(file_of("model.keras", bytes));
}

std::string take_workload_json(std::string_view bytes) {
    return take_workload(file_of("workload.json", bytes));
}

std::string build(const onnx::OnnxModel& model, const std::string& path, const onnx::OnnxSettings& settings) {
    graph::Graph graph;
    graph::Builder builder(graph, registry());
    const auto outputs = onnx::add_onnx_model(builder, model, path, settings);
    return outputs ? "" : outputs.error().line();
}

/// What `infer` would be given: small tensors of ones, where the model has small inputs.
std::vector<onnx::OnnxTensor> ones(const onnx::OnnxModel& model) {
    constexpr double most = 4096;
    std::vector<onnx::OnnxTensor> tensors;
    for (const onnx::OnnxInput& input : model.inputs) {
        graph::Shape shape;
        double count = 1;
        for (const onnx::OnnxDimension& dimension : input.shape) {
            const auto* extent = std::get_if<std::int64_t>(&dimension);
            shape.push_back(extent == nullptr ? 2 : std::max<std::int64_t>(*extent, 0));
            count *= static_cast<double>(shape.back());
        }
        const auto dtype = onnx::device_type(input.type);
        if (!dtype || count > most)
            return {};
        onnx::OnnxTensor tensor{input.name, input.type, shape, {}, {}};
        if (graph::is_floating(*dtype)) {
            tensor.floats = graph::HostTensor({*dtype, shape});
            for (std::int64_t i = 0; i < tensor.floats.elements(); ++i)
                tensor.floats.set(i, 1);
        } else {
            tensor.integers.assign(static_cast<std::size_t>(graph::element_count(shape)), 1);
        }
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

std::string take_onnx_model(std::string_view bytes) {
    file_of(external_file, std::string(external_bytes, '\x3F'));
    const std::string path = file_of("model.onnx", bytes);
    const auto model = onnx::load_onnx_model(path);
    if (!model)
        return model.error().line();
    onnx::OnnxSettings open; // as `profile` does it: every open dimension is given
    open.batch = onnx::fixed_batch(*model) > 0 ? 0 : 2;
    for (const onnx::OnnxInput& input : model->inputs)
        for (const onnx::OnnxDimension& dimension : input.shape)
            if (const auto* name = std::get_if<std::string>(&dimension); name != nullptr && !name->empty())
                open.dimensions[*name] = 2;
    onnx::OnnxSettings given; // as `infer` does it: the inputs' values are known
    given.given = ones(*model);
    build(*model, path, given);
    return build(*model, path, open);
}

std::string take_onnx_tensor(std::string_view bytes) {
    file_of(external_file, std::string(external_bytes, '\x3F'));
    const auto tensor = onnx::read_onnx_tensor(file_of("input_0.pb", bytes));
    if (!tensor)
        return tensor.error().line();
    const auto narrowed = onnx::narrowed(*tensor);
    return narrowed ? "" : narrowed.error().line();
}

/// A whole profile, to compare others with.
const profile::Profile& whole_profile() {
    static const TemporaryFolder folder;
    static const auto profile = [] {
        const std::string path = folder / "whole.tilescope";
        if (const auto recorded = record_fixture(path, {4, 1, 1, 1, 1}); !recorded)
            throw std::runtime_error(recorded.error().line());
        return std::move(*profile::Profile::open(path));
    }();
    return *profile;
}

std::string take_profile(std::string_view bytes) {
    const std::string path = file_of("run.tilescope", bytes);
    const auto profile = profile::Profile::open(path);
    if (!profile)
        return profile.error().line();
    const profile::Profile& file = **profile;
    constexpr std::int64_t most = 100;
    std::string refusal;
    const auto note = [&](const auto& result) { refusal = result ? refusal : result.error().line(); };
    note(file.progress());
    note(file.layers());
    note(file.tensors());
    note(file.vertices());
    note(file.program());
    note(file.liveness(0));
    note(file.plans());
    note(file.compile_events());
    note(file.pipeline_slots());
    note(file.link_traffic());
    note(file.metrics());
    note(file.executions());
    note(file.schedule_spans());
    note(analyse::io_tiles(file, profile::ExecutionKind::Train));
    note(file.outputs());
    note(file.log());
    note(file.peak_step(0));
    note(analyse::Costs::read(file));
    note(analyse::live_variables(file));
    note(file.variables_on_tiles(0, {0, 1}));
    note(file.phase_history(most));
    note(file.metric_history(most));
    note(file.query("SELECT * FROM operation_cost"));
    if (const auto range = file.time_range()) {
        note(file.trace(0, range->first, range->second, 1));
        note(file.trace(0, range->first, range->second, most));
        note(file.io_trace(0, range->first, range->second, most));
        note(file.trace_totals(0, range->first, range->second));
    }
    note(analyse::summarise(file));
    note(analyse::compare(whole_profile(), file));
    note(analyse::compare(file, whole_profile()));
    return refusal;
}

/// The report of a run that both a budget and its baseline are asked for.
const nlohmann::ordered_json& report() {
    static const auto document = [] {
        const TemporaryFolder folder;
        const std::string path = folder / "run.tilescope";
        if (const auto recorded = record_fixture(path, {4, 1, 1, 1, 1}); !recorded)
            throw std::runtime_error(recorded.error().line());
        const auto profile = profile::Profile::open(path);
        const auto summary = profile ? analyse::summarise(**profile) : Failure(profile.error());
        if (!summary)
            throw std::runtime_error(summary.error().line());
        return analyse::document(*summary);
    }();
    return document;
}

std::string take_budget(std::string_view bytes) {
    const std::string path = file_of("budget.json", bytes);
    const auto text = formats::read_text(path);
    if (!text)
        return text.error().line();
    const auto limits = analyse::parse_budget(*text, path);
    if (!limits)
        return limits.error().line();
    const analyse::Comparison comparison;
    const analyse::Baseline baseline{report(), comparison};
    const auto verdicts = analyse::check(*limits, report(), &baseline, path);
    return verdicts ? "" : verdicts.error().line();
}

/// As images, or else as labels.
std::string take_npy(std::string_view bytes) {
    const auto array = formats::parse_npy(std::string(bytes), "array.npy");
    return array ? "" : array.error().line();
}

std::string take_idx(std::string_view bytes) {
    const std::string path = file_of("train-images-idx3-ubyte", bytes);
    const auto images = formats::read_idx_file(path, 3);
    return images || formats::read_idx_file(path, 1) ? "" : images.error().line();
}

/// What is parsed is printed in a form that is parsed to the same.
std::string take_graph_text(std::string_view bytes) {
    const auto graph = graph::parse(bytes, registry());
    if (!graph)
        return graph.error().line();
    const std::string text = print(*graph);
    const auto again = graph::parse(text, registry());
    if (!again || print(*again) != text)
        throw std::logic_error("a graph is printed in a form that is not read back");
    return "";
}

/// What is done with an executable that a run loads: it is recorded and timed.
void use(const compile::Executable& executable) {
    const TemporaryFolder folder;
    const auto recorder = profile::Recorder::create(folder / "run.tilescope", {});
    if (!recorder)
        throw std::runtime_error(recorder.error().line());
    compile::record(executable, registry(), **recorder);
    run::Clock(run::DeviceProgram{executable}, **recorder).execute(profile::ExecutionRecord{});
    if (!executable.fits())
        compile::out_of_memory(executable);
}

/// The entry itself, and one whose checksum is right: it tells damage from no intent.
std::string take_executable(std::string_view bytes) {
    const CachedExecutable& cached = cached_executable();
    compile::Executable executable = cached.executable;
    std::string entry(bytes);
    auto outcome = compile::read_cached(entry, cached.key, executable);
    if (outcome != compile::CacheOutcome::Hit && entry.size() > cached.header_bytes) {
        entry = compile::cache_entry(cached.key, entry.substr(cached.header_bytes));
        if (compile::read_cached(entry, cached.key, executable) == compile::CacheOutcome::Hit)
            use(executable);
    }
    return outcome == compile::CacheOutcome::Hit ? "" : "damaged";
}

std::vector<std::string> no_words() {
    return {};
}

std::vector<std::string> keras_words() {
    return keras::supported_layers();
}

/// The keys, and the operations of small graphs.
std::vector<std::string> workload_words() {
    std::vector<std::string> words = registry().names();
    for (const std::string& path : workload::known_keys())
        words.push_back(path.substr(path.rfind('.') + 1));
    return words;
}

/// The operations.
std::vector<std::string> graph_words() {
    return registry().names();
}

/// Each record, and the Example in it; a file without one is none that is looked for here.
std::string take_records(std::string_view bytes) {
    auto reader = formats::RecordReader::open(file_of("some.tfrecord", bytes));
    if (!reader)
        return reader.error().line();
    for (bool some = false;; some = true) {
        const auto record = reader->next();
        if (!record)
            return record.error().line();
        if (!*record)
            return some ? "" : "there is no record";
        if (const auto example = formats::parse_example(**record); !example)
            return example.error().line();
        else if (formats::parse_example(formats::write_example(*example)) != *example)
            return "an Example that is written is another one";
    }
}

/// The bytes of an Example.
std::string take_example(std::string_view bytes) {
    const auto example = formats::parse_example(bytes);
    return !example ? example.error().line() : example->empty() ? "there is no feature" : "";
}

} // namespace

const std::vector<Import>& imports() {
    static const std::vector<Import> all = {
        {"keras_json", take_keras_json, keras_json_seeds, keras_words},
        {"keras_h5", take_keras_h5, keras_h5_seeds, keras_words},
        {"keras_archive", take_keras_archive, keras_archive_seeds, keras_words},
        {"onnx_model", take_onnx_model, onnx_model_seeds, onnx::supported_onnx_operators},
        {"onnx_tensor", take_onnx_tensor, onnx_tensor_seeds, no_words},
        {"workload", take_workload_json, workload_seeds, workload_words},
        {"graph_text", take_graph_text, graph_text_seeds, graph_words},
        {"idx", take_idx, idx_seeds, no_words},
        {"npy", take_npy, npy_seeds, no_words},
        {"records", take_records, record_seeds, no_words},
        {"example", take_example, example_seeds, no_words},
        {"executable", take_executable, executable_seeds, no_words},
        {"budget", take_budget, budget_seeds, budget_words},
        {"profile", take_profile, profile_seeds, no_words},
    };
    return all;
}

const Import& import_named(std::string_view name) {
    const auto found = std::find_if(imports().begin(), imports().end(),
                                    [&](const Import& each) { return each.name == name; });
    if (found == imports().end()) {
        std::fprintf(stderr, "there is no import \"%.*s\"\n", static_cast<int>(name.size()), name.data());
        std::abort();
    }
    return *found;
}

} // namespace tilescope::tests
