// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/tile_exchange.h"

#include <algorithm>
#include <cmath>

namespace tilescope::analyse {

std::vector<std::int64_t> busy_bytes(std::vector<std::int64_t> sent,
                                     const std::vector<std::int64_t>& received) {
    sent.resize(std::max(sent.size(), received.size()), 0);
    for (std::size_t tile = 0; tile < received.size(); ++tile)
        sent[tile] = std::max(sent[tile], received[tile]);
    return sent;
}

std::optional<TileExchange> tile_exchange(const ExchangeTraffic& traffic) {
    const profile::ExchangeKind kind = traffic.exchange.kind;
    if (kind != profile::ExchangeKind::Internal && kind != profile::ExchangeKind::InterIpu)
        return std::nullopt;
    const std::vector<std::int64_t> bytes = busy_bytes(traffic.sent, traffic.received);
    const auto most = std::max_element(bytes.begin(), bytes.end());
    if (most == bytes.end() || *most <= 0 || traffic.exchange.cycles <= 0)
        return std::nullopt;
    TileExchange result;
    result.slowest = most - bytes.begin();
    double all = 0;
    for (const std::int64_t each : bytes) {
        const double share = static_cast<double>(each) / static_cast<double>(*most);
        result.cycles.push_back(std::llround(share * static_cast<double>(traffic.exchange.cycles)));
        result.waits.push_back(traffic.exchange.cycles - result.cycles.back());
        all += static_cast<double>(result.waits.back());
    }
    if (bytes.size() > 1)
        result.mean_wait = all / static_cast<double>(bytes.size() - 1); // that of the slowest is 0
    return result;
}

} // namespace tilescope::analyse
