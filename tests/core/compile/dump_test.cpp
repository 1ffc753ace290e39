// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/passes.h"
#include "tests/core/compile/pass_text.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilescope::compile {
namespace {

/// Layers, convolutions, a loop over time, random numbers and constants, trained on two replicas.
const std::string network = R"(graph "network" {
  layer @conv : "Conv2D" [4, 4, 4, 8] parameters 216
  layer @rnn : "SimpleRNN" [4, 8] parameters 0
  feed %x : float32 [4, 6, 6, 3]
  feed %labels : int32 [4]
  variable %kernel : float32 [3, 3, 3, 8] = 0.125 @conv
  variable %recurrent : float32 [8, 8] = 0.25 @rnn
  constant %zero : float32 [4, 8] = 0
  %conv = conv2d(%x, %kernel) @conv
  %relu = relu(%conv) @conv
  %dropout = dropout(%relu) {rate: 0.5} @conv
  %rows = reshape(%dropout) {shape: [4, 16, 8]}
  %steps = transpose(%rows) {permutation: [1, 0, 2]}
  %state, %all = scan(%zero, %steps, %recurrent) {body: graph "step" {
    feed %state : float32 [4, 8]
    feed %slice : float32 [4, 8]
    feed %w : float32 [8, 8]
    %product = matmul(%state, %w)
    %sum = add(%slice, %product)
    %next = tanh(%sum)
    fetch "next state" = %next
    fetch "slice" = %next
  }, reversed: false, sequences: 1, states: 1, steps: 16} @rnn
  %each = sparse_categorical_crossentropy(%state, %labels) {from_logits: true}
  %loss = reduce_mean(%each)
  fetch "loss" = %loss loss
  train %loss "adam" {learning_rate: 0.01}
}
)";

} // namespace

TEST(Dumps, TheGraphOfEveryPassIsReadBackFromItsText) {
    Options options = options_for(16);
    options.schedule.replicas = 2;
    options.schedule.accumulation = 2;
    options.schedule.steps_per_execution = 4;
    options.recompute = true;
    options.dump_directory = testing::TempDir() + "dumps_of_passes";
    std::filesystem::remove_all(options.dump_directory);
    const auto executable = compile(graph_of(network), registry(), options);
    ASSERT_TRUE(executable.has_value()) << executable.error().line();
    std::ptrdiff_t graphs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options.dump_directory)) {
        std::ifstream file(entry.path());
        const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (!text.starts_with("graph"))
            continue; // a program
        ++graphs;
        EXPECT_EQ(print(graph_of(text), graph::TensorText::Short), text) << entry.path();
    }
    const auto of_graphs = [](const Pass& pass) { return !pass.for_device; };
    EXPECT_EQ(graphs, std::count_if(passes().begin(), passes().end(), of_graphs)) << "up to lowering";
    EXPECT_EQ(normal(print(executable->graph)), print(executable->graph));
}

} // namespace tilescope::compile
