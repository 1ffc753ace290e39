// SPDX-License-Identifier: GPL-3.0-or-later
#include "answer_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::int64_t most_tiles = std::int64_t{1} << 20; ///< of an answer that is drawn

std::optional<std::int64_t> wholeIn(const profile::QueryCell& cell) {
    if (!cell.number || !cell.text)
        return {};
    char* end = nullptr;
    const long long value = std::strtoll(cell.text->c_str(), &end, 10);
    return *end == 0 && value >= 0 && value < most_tiles ? std::optional<std::int64_t>(value) : std::nullopt;
}

bool whole(const profile::QueryResult& answer, std::size_t column) {
    return !answer.rows.empty() && std::all_of(answer.rows.begin(), answer.rows.end(), [&](const auto& row) {
        return wholeIn(row[column]).has_value();
    });
}

TileMap::Scale scaleOf(const std::string& name) {
    const auto is = [&](const std::string& word) { return name == word || name.ends_with("_" + word); };
    return is("bytes")    ? TileMap::Scale::Bytes
           : is("cycles") ? TileMap::Scale::Cycles
                          : TileMap::Scale::Number;
}

} // namespace

std::optional<TileColumns> tileColumns(const profile::QueryResult& answer) {
    std::optional<TileColumns> found;
    for (std::size_t c = 0; c < answer.columns.size(); ++c) {
        const std::string& name = answer.columns[c];
        const bool of_tile = name.ends_with("_tile") && !name.ends_with("per_tile");
        if ((name == "tile" || (!found && of_tile)) && whole(answer, c))
            found = TileColumns{c, {}};
    }
    for (std::size_t c = 0; found && c < answer.columns.size(); ++c)
        if (answer.columns[c] == "ipu" && whole(answer, c))
            found->ipu = c;
    return found;
}

AnswerTiles answerTiles(const profile::QueryResult& answer, const TileColumns& columns, std::size_t value,
                        std::int64_t tiles_per_ipu) {
    AnswerTiles tiles;
    tiles.scale = scaleOf(answer.columns[value]);
    std::set<std::int64_t> ipus;
    std::int64_t most = 0;
    for (const auto& row : answer.rows) {
        most = std::max(most, wholeIn(row[columns.tile]).value_or(0));
        if (columns.ipu)
            ipus.insert(wholeIn(row[*columns.ipu]).value_or(0));
    }
    tiles.per_ipu = std::max(tiles_per_ipu, most + 1);
    while (!ipus.empty() && static_cast<std::int64_t>(ipus.size()) * tiles.per_ipu > most_tiles)
        ipus.erase(std::prev(ipus.end()));
    tiles.ipus.assign(ipus.begin(), ipus.end());
    std::vector<std::optional<double>> sums(std::max<std::size_t>(1, ipus.size()) *
                                            static_cast<std::size_t>(tiles.per_ipu));
    bool fraction = false;
    for (std::size_t r = 0; r < answer.rows.size(); ++r) {
        const auto& row = answer.rows[r];
        if (!row[value].number || !row[value].text)
            continue;
        std::int64_t tile = wholeIn(row[columns.tile]).value_or(0);
        if (columns.ipu) {
            const auto ipu = std::lower_bound(tiles.ipus.begin(), tiles.ipus.end(),
                                              wholeIn(row[*columns.ipu]).value_or(0));
            if (ipu == tiles.ipus.end())
                continue;
            tile += (ipu - tiles.ipus.begin()) * tiles.per_ipu;
        }
        const double number = std::strtod(row[value].text->c_str(), nullptr);
        tiles.negative = tiles.negative || number < 0;
        fraction = fraction || number != std::floor(number);
        auto& sum = sums[static_cast<std::size_t>(tile)];
        tiles.added = tiles.added || sum.has_value();
        sum = sum.value_or(0) + number;
        tiles.rows.emplace(tile, static_cast<std::int64_t>(r));
    }
    double largest = 0;
    for (const auto& sum : sums)
        largest = std::max(largest, std::abs(sum.value_or(0)));
    constexpr double fine = 1e9, exact = 9e15;
    if (fraction || largest > exact) {
        tiles.scale = TileMap::Scale::Number;
        tiles.step = largest > 0 ? largest / fine : 1;
    }
    for (const auto& sum : sums) {
        tiles.values.push_back(sum ? static_cast<std::int64_t>(std::llround(*sum / tiles.step))
                                   : TileMap::none);
        tiles.full = std::max(tiles.full, tiles.values.back());
    }
    return tiles;
}

} // namespace tilescope::ui
