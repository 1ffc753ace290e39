// SPDX-License-Identifier: GPL-3.0-or-later
// The tiles of an exchange: what each does and how long it waits, and the menu of their pictures.
#include "analyse/tile_exchange.h"
#include "ui/exchange/exchange_view.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/session/subject_menu.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_matrix.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/data_table.h"

#include <QAction>
#include <QTabWidget>
#include <algorithm>
#include <optional>

namespace tilescope::ui {

void ExchangeView::showTileTable() {
    if (shown_->difference)
        return listTilesDifference();
    const analyse::ExchangeTraffic& traffic = shown_->traffic;
    const double clock = listed_.list.clock_hz;
    const auto times = shown_->of > 1 ? std::nullopt : analyse::tile_exchange(traffic);
    std::vector<Column> columns{
        {tr("Tile")}, {tr("Receives"), true}, {tr("Sends, once for each receiver"), true}};
    if (times) {
        columns.push_back({tr("Exchanges for")});
        columns.push_back({tr("Waits for")});
    }
    std::vector<TableRow> rows;
    for (std::size_t t = 0; t < traffic.received.size(); ++t) {
        if (traffic.received[t] <= 0 && traffic.sent[t] <= 0)
            continue;
        rows.push_back({static_cast<std::int64_t>(t),
                        {countCell(static_cast<std::int64_t>(t)), bytesCell(traffic.received[t]),
                         bytesCell(traffic.sent[t])}});
        if (times)
            for (const std::int64_t cycles : {times->cycles[t], times->waits[t]})
                rows.back().cells.push_back(cyclesCell(static_cast<double>(cycles), clock));
    }
    tabs_->setTabText(2, tr("Tiles %1").arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    tiles_->setColumns(columns);
    tiles_->setCaption(shown_->of > 1 ? sumText()
                       : times ? tr("that send or receive in one run, and how long each waits for tile %1")
                                     .arg(formatCount(times->slowest))
                               : tr("that send or receive in one run"));
    tiles_->setRows(std::move(rows));
}

/// Its own time is that of the busiest tile and the longest way, which no exchange can be under; of partial
/// sums the way is a bound, so that a schedule may be shorter.
QString ExchangeView::boundText() const {
    const auto* of = row();
    const auto& most = shown_->moves.scheduled_cycles;
    if (of == nullptr || !most)
        return {};
    return *most <= of->cycles
               ? tr(", which a schedule of its messages reaches")
               : tr(", a schedule of its messages takes %1").arg(formatTime(*most, listed_.list.clock_hz));
}

QString ExchangeView::waitText() const {
    const auto times = analyse::tile_exchange(shown_->traffic);
    return times && times->cycles.size() > 1
               ? tr("; the other tiles wait %1 for tile %2 on average")
                     .arg(formatTime(times->mean_wait, listed_.list.clock_hz), formatCount(times->slowest))
               : QString();
}

/// What the rows of the tables are about: an exchange by the program step that it is.
void ExchangeView::nameSubjects() {
    exchanges_->setSubjects([this](std::int64_t exchange) {
        for (const analyse::ExchangeRow& each : listed_.list.rows)
            if (each.exchange.id == exchange)
                return linkTo(Subject::Step, each.program);
        return QString();
    });
    variables_->setSubjects([this](std::int64_t variable) {
        if (!listed_.moved) // the rows are of the file before
            return QString();
        const auto moved = listed_.moved->variables.find(variable);
        return moved == listed_.moved->variables.end()
                   ? QString()
                   : linkTo(Subject::Variable, variable, moved->second.ipu);
    });
    tiles_->setSubjects(
        [this](std::int64_t tile) { return shown_ ? linkTo(Subject::Tile, tile, ipuOf(true)) : QString(); });
}

void ExchangeView::makeMenu() {
    const auto show = [this](QWidget& picture, const QPoint& global) { showMenu(picture, global); };
    offerMenuOf(chart_, show);
    offerMenuOf(map_, show);
    offerMenu(
        matrix_, {}, [this] { return matrix_->rect().center(); },
        [this](const QPoint& global) { showMenu(*matrix_, global); });
}

void ExchangeView::showMenu(QWidget& picture, const QPoint& global) {
    SubjectMenu menu(*this);
    const analyse::ExchangeRow* of = row();
    menu.goTo({QStringLiteral("program"), QStringLiteral("trace"), QStringLiteral("operations"),
               QStringLiteral("memory"), QStringLiteral("liveness")});
    for (const char* action : {"up", "earlier", "later"})
        menu.add(findChild<QAction*>(QLatin1String(action)));
    if (of != nullptr)
        menu.copy(tr("Copy the name of the exchange"), text(of->exchange.name));
    if (!chosen_.empty())
        menu.copy(tr("Copy the tiles"), tilesText(-1, chosen_));
    menu.save(picture);
    menu.popup(global);
}

} // namespace tilescope::ui
