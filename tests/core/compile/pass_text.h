// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "compile/compiler.h"
#include "compile/passes.h"
#include "graph/graph_text.h"
#include "operators/operators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

/// Passes on graphs given as text (core/graph/include/graph/graph_text.h).
namespace tilescope::compile {

inline const graph::OperatorRegistry& registry() {
    static const graph::OperatorRegistry all = operators::standard_operators();
    return all;
}

inline graph::Graph graph_of(const std::string& text) {
    auto graph = graph::parse(text, registry());
    EXPECT_TRUE(graph.has_value()) << graph.error().line() << "\n" << text;
    return graph ? std::move(*graph) : graph::Graph();
}

/// The text as the printer writes it: with all types, values by the names of what makes them.
inline std::string normal(const std::string& text) {
    return print(graph_of(text));
}

/// A loop of three steps with some lines in its body, of which `next` and `slice` go out; output number
/// `used` is fetched.
inline std::string loop_text(const std::string& body, const std::string& next, const std::string& slice,
                             const std::string& used) {
    return R"(graph "g" {
  feed %h : float32 [4]
  feed %x : float32 [3, 4]
  %out:0, %out:1 = scan(%h, %x) {body: graph "step" {
    feed %state : float32 [4]
    feed %slice : float32 [4]
)" + body +
           "    fetch \"next state\" = " + next + "\n    fetch \"slice\" = " + slice + R"(
  }, reversed: false, sequences: 1, states: 1, steps: 3}
  fetch "y" = %out:)" +
           used + "\n}";
}

/// One pass alone, by its name in the list. `graph` is changed; what the pass says of it is returned.
inline Result<std::string> run_pass(const std::string& name, graph::Graph& graph,
                                    const Options& options = {}) {
    Executable executable;
    executable.graph = std::move(graph);
    Compilation compilation{executable, registry(), options, {}};
    Result<std::string> said = bad_input("there is no pass \"" + name + "\"");
    for (const Pass& pass : passes())
        if (pass.name == name)
            said = pass.run(compilation);
    graph = std::move(executable.graph);
    return said;
}

/// The graph that one pass makes of a text, as text.
inline std::string after(const std::string& name, const std::string& text, const Options& options = {}) {
    graph::Graph graph = graph_of(text);
    const auto said = run_pass(name, graph, options);
    EXPECT_TRUE(said.has_value()) << said.error().line();
    return print(graph);
}

/// A target of few tiles, for programs that can be read.
inline Options options_for(std::int64_t tiles) {
    ipu::TargetOverrides overrides;
    overrides.figures["tiles_per_ipu"] = static_cast<double>(tiles);
    Options options;
    options.target = *ipu::find_target("ipu2", overrides);
    return options;
}

/// The variable of a name.
inline const program::Variable& named(const program::Program& program, const std::string& name) {
    const auto found = std::find_if(program.variables.begin(), program.variables.end(),
                                    [&](const program::Variable& v) { return v.name == name; });
    EXPECT_NE(found, program.variables.end()) << name;
    return *found;
}

/// The executable of a text after the passes up to this one, and before any that follow.
inline Executable executable_after(const std::string& last, const std::string& text, const Options& options) {
    Executable executable;
    executable.graph = graph_of(text);
    executable.target = options.target;
    Compilation compilation{executable, registry(), options, {}};
    for (const Pass& pass : passes()) {
        const auto said = pass.run(compilation);
        EXPECT_TRUE(said.has_value()) << pass.name << ": " << said.error().line();
        if (pass.name == last)
            return executable;
    }
    ADD_FAILURE() << "there is no pass \"" << last << "\"";
    return executable;
}

} // namespace tilescope::compile
