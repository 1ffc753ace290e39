// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of an exchange beside its pictures.
#include "exchange_text.h"
#include "ui/session/format.h"

#include <algorithm>

namespace tilescope::ui {

/// "; it moves kernel", or the largest of several with their shares; in rich text.
QString ExchangeView::causes() const {
    const auto* of = row();
    if (of == nullptr)
        return {};
    const auto moves = analyse::variable_moves(*listed_.moved, {of});
    QStringList parts;
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, moves.size()); ++i) {
        const QString name = text(listed_.moved->variables.at(moves[i].variable).name);
        parts << (moves.size() == 1 ? name : tr("%1 %2").arg(formatPercent(moves[i].share), name));
    }
    if (moves.size() > most)
        parts << tr("%1 more").arg(moves.size() - most);
    return parts.isEmpty() ? QString() : asHtml(tr("; it moves %1").arg(parts.join(tr(", "))));
}

/// What the marks of the matrix stand for, and how evenly it is dealt out.
std::vector<std::pair<QString, QString>> ExchangeView::facts() const {
    const analyse::ExchangeTraffic& traffic = shown_->traffic;
    std::vector<std::pair<QString, QString>> all;
    const auto add_most = [&](const QString& name, const std::vector<std::int64_t>& by_tile) {
        const analyse::MostBytes most = analyse::most_bytes(by_tile);
        if (most.tile >= 0)
            all.emplace_back(name, tr("tile %1: %2, %3 × the mean")
                                       .arg(most.tile)
                                       .arg(formatBytes(most.bytes), formatAmount(most.times())));
        return most;
    };
    const analyse::MostBytes most = add_most(tr("▲ receives the most"), traffic.received);
    add_most(tr("◀ sends the most"), traffic.sent);
    const auto of_all = [&](std::int64_t tiles) {
        return tr("%1 of %2 tiles").arg(formatCount(tiles), formatCount(shown_->moves.tiles));
    };
    if (most.tile >= 0) {
        if (const auto senders = shown_->moves.senders(most.tile))
            all.emplace_back(tr("send to tile %1").arg(most.tile), of_all(*senders));
        all.emplace_back(tr("receive something"), of_all(most.tiles));
    }
    return all;
}

} // namespace tilescope::ui
