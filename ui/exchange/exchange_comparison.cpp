// SPDX-License-Identifier: GPL-3.0-or-later
// Several exchanges together, and those of two runs against each other: the part of ExchangeView that asks
// for them.
#include "base/try.h"
#include "exchange_text.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/tiles/shade.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_matrix.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/page_stack.h"

#include <QComboBox>
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

QString matrixText(const profile::ExchangeRecord& exchange) {
    if (exchange.kind != profile::ExchangeKind::InterIpu)
        return ExchangeView::tr("Bytes from tiles (rows) to tiles (columns)");
    return exchange.peer >= 0
               ? ExchangeView::tr("Bytes from tiles of IPU %1 (rows) to tiles of IPU %2 (columns)")
                     .arg(exchange.ipu)
                     .arg(exchange.peer)
               : ExchangeView::tr("Bytes from tiles of IPU %1 (rows) to tiles of other replicas (columns)")
                     .arg(exchange.ipu);
}

QString noteOf(analyse::TileMoves::Known known, profile::ExchangeKind kind) {
    using Known = analyse::TileMoves::Known;
    if (known == Known::NotFollowed)
        return ExchangeView::tr("The compiler does not follow which tile of this exchange sends to which: it "
                                "prices what each one sends and receives in all.");
    if (known == Known::NotRecorded)
        return ExchangeView::tr("Which tile sends to which is not in this file: profile the workload again.");
    if (known == Known::Outside)
        return kind == profile::ExchangeKind::Host
                   ? ExchangeView::tr("This goes between tiles and the host: no tile sends to another.")
                   : ExchangeView::tr(
                         "This goes between tiles and streaming memory: no tile sends to another.");
    return {};
}

/// Per what is shown, as the list has it.
void ExchangeView::askSum() {
    const analyse::Loops& loops = listed_.list.loops;
    std::vector<analyse::ExchangeRow> rows;
    for (const analyse::ExchangeRow& row : listed_.list.rows)
        if (std::binary_search(summed_.begin(), summed_.end(), row.exchange.id))
            rows.push_back(row);
    heading_->setHtml(inHtml(tr("<b>Adding up %1 exchanges …</b><br>Another choice ends it."),
                             {formatCount(static_cast<std::int64_t>(rows.size()))}));
    sources().current->ask<Both>(
        this, QStringLiteral("traffic"),
        [rows, ipu = ipu_,
         periods = loops.count(shownBasis())](const profile::Profile& file) -> Result<Both> {
            TRY(auto sum, analyse::summed_traffic(file, rows, periods, ipu));
            Shown shown;
            shown.of = static_cast<std::int64_t>(rows.size());
            shown.followed = sum.followed;
            shown.ipus = sum.ipus;
            shown.traffic.exchange.ipu = sum.ipu;
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
    return (all ? tr("all %1 exchanges of the list together, %2, %3") : tr("%1 exchanges together, %2, %3"))
               .arg(formatCount(shown_->of), text(analyse::per(shownBasis())), who()) +
           (shown_->ipus > 1 && ipu_ < 0 ? tr("; the tiles are those of IPU %1, which exchanges longest: the "
                                              "box beside chooses another")
                                               .arg(shown_->traffic.exchange.ipu)
                                         : QString());
}

/// What it takes is read of the new run on its thread, and held against the base's on that of the base.
void ExchangeView::askDifference() {
    if (!wantsDifference())
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
        using Answer = std::pair<analyse::ExchangeDifferences, double>; // and the clock of the base
        sources().base->ask<Answer>(
            this, topic,
            [read, now = *now, by_hand = sources().by_hand,
             basis = basis()](const profile::Profile& file) -> Result<Answer> {
                TRY(const auto base, read(file));
                TRY(const auto target, file.target());
                return Answer{analyse::exchange_differences(*base, *now, by_hand, basis), target.clock_hz};
            },
            [this](Result<Answer> answer) {
                if (!answer)
                    return;
                differences_ = std::move(answer->first);
                base_clock_hz_ = answer->second;
                showList();
                askTraffic();
            });
    });
}

namespace {

std::int64_t keyOf(const analyse::ExchangePair& pair) {
    return pair.now ? pair.now->exchange.id : -2 - pair.base->exchange.id;
}

} // namespace

/// The list, most cycles of an engine run first. The difference has no query of its own: Query asks both
/// files.
QString ExchangeView::listSql() const {
    QStringList only;
    if (ipu_ >= 0)
        only << QStringLiteral("(e.ipu < 0 OR e.ipu = %1 OR e.peer = %1)").arg(ipu_);
    if (const auto kind = wantedKind())
        only << QStringLiteral("e.kind = '%1'").arg(text(profile::to_string(*kind)));
    return QStringLiteral(
               "SELECT e.id, e.name, e.kind, e.ipu, max(p.exchange_cycles) AS cycles,\n"
               "    sum(p.runs) AS runs, max(p.exchange_cycles) * sum(p.runs) AS cycles_in_all, e.bytes\n"
               "FROM exchange e LEFT JOIN program p ON p.exchange_id = e.id\n") +
           (only.isEmpty() ? QString()
                           : QStringLiteral("WHERE %1\n").arg(only.join(QStringLiteral(" AND ")))) +
           QStringLiteral("GROUP BY e.id ORDER BY cycles_in_all DESC");
}

/// What changed most first, what did not in one row.
void ExchangeView::showDifference() {
    const double clock = comparedClock();
    const auto time = [&](const std::optional<double>& cycles) {
        return cycles ? cyclesCell(*cycles, clock) : absentCell();
    };
    const auto bytes = [](const std::optional<double>& of) { return of ? bytesCell(*of) : absentCell(); };
    std::vector<TableRow> rows;
    const analyse::ExchangeChanges changes = analyse::exchange_changes(*differences_, wantedKind());
    for (const analyse::ExchangePair* each : changes.changed) {
        const analyse::ExchangePair& pair = *each;
        const analyse::ExchangeRow& row = pair.now ? *pair.now : *pair.base;
        const Cell change = !pair.base  ? numberCell(tr("new"), std::abs(pair.cycles()))
                            : !pair.now ? numberCell(tr("removed"), std::abs(pair.cycles()))
                                        : changeCell(*pair.base_cycles, *pair.now_cycles);
        rows.push_back({keyOf(pair),
                        {textCell(text(row.exchange.name)), textCell(kindText(row.exchange.kind)),
                         textCell(ipuText(row.exchange)), time(pair.base_cycles), time(pair.now_cycles),
                         differenceCell(cyclesCell(pair.cycles(), clock)), change, bytes(pair.base_bytes),
                         bytes(pair.now_bytes), differenceCell(bytesCell(pair.bytes()))}});
    }
    if (!changes.unchanged.empty())
        rows.push_back(
            {unchanged_key,
             {textCell(
                 tr("%1 unchanged").arg(formatCount(static_cast<std::int64_t>(changes.unchanged.size()))))}});
    exchanges_->setCaption(tr("against %1, what changed most first, %2, %3; in all %4")
                               .arg(sources().base->name(), text(analyse::per(differences_->basis)), who(),
                                    formatDifference(changes.cycles, formatTime(changes.cycles, clock))));
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
    exchanges_->setSql({});
    exchanges_->selectKey(exchange_);
}

/// Ascending; the row of what has not changed stands for all of that.
std::vector<std::int64_t> ExchangeView::exchangesOf(const std::vector<std::int64_t>& keys) const {
    std::vector<std::int64_t> all;
    for (const std::int64_t key : keys) {
        if (key != unchanged_key) {
            all.push_back(key);
            continue;
        }
        if (!differences_) // the row is of another comparison
            continue;
        for (const analyse::ExchangePair* pair :
             analyse::exchange_changes(*differences_, wantedKind()).unchanged)
            all.push_back(keyOf(*pair));
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::int64_t> ExchangeView::keys() const {
    std::vector<std::int64_t> all;
    if (!differences_) {
        for (const analyse::ExchangeRow* row : listed())
            all.push_back(row->exchange.id);
        return all;
    }
    for (const analyse::ExchangePair* pair : analyse::exchange_changes(*differences_, wantedKind()).changed)
        all.push_back(keyOf(*pair));
    return all;
}

bool ExchangeView::wantsDifference() const {
    return sources().current && sources().base && sources().difference;
}

/// Of one exchange one run of each side, of several all runs per what both sides are compared per. What the
/// new run moves is read on its thread, and held against the base's on that of the base.
void ExchangeView::askTrafficDifference() {
    if (!differences_)
        return; // they are asked for
    const bool one = summed_.empty();
    Shown shown;
    std::vector<analyse::ExchangeRow> base, now;
    shown.of = 0;
    for (const analyse::ExchangePair& pair : differences_->pairs) {
        const std::int64_t key = keyOf(pair);
        if (one ? key != exchange_ : !std::binary_search(summed_.begin(), summed_.end(), key))
            continue;
        ++shown.of;
        shown.in_base = pair.base.has_value();
        shown.in_now = pair.now.has_value();
        shown.traffic.exchange = (pair.now ? pair.now : pair.base)->exchange;
        for (const auto& [row, rows] : {std::pair(&pair.base, &base), std::pair(&pair.now, &now)})
            if (*row) {
                rows->push_back(**row);
                rows->back().runs = one ? 1 : (*row)->runs;
            }
    }
    if (shown.of == 0)
        return;
    if (!one) {
        shown.in_base = shown.in_now = false;
        heading_->setHtml(inHtml(tr("<b>Adding up %1 exchanges …</b><br>Another choice ends it."),
                                 {formatCount(shown.of)}));
    }
    using Side = std::shared_ptr<const analyse::SummedTraffic>;
    const QString topic = QStringLiteral("traffic");
    const auto read = [](const profile::Profile& file, const std::vector<analyse::ExchangeRow>& rows,
                         std::int64_t periods, std::int64_t ipu) -> Result<Side> {
        TRY(auto sum, analyse::summed_traffic(file, rows, periods, ipu));
        return std::make_shared<const analyse::SummedTraffic>(std::move(sum));
    };
    sources().current->ask<Side>(
        this, topic,
        [read, now, ipu = one ? -1 : ipu_, periods = one ? 1 : differences_->now_periods](
            const profile::Profile& file) { return read(file, now, periods, ipu); },
        [this, topic, read, base, shown, one,
         periods = one ? 1 : differences_->base_periods](const Result<Side>& of_now) {
            if (!of_now)
                return pages_->setText(of_now.error());
            if (!wantsDifference())
                return;
            sources().base->ask<Both>(
                this, topic,
                [read, base, shown, one, periods,
                 of_now = *of_now](const profile::Profile& file) -> Result<Both> {
                    TRY(const auto of_base, read(file, base, periods, one ? -1 : of_now->ipu));
                    Shown both = shown;
                    if (!one) {
                        both.ipus = of_now->ipus;
                        both.traffic.exchange.ipu = of_now->ipu;
                        both.traffic.exchange.peer = -1;
                    }
                    both.difference = analyse::traffic_difference(*of_base, *of_now);
                    return std::make_shared<const Shown>(std::move(both));
                },
                [this](const Result<Both>& both) { showTraffic(both); });
        });
}

/// Which tile has changed most, and between which amounts.
void ExchangeView::headDifference() {
    const analyse::TrafficDifference& of = *shown_->difference;
    const QString base = sources().base->name();
    const bool sends_only = analyse::most_changed(of.received).tile < 0;
    const analyse::MostChanged most = analyse::most_changed(sends_only ? of.sent : of.received);
    QString html = inHtml(tr("<b>Every tile sends and receives what it does in %1.</b>"), {base});
    if (most.tile >= 0) {
        const auto tile = static_cast<std::size_t>(most.tile);
        const std::int64_t ipu = ipuOf(sends_only);
        html = inHtml(
            sends_only ? tr("<b>What tile %1 %2 sends has changed the most</b>: %3, %4 instead of %5 in "
                            "%6. Tiles that send more: %7, less: %8.")
                       : tr("<b>What tile %1 %2 receives has changed the most</b>: %3, %4 instead of %5 "
                            "in %6. Tiles that receive more: %7, less: %8."),
            {most.tile, tr("of IPU %1").arg(ipu), formatSignedBytes(static_cast<double>(most.bytes)),
             formatBytes((sends_only ? of.now.sent : of.now.received)[tile]),
             formatBytes((sends_only ? of.base.sent : of.base.received)[tile]), base, formatCount(most.more),
             formatCount(most.fewer)});
    }
    html += QStringLiteral("<br><span style='color:@muted'>");
    if (shown_->of == 1) {
        html += asHtml(text(shown_->traffic.exchange.name) +
                       (!shown_->in_now ? tr(": %1 alone has it").arg(base)
                        : !shown_->in_base
                            ? tr(": %1 has no such exchange").arg(base)
                            : tr(": %1, one run of each").arg(kindText(shown_->traffic.exchange.kind))));
    } else {
        html += tr("%1 exchanges together, %2, %3: %4 instead of %5")
                    .arg(formatCount(shown_->of), text(analyse::per(differences_->basis)), who(),
                         formatBytes(of.now.bytes), formatBytes(of.base.bytes));
        if (!of.moves.bytes.empty() && (of.now.followed < of.now.bytes || of.base.followed < of.base.bytes))
            html += tr("; of %1 and %2 of them it is known which tile sends to which")
                        .arg(formatBytes(of.now.followed), formatBytes(of.base.followed));
    }
    heading_->setHtml(html + QStringLiteral("</span>"));
}

void ExchangeView::showMatrixDifference() {
    const analyse::TrafficDifference& of = *shown_->difference;
    QString note = noteOf(of.moves.known, shown_->traffic.exchange.kind);
    if (!note.isEmpty() && of.now.moves.known == analyse::TileMoves::Known::Exactly)
        note = tr("In %1: %2").arg(sources().base->name(), note);
    matrix_->setTitle(
        (shown_->of > 1
             ? tr("Bytes from tiles (rows) to tiles (columns), %1 exchanges, less %2")
                   .arg(formatCount(shown_->of), sources().base->name())
             : tr("%1, one run, less %2").arg(matrixText(shown_->traffic.exchange), sources().base->name())));
    matrix_->setDifference({shown_, &of.moves.bytes}, {shown_, &of.now.moves.bytes}, of.moves.tiles, note);
    left_->setTabToolTip(0, note);
    left_->setCurrentIndex(note.isEmpty() ? picture_ : std::max(picture_, 1));
}

/// `what`: whose bytes `values` are by tile, new less base.
void ExchangeView::showTilesDifference(const std::vector<std::int64_t>& values, const QString& what,
                                       bool received) {
    const analyse::TrafficDifference& of = *shown_->difference;
    const QString base = sources().base->name();
    map_->setValues(values, endOfDifferences(values), {}, TileMap::Scale::Difference);
    map_->setTitleBehindHeading(tr(": %1, bytes per tile, less %2").arg(what, base));
    map_->setSelectedTiles(chosen_);
    chart_->setDifference(received ? of.received : of.sent);
    chart_->setBase({}, {});
    chart_->setTitle(received ? tr("Bytes received per tile, less %1").arg(base)
                              : tr("Bytes sent per tile, less %1").arg(base));
    chart_->setSelectedTiles(chosen_);
}

/// Those that send or receive in one of the two.
void ExchangeView::listTilesDifference() {
    const analyse::TrafficDifference& of = *shown_->difference;
    std::vector<TableRow> rows;
    for (std::size_t t = 0; t < of.received.size(); ++t)
        if (of.base.received[t] + of.now.received[t] + of.base.sent[t] + of.now.sent[t] > 0)
            rows.push_back(
                {static_cast<std::int64_t>(t),
                 {countCell(static_cast<std::int64_t>(t)), bytesCell(of.base.received[t]),
                  bytesCell(of.now.received[t]), bytesDifferenceCell(of.received[t]),
                  bytesCell(of.base.sent[t]), bytesCell(of.now.sent[t]), bytesDifferenceCell(of.sent[t])}});
    tabs_->setTabText(2, tr("Tiles %1").arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    tiles_->setColumns({{tr("Tile")},
                        {tr("Receives, base")},
                        {tr("Receives, new")},
                        {tr("Receives more"), true},
                        {tr("Sends, base")},
                        {tr("Sends, new")},
                        {tr("Sends more"), true}});
    tiles_->setCaption(
        tr("against %1; what is sent counts once for each receiver").arg(sources().base->name()));
    tiles_->setRows(std::move(rows));
}

} // namespace tilescope::ui
