// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ipu/target.h"
#include "mapping/exchange_fabric.h"
#include "program/program.h"
#include "program/tile_mapping.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilescope::program {

using mapping::receive_instructions;
using mapping::send_instructions;

/// The exchange that brings `needs` (boxes of a tensor of `shape`, elements of `element_bytes`) to their
/// tiles from where `from` holds them. nullopt where everything is in place already.
/// Cycles: the longest way (mapping/exchange_fabric.h; the target's set-up where the chip is not known) +
/// what keeps the busiest tile: the bytes that it sends, each once as one message goes to all its receivers,
/// or receives, over the target's rate, or its instructions. What both tiles of a pair receive goes over the
/// buses of both tiles of its sender's pair, at twice the rate (PopLibs lib/poplin/ExchangeEstimator.hpp).
/// What a sender's own pair needs as well goes along at the single rate, or as messages by themselves; and
/// where boxes overlap, what they share is sent with each, or once, to all tiles that need any of them (a
/// receiver begins to listen where its box does: osmarks/ipu-stack, docs/EXCHANGE_INSTRUCTION_REFERENCE.md).
/// Of these ways it is the one in which the busiest tile is done first, then that with the least code.
std::optional<Exchange> exchange_between(const ipu::Target& target, const TileMapping& from,
                                         const Shape& shape, std::int64_t element_bytes,
                                         const std::vector<TileNeed>& needs);

/// Exchanges of one program that were worked out, each kept for those to come that move the same: operations
/// that are alike lie alike.
class ExchangeBook {
  public:
    /// Both outlive it.
    ExchangeBook(Program& program, const ipu::Target& target) : program_(program), target_(target) {}
    /// exchange_between(), with its moves as the program numbers them.
    std::optional<Exchange> between(const TileMapping& from, const Shape& shape, std::int64_t element_bytes,
                                    const std::vector<TileNeed>& needs);

  private:
    struct Known {
        TileMapping from;
        std::int64_t element_bytes;
        std::int32_t needs; ///< number of their list, and the tile of the first one
        std::int64_t first_need_tile;
        std::optional<Exchange> exchange;
    };
    Program& program_;
    const ipu::Target& target_;
    NeedBook needs_; ///< of all that was asked for, also where nothing moves
    std::unordered_multimap<std::uint64_t, Known> known_;
};

/// Instructions of each tile's exchange code where a tensor of `bytes` lies on the tiles that send in the
/// order in which it is wanted, and each part goes to `receivers` tiles at once: what a tile receives comes
/// from as few of them as have room for it, and one more where it begins within one.
std::vector<std::int32_t> instructions_of_runs(const Exchange& exchange, std::int64_t bytes,
                                               std::int64_t receivers);

/// Cycles of an exchange of which is known what each tile sends and receives, but not from whom: that of the
/// longest way from any that sends to any that receives. Each byte goes to `receivers` tiles, and is sent
/// once; `in_pairs`: to both tiles of each pair, at twice the rate.
std::int64_t exchange_bound(const ipu::Target& target, const Exchange& exchange, std::int64_t receivers,
                            bool in_pairs = false);

/// Works out an exchange of which is known what each tile sends and receives, but not from whom: what tiles
/// send, and what comes from each variable, is scaled to what they receive in all, so that every byte has one
/// sender; instructions are estimated where there are none; its cycles are exchange_bound(). Returns whether
/// anything moves.
bool balance(const ipu::Target& target, Exchange& exchange, std::int64_t receivers = 1,
             bool in_pairs = false);

/// A stream copy between the host and the tiles of `mapping`. Cycles: set-up + bytes over the rate of the way
/// between an IPU-Machine and its host, which `sharers` IPUs use at the same time.
Exchange host_exchange(const ipu::Target& target, const TileMapping& mapping, std::int64_t element_bytes,
                       bool to_device, std::int64_t sharers);

/// A load of a remote buffer to the tiles of `mapping`, or a store from there. Cycles: set-up + bytes over
/// the rate of the IPU-Machine's memory, which `sharers` IPUs use at the same time.
Exchange streaming_exchange(const ipu::Target& target, const TileMapping& mapping, std::int64_t element_bytes,
                            bool load, std::int64_t sharers);

/// A copy of a tensor to the same tiles of another IPU. It has no cycles before it is routed over the links.
Exchange inter_ipu_copy(const TileMapping& mapping, std::int64_t element_bytes);

/// One replica's part in a phase of an all-reduce around a ring of `replicas`: it sends and receives (r - 1)
/// / r of the tensor, in r - 1 turns. It has no cycles before it is routed over the links.
Exchange ring_exchange(RingPhase phase, const TileMapping& mapping, std::int64_t element_bytes,
                       std::int64_t replicas);

} // namespace tilescope::program
