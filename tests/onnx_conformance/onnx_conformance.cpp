// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/target.h"
#include "onnx/expectation.h"
#include "onnx/model.h"
#include "operators/operators.h"
#include "run/inference.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

/// Runs ONNX's backend tests: those named in FOLDER/in_scope.txt, of which FOLDER/not_passed.txt names the
/// ones that are known not to pass, with a reason each: "node/test_x: reason". Prints "passed / in scope".
/// Exit code 0: exactly the others pass; 1: not so; 77: the tests' data are not installed.
/// `onnx_conformance FOLDER TEST…` runs single tests.
namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path data_folder = "/usr/share/libonnx-testdata/data";

compile::Options options() {
    compile::Options result;
    result.target = *ipu::find_target("ipu2", {});
    return result;
}

/// "" where the outputs of one data set are as expected.
std::string run_set(const onnx::OnnxModel& model, const std::string& path, const fs::path& set,
                    const graph::OperatorRegistry& registry) {
    const auto given = onnx::read_onnx_tensors(set.string(), "input");
    const auto expected = onnx::read_onnx_tensors(set.string(), "output");
    if (!given || !expected)
        return (given ? expected.error() : given.error()).line();
    onnx::OnnxSettings settings;
    settings.given = *given;
    std::vector<graph::HostTensor> feeds;
    for (const onnx::OnnxTensor& tensor : *given) {
        auto feed = onnx::narrowed(tensor);
        if (!feed)
            return feed.error().line();
        feeds.push_back(std::move(*feed));
    }
    graph::Graph graph;
    graph::Builder build(graph, registry);
    const auto outputs = onnx::add_onnx_model(build, model, path, settings);
    if (!outputs)
        return outputs.error().line();
    for (std::size_t i = 0; i < outputs->size(); ++i)
        build.fetch(model.outputs[i], (*outputs)[i]);
    const auto values = run::infer(std::move(graph), registry, options(), feeds);
    if (!values)
        return values.error().line();
    if (values->size() != expected->size())
        return "has " + std::to_string(values->size()) + " outputs, expected " +
               std::to_string(expected->size());
    for (std::size_t i = 0; i < values->size(); ++i)
        if (const std::string text = onnx::difference((*values)[i], (*expected)[i], {}); !text.empty())
            return "output " + std::to_string(i) + ": " + text;
    return {};
}

std::string run_test(const std::string& name, const graph::OperatorRegistry& registry) {
    const fs::path folder = data_folder / name;
    const std::string path = (folder / "model.onnx").string();
    const auto model = onnx::load_onnx_model(path);
    if (!model)
        return model.error().line();
    int sets = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_directory()) {
            if (std::string text = run_set(*model, path, entry.path(), registry); !text.empty())
                return text;
            ++sets;
        }
    return sets == 0 ? "there are no data for it" : "";
}

std::vector<std::string> lines_of(const fs::path& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#')
            lines.push_back(line);
    return lines;
}

int run_list(const fs::path& folder) {
    const std::vector<std::string> in_scope = lines_of(folder / "in_scope.txt");
    std::map<std::string, std::string> reasons;
    for (const std::string& line : lines_of(folder / "not_passed.txt"))
        reasons[line.substr(0, line.find(": "))] = line.substr(std::min(line.size(), line.find(": ") + 2));
    const graph::OperatorRegistry registry = operators::standard_operators();
    std::size_t passed = 0;
    bool as_listed = !in_scope.empty();
    for (const std::string& name : in_scope) {
        const std::string failure = run_test(name, registry);
        passed += failure.empty() ? 1 : 0;
        const bool listed = reasons.erase(name) > 0;
        if (!failure.empty() && !listed)
            std::cout << "FAILS " << name << ": " << failure << '\n';
        if (failure.empty() && listed)
            std::cout << "PASSES " << name << ": take it out of not_passed.txt\n";
        as_listed = as_listed && failure.empty() != listed;
    }
    for (const auto& [name, reason] : reasons)
        std::cout << "NOT IN SCOPE " << name << '\n';
    std::cout << passed << " / " << in_scope.size() << " passed / in scope\n";
    return as_listed && reasons.empty() ? 0 : 1;
}

} // namespace
} // namespace tilescope

int main(int argc, char** argv) {
    using namespace tilescope;
    if (argc < 2) {
        std::cerr << "usage: onnx_conformance FOLDER [TEST…]\n";
        return 2;
    }
    if (!fs::is_directory(data_folder)) {
        std::cout << "SKIPPED: " << data_folder.string() << " is not there; install libonnx-testdata\n";
        return 77;
    }
    if (argc == 2)
        return run_list(argv[1]);
    const graph::OperatorRegistry registry = operators::standard_operators();
    int failed = 0;
    for (int i = 2; i < argc; ++i) {
        const std::string failure = run_test(argv[i], registry);
        std::cout << argv[i] << ": " << (failure.empty() ? "passed" : failure) << '\n';
        failed += failure.empty() ? 0 : 1;
    }
    return failed == 0 ? 0 : 1;
}
