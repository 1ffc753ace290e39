// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/exchange_fabric.h"

#include <algorithm>
#include <cstdlib>

namespace tilescope::mapping {
namespace {

constexpr std::int64_t places_in_row = known_chip_tiles / known_chip_rows;
constexpr std::int64_t columns = known_chip_columns;
constexpr std::int64_t half_columns = columns / 2;
constexpr std::int64_t cycles_per_row = 2;
/// A receiver's row selects its source, sets its pointer 52 cycles later, and ends 5 after the last word.
constexpr std::int64_t receive_cycles = 58;

/// A place within a row of the chip.
struct Place {
    explicit Place(std::int64_t number)
        : column(number / 4 % columns), half(column / half_columns), within(number % 4) {}
    /// Counted from the outside: column 15 - k lies where k does, in the other half.
    std::int64_t from_edge() const { return half == 0 ? column : columns - 1 - column; }
    std::int64_t in_half() const { return column % half_columns; }
    std::int64_t column, half, within;
};

/// Along the row, from where the sender's column leaves it to where the receiver's enters; its sign is the
/// direction.
std::int64_t displacement(const Place& from, const Place& to) {
    const std::int64_t exit = from.from_edge() + (from.half == from.within % 2 ? 0 : 1);
    const bool near = to.half == to.within % 2;
    const bool upper = to.within >= 2;
    const std::int64_t entry = upper ? (near ? 2 : 4) : (near ? 1 : 5);
    return 6 * (to.from_edge() - exit) + entry;
}

/// What is the same whichever rows the two tiles are in.
std::int64_t along_row(std::int64_t sender, std::int64_t receiver) {
    const Place from(sender);
    const Place to(receiver);
    const std::int64_t local = half_columns * from.half + from.in_half() / 2;
    const std::int64_t crossing = local - to.column + (3 - from.in_half() / 2);
    const std::int64_t turn = from.half == to.half ? from.in_half() + 1 : 16 - from.in_half();
    return crossing + 4 * from.from_edge() + turn - 4 * to.from_edge() + std::abs(displacement(from, to)) -
           34;
}

using Table = std::array<std::array<std::int16_t, places_in_row>, places_in_row>;

const Table& along_rows() {
    static const Table table = [] {
        Table result{};
        for (std::int64_t from = 0; from < places_in_row; ++from)
            for (std::int64_t to = 0; to < places_in_row; ++to)
                result[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] =
                    static_cast<std::int16_t>(along_row(from, to));
        return result;
    }();
    return table;
}

std::int64_t row_of(std::int64_t number) {
    return number / places_in_row;
}
std::size_t place_of(std::int64_t number) {
    return static_cast<std::size_t>(number % places_in_row);
}

/// By the numbers that the chip has itself.
std::int64_t cycles_between(std::int64_t sender, std::int64_t receiver) {
    return along_rows()[place_of(sender)][place_of(receiver)] +
           cycles_per_row * (row_of(sender) - row_of(receiver));
}

} // namespace

std::int64_t physical_tile(std::int64_t tile) {
    const std::int64_t pair = tile / 2;
    const std::int64_t block = pair / known_chip_rows;
    const std::int64_t along = pair % known_chip_rows;
    const std::int64_t row = block % 2 == 0 ? along : known_chip_rows - 1 - along;
    return places_in_row * row + 4 * (block / 2) + block % 2 + 2 * (tile % 2);
}

std::int64_t path_cycles(std::int64_t from, std::int64_t to) {
    return cycles_between(physical_tile(from), physical_tile(to));
}

void ExchangePaths::Rows::add(std::int64_t row) {
    least = std::min(least, row);
    most = std::max(most, row);
}

void ExchangePaths::add(std::int64_t from, std::int64_t to) {
    const std::int64_t receiver = physical_tile(to);
    const std::int64_t path = cycles_between(physical_tile(from), receiver);
    earliest_ = std::min(earliest_, path);
    latest_ = std::max(latest_, path + cycles_per_row * row_of(receiver));
}

void ExchangePaths::add_sender(std::int64_t tile) {
    const std::int64_t number = physical_tile(tile);
    senders_[place_of(number)].add(row_of(number));
}

void ExchangePaths::add_receiver(std::int64_t tile) {
    const std::int64_t number = physical_tile(tile);
    receivers_[place_of(number)].add(row_of(number));
}

std::int64_t ExchangePaths::cycles() const {
    std::int64_t earliest = earliest_;
    std::int64_t latest = latest_;
    for (std::size_t s = 0; s < senders_.size(); ++s)
        for (std::size_t r = 0; senders_[s].any() && r < receivers_.size(); ++r)
            if (receivers_[r].any()) {
                const std::int64_t along = along_rows()[s][r];
                earliest =
                    std::min(earliest, along + cycles_per_row * (senders_[s].least - receivers_[r].most));
                // The receiver's rows count to the switch, and back from there.
                latest = std::max(latest, along + cycles_per_row * senders_[s].most);
            }
    if (latest == std::numeric_limits<std::int64_t>::min())
        return 0;
    return std::max<std::int64_t>(0, -earliest) + latest + receive_cycles;
}

} // namespace tilescope::mapping
