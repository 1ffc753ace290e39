// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/executable_seeds.h"

#include "compile/build_id.h"
#include "compile/compiler.h"
#include "compile/executable_cache.h"
#include "graph/graph_text.h"
#include "operators/operators.h"
#include "tests/fuzz/seeds.h"
#include "tests/temporary_folder.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tilescope::tests {
namespace {

const char* const network = R"(graph "network" {
  layer @first : "Dense" [2, 8] parameters 64
  layer @second : "Dense" [2, 4] parameters 32
  feed %x : float32 [2, 8]
  feed %labels : int32 [2]
  variable %w : float32 [8, 8] = 0.125 @first
  variable %v : float32 [8, 4] = 0.25 @second
  %a = matmul(%x, %w) @first shard 0
  %b = relu(%a) @first shard 0
  %c = matmul(%b, %v) @second shard 1
  %each = sparse_categorical_crossentropy(%c, %labels) {from_logits: true} shard 1
  %loss = reduce_mean(%each) shard 1
  fetch "loss" = %loss loss
  train %loss "sgd" {learning_rate: 0.01}
})";

template<class T>
T or_throw(Result<T> result) {
    if (!result)
        throw std::runtime_error(result.error().line());
    return std::move(*result);
}

CachedExecutable made() {
    const graph::OperatorRegistry registry = operators::standard_operators();
    const TemporaryFolder folder;
    compile::Options options;
    ipu::TargetOverrides overrides;
    overrides.figures["tiles_per_ipu"] = 4;
    options.target = or_throw(ipu::find_target("ipu2", overrides));
    options.schedule.ipus_per_replica = 2;
    options.schedule.accumulation = options.schedule.steps_per_execution = 4;
    options.schedule.pipeline = PipelineSchedule::Grouped;
    options.cache_directory = folder.path().string();
    CachedExecutable cached;
    cached.executable =
        or_throw(compile::compile(or_throw(graph::parse(network, registry)), registry, options));
    cached.key = compile::cache_key(cached.executable, options, compile::build_id());
    std::ifstream file(compile::cache_path(options.cache_directory, cached.key), std::ios::binary);
    cached.entry.assign(std::istreambuf_iterator<char>(file), {});
    cached.header_bytes = compile::cache_entry(cached.key, {}).size();
    return cached;
}

} // namespace

const CachedExecutable& cached_executable() {
    static const CachedExecutable cached = made();
    return cached;
}

std::vector<Seed> executable_seeds() {
    return {{"pipeline.executable", cached_executable().entry}};
}

} // namespace tilescope::tests
