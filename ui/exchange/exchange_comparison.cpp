// SPDX-License-Identifier: GPL-3.0-or-later
// Several exchanges together, and those of two runs against each other: the part of ExchangeView that asks
// for them.
#include "base/text.h"
#include "base/try.h"
#include "exchange_text.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/page_stack.h"

#include <QTabWidget>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {

QString kindText(profile::ExchangeKind kind) {
    switch (kind) {
    case profile::ExchangeKind::InterIpu:
        return ExchangeView::tr("over links");
    case profile::ExchangeKind::Host:
        return ExchangeView::tr("with the host");
    case profile::ExchangeKind::Streaming:
        return ExchangeView::tr("with streaming memory");
    case profile::ExchangeKind::Internal:
        break;
    }
    return ExchangeView::tr("within the IPU");
}

QString ipuText(const profile::ExchangeRecord& exchange) {
    return exchange.peer >= 0 ? QStringLiteral("%1 → %2").arg(exchange.ipu).arg(exchange.peer)
                              : QString::number(exchange.ipu);
}

/// Per what is shown, as the list has it.
void ExchangeView::askSum() {
    const analyse::Loops& loops = listed_.list.loops;
    std::vector<analyse::ExchangeRow> rows;
    for (const analyse::ExchangeRow& row : listed_.list.rows)
        if (std::find(summed_.begin(), summed_.end(), row.exchange.id) != summed_.end())
            rows.push_back(row);
    heading_->setHtml(tr("<b>Adding up %1 exchanges …</b><br>Another choice ends it.")
                          .arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    sources().current->ask<Both>(
        this, QStringLiteral("traffic"),
        [rows, periods = loops.count(loops.shown(basis()))](const profile::Profile& file) -> Result<Both> {
            TRY(auto sum, analyse::summed_traffic(file, rows, periods));
            Shown shown;
            shown.of = static_cast<std::int64_t>(rows.size());
            shown.followed = sum.followed;
            shown.traffic.exchange.ipu = rows.empty() ? 0 : rows.front().exchange.ipu;
            shown.traffic.exchange.bytes = sum.bytes;
            shown.traffic.sent = std::move(sum.sent);
            shown.traffic.received = std::move(sum.received);
            shown.moves = std::move(sum.moves);
            return std::make_shared<const Shown>(std::move(shown));
        },
        [this](const Result<Both>& shown) { showTraffic(shown); });
}

/// "all 12 exchanges of the list together, per step, IPU 0"
QString ExchangeView::sumText() const {
    const bool all = shown_->of == static_cast<std::int64_t>(listed().size());
    const analyse::Loops& loops = listed_.list.loops;
    return (all ? tr("all %1 exchanges of the list together, %2, %3") : tr("%1 exchanges together, %2, %3"))
        .arg(formatCount(shown_->of), text(analyse::per(loops.shown(basis()))), who());
}

/// What it takes is read of the new run on its thread, and held against the base's on that of the base.
void ExchangeView::askDifference() {
    if (!sources().current || !sources().base || !sources().difference)
        return;
    using Side = std::shared_ptr<const analyse::ExchangeSide>;
    const auto read = [ipu = ipu_](const profile::Profile& file) -> Result<Side> {
        TRY(auto side, analyse::ExchangeSide::read(file, ipu));
        return std::make_shared<const analyse::ExchangeSide>(std::move(side));
    };
    const QString topic = QStringLiteral("exchange difference");
    sources().current->ask<Side>(this, topic, read, [this, topic, read](const Result<Side>& now) {
        if (!now || !sources().base)
            return;
        sources().base->ask<analyse::ExchangeDifferences>(
            this, topic,
            [read, now = *now, by_hand = sources().by_hand,
             basis = basis()](const profile::Profile& file) -> Result<analyse::ExchangeDifferences> {
                TRY(const auto base, read(file));
                return analyse::exchange_differences(*base, *now, by_hand, basis);
            },
            [this](Result<analyse::ExchangeDifferences> differences) {
                if (!differences)
                    return;
                differences_ = std::move(*differences);
                showList();
            });
    });
}

namespace {

Cell sideCell(const std::optional<double>& value, const QString& text) {
    return value ? numberCell(text, *value) : absentCell();
}

} // namespace

/// What changed most first, what did not in one row.
void ExchangeView::showDifference() {
    const double clock = listed_.list.clock_hz;
    const auto time = [&](const std::optional<double>& cycles) {
        return sideCell(cycles, formatTime(cycles.value_or(0), clock));
    };
    const auto bytes = [](const std::optional<double>& of) {
        return sideCell(of, formatBytes(of.value_or(0)));
    };
    const auto signedTime = [&](double by) {
        return by == 0 ? QStringLiteral("=") : text(signed_text(by, formatTime(by, clock).toStdString()));
    };
    std::vector<TableRow> rows;
    std::int64_t unchanged = 0;
    double all = 0;
    for (const analyse::ExchangePair& pair : differences_->pairs) {
        const analyse::ExchangeRow& row = pair.now ? *pair.now : *pair.base;
        if (!wants(row.exchange.kind))
            continue;
        all += pair.cycles();
        if (!pair.changed()) {
            ++unchanged;
            continue;
        }
        const QString change = !pair.base  ? tr("new")
                               : !pair.now ? tr("removed")
                                           : formatChange(*pair.base_cycles, *pair.now_cycles);
        rows.push_back(
            {pair.now ? row.exchange.id : -1,
             {textCell(text(row.exchange.name)), textCell(kindText(row.exchange.kind)),
              textCell(ipuText(row.exchange)), time(pair.base_cycles), time(pair.now_cycles),
              numberCell(signedTime(pair.cycles()), std::abs(pair.cycles())),
              numberCell(change, std::abs(pair.cycles())), bytes(pair.base_bytes), bytes(pair.now_bytes),
              numberCell(pair.bytes() == 0 ? QStringLiteral("=") : formatSignedBytes(pair.bytes()),
                         std::abs(pair.bytes()))}});
    }
    if (unchanged > 0)
        rows.push_back({-1, {textCell(tr("%1 unchanged").arg(formatCount(unchanged)))}});
    exchanges_->setCaption(
        tr("against %1, what changed most first, %2, %3; in all %4")
            .arg(sources().base->name(), text(analyse::per(differences_->basis)), who(), signedTime(all)));
    exchanges_->setColumns({{tr("Exchange")},
                            {tr("Kind")},
                            {tr("IPU")},
                            {tr("Base, in all")},
                            {tr("New, in all")},
                            {tr("Difference"), true},
                            {tr("Change")},
                            {tr("Base, bytes")},
                            {tr("New, bytes")},
                            {tr("More bytes")}});
    exchanges_->setRows(std::move(rows));
    exchanges_->selectKey(exchange_);
}

} // namespace tilescope::ui
