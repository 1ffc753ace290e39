// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile/io_tiles.h"

#include "base/text.h"

#include <algorithm>

namespace tilescope::compile {
namespace {

/// Bytes of a batch that the host feeds, and reads.
std::int64_t bytes_of_batch(const graph::Graph& graph) {
    const auto bytes = [&](graph::ValueId id) {
        const graph::TensorType& type = graph.type(id);
        return type.elements() * graph::element_bytes(type.dtype);
    };
    std::int64_t sum = 0;
    for (const graph::Feed& feed : graph.feeds)
        sum += bytes(feed.value);
    for (const graph::Fetch& fetch : graph.fetches)
        sum += bytes(fetch.value);
    return sum;
}

/// Why the exchange with the host cannot go on beside the batches; "" where it can.
std::string why_in_turn(const graph::Graph& graph, const program::Schedule& schedule) {
    const std::int32_t stages = graph.shards();
    if (schedule.pipeline && *schedule.pipeline != PipelineSchedule::Grouped)
        return "of pipelines only those of the schedule Grouped overlap it with compute";
    if (schedule.pipeline) {
        const std::int64_t least = least_overlapped_micro_batches(stages, graph.training.has_value());
        return schedule.accumulation >= least
                   ? std::string()
                   : "a pipeline of " + counted_text(stages, "stage") + " needs " + count_text(least) +
                         " micro-batches or more to overlap it with compute, and has " +
                         count_text(schedule.accumulation);
    }
    if (stages > 1)
        return "a model over several IPUs overlaps it with compute as a pipeline only";
    const std::int64_t loops =
        schedule.accumulation > 1 ? schedule.accumulation : schedule.updates_per_execution();
    return loops > 1 ? std::string() : "an engine run of one batch has no other to overlap it with";
}

} // namespace

std::int64_t least_overlapped_micro_batches(std::int64_t stages, bool training) {
    return program::pipeline_overlap(PipelineSchedule::Grouped, stages, training) + 2;
}

IoPlacement place_io(const graph::Graph& graph, const ipu::Target& target, const program::Schedule& schedule,
                     const IoTiles& asked) {
    IoPlacement result;
    const std::int64_t tiles = asked.num_io_tiles + asked.num_io_tiles % 2; // both of each pair
    if (tiles == 0)
        return result;
    const std::string kept = counted_text(tiles, "I/O tile");
    if (!asked.place_ops_on_io_tiles) {
        result.tiles = graph.shards() > 1 ? 0 : tiles;
        result.note = result.tiles == 0
                          ? "no I/O tiles are kept: io_tiles.place_ops_on_io_tiles is off"
                          : kept + " compute nothing and hold nothing: io_tiles.place_ops_on_io_tiles is off";
        return result;
    }
    if (schedule.pipeline == PipelineSchedule::Sequential) {
        result.note = "no I/O tiles are kept: a pipeline of the schedule Sequential has no use for them";
        return result;
    }
    const std::int64_t bytes = bytes_of_batch(graph);
    const auto room = static_cast<std::int64_t>(static_cast<double>(tiles * target.bytes_per_tile) *
                                                asked.available_memory_proportion);
    if (bytes == 0 || bytes >= room) {
        result.note = bytes == 0 ? "no I/O tiles are kept: the host feeds and reads nothing"
                                 : "no I/O tiles are kept: the host feeds and reads " + count_text(bytes) +
                                       " bytes of a batch, " + kept + " have room for less than " +
                                       count_text(room) +
                                       "; set io_tiles.num_io_tiles or io_tiles.available_memory_proportion "
                                       "to more";
        return result;
    }
    result.tiles = tiles;
    result.placed = true;
    const std::string why = why_in_turn(graph, schedule);
    result.overlaps = why.empty();
    if (!why.empty())
        result.note = "the exchange with the host on the " + kept + " takes turns with compute: " + why;
    return result;
}

} // namespace tilescope::compile
