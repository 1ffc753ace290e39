// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_book.h"

#include "base/hash.h"
#include "profile/tile_array.h"

#include <algorithm>
#include <numeric>

namespace tilescope::profile {
namespace {

constexpr std::size_t most_whole = 32;   ///< that a new list is compared with
constexpr std::size_t worth_a_base = 96; ///< runs
constexpr std::size_t near_enough = 8;   ///< runs of the difference

std::uint64_t hash_of(std::span<const std::int64_t> values) {
    std::uint64_t hash = values.size();
    for (const std::int64_t value : values)
        hash = mixed(hash, value);
    return hash;
}

std::size_t runs_of(std::span<const std::int64_t> values) {
    std::size_t runs = 1;
    for (std::size_t i = 1; i < values.size(); ++i)
        runs += values[i] != values[i - 1] ? 1 : 0;
    return runs;
}

/// Of the difference.
std::size_t runs_of(std::span<const std::int64_t> values, std::span<const std::int64_t> base) {
    std::size_t runs = 1;
    for (std::size_t i = 1; i < values.size(); ++i)
        runs += values[i] - values[i - 1] != base[i] - base[i - 1] ? 1 : 0;
    return runs;
}

} // namespace

TileBook::Added TileBook::add(std::span<const std::int64_t> values) {
    const std::uint64_t hash = hash_of(values);
    for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at)
        if (same(at->second, values))
            return {at->second, std::nullopt};
    const auto id = static_cast<std::int64_t>(packed_.size());
    TileBlob blob{id, nearest(values), std::accumulate(values.begin(), values.end(), std::int64_t{0}), {}};
    if (blob.base_id >= 0) {
        std::vector<std::int64_t> rest(values.begin(), values.end());
        for (std::size_t i = 0; i < rest.size(); ++i)
            rest[i] -= whole_.front().values[i];
        blob.data = pack_tile_values(rest);
    } else
        blob.data = pack_tile_values(values);
    packed_.push_back(blob.data);
    bases_.push_back(blob.base_id);
    by_hash_.emplace(hash, id);
    return {id, std::move(blob)};
}

bool TileBook::same(std::int64_t id, std::span<const std::int64_t> values) const {
    const auto index = static_cast<std::size_t>(id);
    const std::int64_t base = bases_[index];
    const auto there = unpack_tile_values(packed_[index], base < 0 ? std::span<const std::byte>{}
                                                                   : packed_[static_cast<std::size_t>(base)]);
    return there && std::equal(there->begin(), there->end(), values.begin(), values.end());
}

/// The whole list, in front then, from which these differ by few runs, or -1.
std::int64_t TileBook::nearest(std::span<const std::int64_t> values) {
    const std::size_t own = runs_of(values);
    if (own < worth_a_base)
        return -1;
    std::size_t fewest = own / 2;
    auto best = whole_.end();
    for (auto at = whole_.begin(); at != whole_.end() && fewest > near_enough; ++at)
        if (at->values.size() == values.size())
            if (const std::size_t runs = runs_of(values, at->values); runs < fewest) {
                fewest = runs;
                best = at;
            }
    if (best != whole_.end()) {
        std::rotate(whole_.begin(), best, best + 1);
        return whole_.front().id;
    }
    whole_.push_front({static_cast<std::int64_t>(packed_.size()), {values.begin(), values.end()}});
    if (whole_.size() > most_whole)
        whole_.pop_back();
    return -1;
}

std::pair<std::int64_t, std::optional<TileMetric>> TileBook::metric(const std::string& entity,
                                                                    const std::string& metric) {
    const auto [found, made] =
        metrics_.try_emplace(std::pair(entity, metric), static_cast<std::int64_t>(metrics_.size()));
    if (!made)
        return {found->second, std::nullopt};
    return {found->second, TileMetric{found->second, entity, metric}};
}

} // namespace tilescope::profile
