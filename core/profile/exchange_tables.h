// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "table.h"

/// The tables of what moves between tiles: see tables.h.
namespace tilescope::profile {

template<>
inline constexpr auto table_of<ExchangeRecord> = table<ExchangeRecord>(
    "exchange", "Data between tiles, or with host or streaming memory. Per tile: `sent`, `received`.",
    key("id"), Storing::TextsOnce, column("id", &ExchangeRecord::id), column("name", &ExchangeRecord::name),
    column("kind", &ExchangeRecord::kind, "", "`internal`, `inter_ipu`, `host` or `streaming`"),
    column("operation_id", &ExchangeRecord::operation_id),
    column("bytes", &ExchangeRecord::bytes, "bytes", "sent, once to each receiver; beyond the IPU: moved"),
    column("cycles", &ExchangeRecord::cycles, "cycles", "without sync"),
    column("ipu", &ExchangeRecord::ipu, "", "of the first replica, whose tiles send"),
    column("peer", &ExchangeRecord::peer, "",
           "of `inter_ipu`: whose tiles receive, -1: the same IPU of the next replica; else -1"),
    column("ring_phase", &ExchangeRecord::ring_phase, "",
           "that it is of an all-reduce around a ring of replicas: `reduce_scatter` or `all_gather`; else "
           "`none`"));

template<>
inline constexpr auto table_of<ExchangeVariableRecord> = table<ExchangeVariableRecord>(
    "exchange_variable", "Whose bytes an exchange moves.", key("exchange_id, position"),
    column("exchange_id", &ExchangeVariableRecord::exchange_id),
    column("position", &ExchangeVariableRecord::position, "", "from 0"),
    column("variable_id", &ExchangeVariableRecord::variable_id, "", "that sends; of a load: that is loaded"),
    column("bytes", &ExchangeVariableRecord::bytes, "bytes",
           "once to each receiver; those of all variables are `exchange.bytes`"));

template<>
inline constexpr auto table_of<ExchangeMovesRecord> = table<ExchangeMovesRecord>(
    "exchange_moves",
    "Which elements of a tensor an exchange brings where. An exchange within an IPU that is not here has "
    "sums for each tile only: the compiler does not follow which tile sends to which.",
    key("exchange_id"), Storing::TextsOnce, column("exchange_id", &ExchangeMovesRecord::exchange_id),
    column(
        "axes", &ExchangeMovesRecord::axes, "",
        "JSON: for each dimension of the tensor [extent, block, stride, period, piece, piece stride]: it is "
        "cut in blocks, and these in pieces. Piece *j* of block *i* adds (*i* mod period) * stride + *j* * "
        "piece stride to the number of the tile that holds it. A seventh number says where it is not "
        "0 how many elements of the first block lie before the tensor's first one"),
    column("first_tile", &ExchangeMovesRecord::first_tile, "", "with which these numbers begin"),
    column("element_bytes", &ExchangeMovesRecord::element_bytes, "bytes"),
    column("needs_id", &ExchangeMovesRecord::needs_id, "", "`tile_needs.id`"),
    column("first_need_tile", &ExchangeMovesRecord::first_need_tile, "", "the tile of its first need"));

template<>
inline constexpr auto table_of<TileNeedsRecord> = table<TileNeedsRecord>(
    "tile_needs", "Boxes of a tensor and the tiles that need them, each such list once.", key("id"),
    column("id", &TileNeedsRecord::id),
    column("shape", &TileNeedsRecord::shape, "elements", "of the tensor; the boxes are in its dimensions"),
    column(
        "data", &TileNeedsRecord::data, "",
        "packed as *Numbers of every tile* says: the tiles of all needs, counted from that of the first one, "
        "then the begins and ends of their boxes, dimension by dimension; of each of these columns the "
        "differences from one need to the next"));

} // namespace tilescope::profile
