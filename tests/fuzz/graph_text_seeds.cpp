// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/seeds.h"

namespace tilescope::tests {

std::vector<Seed> graph_text_seeds() {
    return {
        {"dense", R"(graph "dense" {
  layer @dense : "Dense" [4, 10] parameters 330
  feed %x : float32 [4, 8] linear
  feed %labels : int32 [4]
  variable %kernel : float32 [8, 10] = 0.5 constraint "non_neg" {} @dense
  variable %bias : float32 [10] = ... frozen @dense
  constant %axes : int32 [2] = [0, 1]
  %y = matmul(%x, %kernel) {transpose_b: false} : float32 [4, 10] @dense shard 1
  %sum = add(%y, %bias) @dense on "/device:IPU:1"
  %each = sparse_categorical_crossentropy(%sum, %labels) {from_logits: true}
  %loss = reduce_mean(%each)
  fetch "loss" = %loss loss
  fetch "\"y\" \x41" = %y metric
  train %loss "sgd" {learning_rate: 0.01} schedule "PolynomialDecay" {power: 1.0} scale 128 mean
})"},
        {"loop", R"(graph "loop" {
  feed %h : float32 [4]
  feed %"x y" : float32 [3, 4]
  %out:0, %out:1 = scan(%h, %"x y") {body: graph "step" {
    feed %state : float32 [4]
    feed %slice : float32 [4]
    %sum = add(%state, %slice)
    fetch "next state" = %sum
    fetch "slice" = %sum
  }, reversed: false, sequences: 1, states: 1, steps: 3} ; a comment
  fetch "y" = %out:1
})"},
        {"update", R"(graph "update" {
  feed %x : float32 [2, 4, 4, 3]
  variable %w : float32 [2] = [1.5, -inf]
  %first = transpose(%x) {permutation: [0, 3, 1, 2]} recompute
  %part:0, %part:1 = split(%first) {axis: 1, sizes: [1, 2]} backward
  %w/new = negate(%w) update
  next %w = %w/new
  fetch "a" = %part:0
  fetch "b" = %part:1
})"},
    };
}

} // namespace tilescope::tests
