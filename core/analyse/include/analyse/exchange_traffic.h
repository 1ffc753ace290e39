// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "base/error.h"
#include "profile/profile.h"
#include "profile/shared_rows.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilescope::analyse {

/// One exchange of a run, as a row of a list.
struct ExchangeRow {
    profile::ExchangeRecord exchange;
    std::int64_t program = -1; ///< the first program step that is this exchange
    std::int64_t runs = 0;     ///< in an engine run
    std::int64_t cycles = 0;   ///< of one run, as its program step has them: of a stream copy with the wait
    std::int64_t ring = 1;     ///< replicas that an all-reduce goes around
    /// Of all its runs, the mean of one period of a basis.
    double cycles_per(const Loops& loops, Basis basis) const { return loops.mean(cycles * runs, basis); }
    double bytes_per(const Loops& loops, Basis basis) const {
        return loops.mean(exchange.bytes * runs, basis);
    }
};
struct ExchangeList {
    std::vector<ExchangeRow> rows; ///< most cycles of an engine run first
    std::vector<profile::LinkTrafficRecord> links;
    std::map<std::int64_t, std::int64_t> of_program; ///< exchange, by program step
    std::int64_t replicas = 1;
    double clock_hz = 0;
    Loops loops;
};
/// Of an IPU (sending or receiving), -1: of all those of one replica.
Result<ExchangeList> exchange_list(const profile::Profile& profile, std::int64_t ipu);

/// What one exchange does, tile by tile.
struct ExchangeTraffic {
    profile::ExchangeRecord exchange;
    std::vector<std::int64_t> sent;     ///< bytes by tile, once for each receiver
    std::vector<std::int64_t> received; ///< bytes by tile
};
/// No bytes on any tile where there is no such exchange.
Result<ExchangeTraffic> exchange_traffic(const profile::Profile& profile, std::int64_t exchange_id);

/// The tile with the most bytes, beside the mean of all.
struct MostBytes {
    std::int64_t tile = -1; ///< the first of several; -1: none has any
    std::int64_t bytes = 0;
    double mean = 0;
    std::int64_t tiles = 0; ///< that have any
    /// How many times the mean; 0 where none has any.
    double times() const { return mean > 0 ? static_cast<double>(bytes) / mean : 0; }
};
MostBytes most_bytes(const std::vector<std::int64_t>& by_tile);

/// Which tile of an exchange sends how much to which.
struct TileMoves {
    enum class Known {
        Exactly,
        NotFollowed, ///< by the compiler, which prices the sums of each tile
        NotRecorded, ///< by the version that made the file
        Outside      ///< what moves goes to or comes from outside the IPUs
    };
    Known known = Known::NotRecorded;
    std::int64_t tiles = 0;
    std::vector<std::int64_t> bytes; ///< of one run, [from * tiles + to]; empty where it is not known
    /// In which a schedule of its messages is through, words on their way included
    /// (mapping::scheduled_cycles): at most, while the exchange's own cycles are those of the busiest tile
    /// (of partial sums with a bound of their way, which may be longer). nullopt: the messages, or where the
    /// tiles of the chip lie, are not known, or it is several exchanges.
    std::optional<std::int64_t> scheduled_cycles = std::nullopt;
    std::int64_t at(std::int64_t from, std::int64_t to) const {
        return bytes[static_cast<std::size_t>(from * tiles + to)];
    }
    /// Tiles that send to one; nullopt where it is not known.
    std::optional<std::int64_t> senders(std::int64_t to) const;
};
/// Bytes of one run of an exchange, from tile to tile; between IPUs each tile sends to the one of the same
/// number. Errors: those of reading; BadInput where what the file says of the moves makes no sense.
Result<TileMoves> tile_moves(const profile::Profile& profile, const ExchangeTraffic& traffic);

/// What several exchanges move together, per some basis: on the tiles of one IPU, for those of the same
/// number on another are others.
struct SummedTraffic {
    std::int64_t ipu = 0;               ///< whose tiles these are
    std::int64_t ipus = 1;              ///< that the exchanges are of
    std::vector<std::int64_t> sent;     ///< bytes by tile, once for each receiver
    std::vector<std::int64_t> received; ///< bytes by tile
    TileMoves moves;                    ///< of those of which it is known; known Exactly where it is of any
    std::int64_t bytes = 0;             ///< that its tiles send
    std::int64_t followed = 0;          ///< of these, that are in `moves`
};
/// Of all runs of each row in one of so many periods of an engine run (Loops::count), each number rounded to
/// whole bytes. `ipu`: -1: the one whose exchanges take most cycles. Of a single exchange between two IPUs
/// what one sends and the other receives. Errors: those of tile_moves(); Cancelled.
Result<SummedTraffic> summed_traffic(const profile::Profile& profile, const std::vector<ExchangeRow>& rows,
                                     std::int64_t periods = 1, std::int64_t ipu = -1);

/// Of a matrix of tiles what goes to (or, `sent`, what comes from) some tiles, by the other tile.
std::vector<std::int64_t> moves_of_tiles(const TileMoves& moves, const std::vector<std::int64_t>& tiles,
                                         bool sent);

/// Whose bytes the exchanges of a file move. No parts: the file does not say.
struct MovedVariables {
    profile::SharedRows<profile::ExchangeVariableRecord> parts;
    std::unordered_map<std::int64_t, profile::VariableRecord> variables; ///< of these, by id
};
/// The variables are those of the first replica. Errors: those of reading.
Result<MovedVariables> moved_variables(const profile::Profile& profile);

/// A variable and the bytes that exchanges move of it, in an engine run.
struct VariableMoves {
    std::int64_t variable = -1;
    std::int64_t bytes = 0;     ///< once for each receiver
    std::int64_t exchanges = 0; ///< that move it
    std::int64_t dearest = -1;  ///< of these, the one that takes most cycles
    double share = 0;           ///< of the bytes of all variables of these exchanges
};
/// How many times the bytes that a variable has on tiles these are; nullopt: it has none there.
std::optional<double> times_of(double bytes, const profile::VariableRecord& variable);
/// Of the exchanges of some rows, most bytes first.
std::vector<VariableMoves> variable_moves(const MovedVariables& moved,
                                          const std::vector<const ExchangeRow*>& rows);

/// The replicas that an all-reduce of an operation goes around: those of a group, or all.
std::int64_t ring_replicas(const profile::OperationRecord& operation, std::int64_t all);

/// The IPUs of the ring of so many replicas that an IPU belongs to, from that one on, each before the one
/// that it sends to. Empty where the links make none.
std::vector<std::int64_t> ring_from(const std::vector<profile::LinkTrafficRecord>& links, std::int64_t ipu,
                                    std::int64_t replicas);

/// One turn of an all-reduce around a ring: every replica sends one of as many pieces to the next.
struct RingRound {
    std::int64_t number = 0; ///< from 1
    std::int64_t from = 0;   ///< IPU
    std::int64_t to = 0;
    std::int64_t piece = 0; ///< 0 … replicas - 1
    std::int64_t bytes = 0; ///< of one run
};
/// The rounds of a reduce-scatter or all-gather (an exchange between IPUs without a peer), by number and
/// replica: in round k replica i of the ring sends piece i - k + 1 modulo the replicas, or i - k + 2 of an
/// all-gather, which begins with the piece that it has the sum of. Empty for other exchanges.
std::vector<RingRound> ring_rounds(const profile::ExchangeRecord& exchange,
                                   const std::vector<profile::LinkTrafficRecord>& links,
                                   std::int64_t replicas);

} // namespace tilescope::analyse
