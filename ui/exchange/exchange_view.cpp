// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/exchange/exchange_view.h"

#include "base/try.h"
#include "exchange_text.h"
#include "profile/profile.h"
#include "ui/session/format.h"
#include "ui/session/ipu_choices.h"
#include "ui/session/loops_of_base.h"
#include "ui/theme/theme.h"
#include "ui/theme/themed_label.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_matrix.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/joining_split.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>

namespace tilescope::ui {
namespace {

using profile::ExchangeKind;

std::vector<Column> plainColumns() {
    return {{ExchangeView::tr("Exchange")}, {ExchangeView::tr("Kind")},
            {ExchangeView::tr("IPU")},      {ExchangeView::tr("Time")},
            {ExchangeView::tr("Runs")},     {ExchangeView::tr("Time in all"), true},
            {ExchangeView::tr("Bytes")},    {ExchangeView::tr("Bytes in all"), true}};
}

} // namespace

ExchangeView::ExchangeView(QWidget* parent) : View(parent) {
    QWidget* pictures = makePictures();
    tabs_ = makeTables();
    pages_ = new PageStack(headedPage({makeHead()}, pictures, tabs_, 7, 4), this);
    setFocusProxy(map_);
    makeActions();
    makeMenu();
}

/// The tiles: who sends to whom or what each has in all, beside the floor plan.
QWidget* ExchangeView::makePictures() {
    matrix_ = new TileMatrix;
    matrix_->setObjectName(QStringLiteral("exchangeMatrix"));
    chart_ = new TileChart;
    chart_->setObjectName(QStringLiteral("exchangeChart"));
    map_ = new TileMap;
    map_->setObjectName(QStringLiteral("exchangeMap"));
    left_ = new QTabWidget;
    left_->setDocumentMode(true);
    left_->addTab(matrix_, tr("Tile to tile"));
    left_->addTab(chart_, tr("Sums per tile"));
    constexpr int least_lines = 68;
    auto* pictures = new JoiningSplit(Qt::Horizontal, map_, JoiningSplit::Side::Behind, tr("Floor plan"),
                                      left_, least_lines);
    pictures->setSizes({600, 400}); // figures stand beside the matrix
    const auto lead = [this, pictures] { setFocusProxy(pictures->joined() ? left_->currentWidget() : map_); };
    connect(left_, &QTabWidget::currentChanged, this, lead);
    connect(pictures, &JoiningSplit::arranged, this, lead);
    connect(left_, &QTabWidget::tabBarClicked, this, [this](int index) { picture_ = index; });
    connect(chart_, &TileChart::tilesSelected, map_, &TileMap::tilesSelected);
    connect(matrix_, &TileMatrix::tilesSelected, map_, &TileMap::tilesSelected);
    connect(map_, &TileMap::tilesSelected, this, [this](const std::vector<std::int64_t>& tiles) {
        if (selection() == nullptr || !shown_)
            return;
        Selection s = selection()->current();
        s.lookAt(ipuOf(true), tiles);
        selection()->set(s);
    });
    return pictures;
}

QTabWidget* ExchangeView::makeTables() {
    exchanges_ = new DataTable({}, plainColumns());
    variables_ = new DataTable({}, {{tr("Variable")},
                                    {tr("IPU")},
                                    {tr("Bytes in all"), true},
                                    {tr("Share")},
                                    {tr("Its own bytes")},
                                    {tr("Times moved")},
                                    {tr("Exchanges")}});
    tiles_ = new DataTable({}, {{tr("Tile")}});
    rounds_ = new DataTable({}, {{tr("Round")}, {tr("From")}, {tr("To")}, {tr("Piece")}, {tr("Bytes")}});
    exchanges_->setObjectName(QStringLiteral("exchangeList"));
    variables_->setObjectName(QStringLiteral("exchangeVariables"));
    tiles_->setObjectName(QStringLiteral("exchangeTiles"));
    rounds_->setObjectName(QStringLiteral("exchangeRounds"));
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->addTab(exchanges_, tr("Exchanges"));
    tabs->addTab(variables_, tr("Variables"));
    tabs->addTab(tiles_, tr("Tiles"));
    tabs->addTab(rounds_, tr("Rounds of the all-reduce"));
    connect(exchanges_, &DataTable::sqlWanted, this, &View::sqlRequested);
    connect(exchanges_, &DataTable::keyChosen, this, [this](std::int64_t id) { chooseExchange(id); });
    connect(exchanges_, &DataTable::keysChosen, this, [this](const std::vector<std::int64_t>& ids) {
        summed_ = exchangesOf(ids);
        if (summed_.size() < 2)
            summed_.clear();
        showVariables();
        askTraffic();
    });
    connect(exchanges_, &DataTable::keyActivated, this,
            [this] { Q_EMIT viewRequested(QStringLiteral("program")); });
    connect(tabs, &QTabWidget::currentChanged, this, [this] {
        if (!variables_shown_)
            showVariables();
    });
    connect(variables_, &DataTable::keyChosen, this, &ExchangeView::chooseVariable);
    connect(variables_, &DataTable::keyActivated, this,
            [this] { Q_EMIT viewRequested(QStringLiteral("memory")); });
    connect(tiles_, &DataTable::keyChosen, this, [this](std::int64_t tile) { map_->tilesSelected({tile}); });
    nameSubjects();
    return tabs;
}

QWidget* ExchangeView::makeHead() {
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("exchangeHeading"));
    heading_->setWordWrap(true);
    ipus_ = new QComboBox;
    ipus_->setObjectName(QStringLiteral("exchangeIpus"));
    ipus_->setAccessibleName(tr("IPU"));
    kind_ = new QComboBox;
    kind_->setObjectName(QStringLiteral("exchangeKind"));
    kind_->setAccessibleName(tr("Kind of exchange"));
    kind_->addItem(tr("all kinds"));
    for (const ExchangeKind kind :
         {ExchangeKind::Internal, ExchangeKind::InterIpu, ExchangeKind::Host, ExchangeKind::Streaming})
        kind_->addItem(kindText(kind), static_cast<int>(kind));
    shade_ = new QComboBox;
    shade_->setAccessibleName(tr("What the floor plan shows"));
    shade_->setObjectName(QStringLiteral("exchangeShade"));
    shade_->addItems(
        {tr("received"), tr("sent"), tr("received from chosen tiles"), tr("sent to chosen tiles")});
    connect(ipus_, &QComboBox::activated, this, [this](int index) {
        ipu_ = ipus_->itemData(index).toLongLong();
        exchange_ = -1;
        summed_.clear();
        askList();
    });
    connect(kind_, &QComboBox::activated, this, [this] {
        exchange_ = -1;
        summed_.clear();
        showList();
        askTraffic();
    });
    connect(shade_, &QComboBox::currentIndexChanged, this, &ExchangeView::showTiles);
    connect(shade_, &QComboBox::activated, this, [this](int index) { wanted_shade_ = index; });
    return headRow(heading_, {ipus_, kind_, shade_});
}

void ExchangeView::makeActions() {
    addViewAction(this, tr("Busiest tile"), QStringLiteral("up"), Qt::Key_X,
                  tr("Go to the tile that receives the most (X)"), [this] { goToBusiest(); });
    addViewAction(this, tr("Exchange before"), QStringLiteral("earlier"), Qt::Key_Comma,
                  tr("The exchange before in the list (,)"), [this] { move(-1); });
    addViewAction(this, tr("Next exchange"), QStringLiteral("later"), Qt::Key_Period,
                  tr("The next exchange of the list (.)"), [this] { move(1); });
    addKeyAction(pages_, tr("Sum of all exchanges of the list"), Qt::SHIFT | Qt::Key_S, [this] {
        tabs_->setCurrentWidget(exchanges_);
        exchanges_->view()->selectAll();
    });
    addTabKeys(this, tabs_);
}

void ExchangeView::startOver(bool another) {
    if (another) {
        listed_ = {};
        shown_ = nullptr;
        ipu_ = -1;
        picked_ = false;
    }
    exchange_ = picked_ ? std::max<std::int64_t>(exchange_, -1) : -1; // the base has others
    if (shown_ && shown_->difference)
        shown_ = nullptr;
    summed_.clear();
    differences_.reset();
    pages_->showText(sources().current ? tr("Reading the exchanges …")
                                       : tr("Open a profile to see what its exchanges move."));
}

void ExchangeView::refresh() {
    askList();
}

void ExchangeView::basisChosen() {
    if (listed_.list.rows.empty())
        return;
    showList();
    askDifference();
    tellDetails();
    if (!summed_.empty() && !wantsDifference())
        askTraffic();
}

void ExchangeView::askList() {
    if (!sources().current)
        return;
    askLoopsOfBase(this, sources(), [this](const auto& of_base) {
        loops_of_base_ = of_base;
        askListed();
    });
}

void ExchangeView::askListed() {
    sources().current->ask<Listed>(
        this, QStringLiteral("exchanges"),
        [ipu = ipu_](const profile::Profile& file) -> Result<Listed> {
            Listed listed;
            TRY(listed.list, analyse::exchange_list(file, ipu));
            TRY(listed.parts, analyse::Parts::read(file));
            TRY(const auto ipus, file.ipus());
            for (const auto& record : ipus)
                if (record.replica == 0)
                    listed.ipus.push_back(record.id);
            TRY(auto moved, analyse::moved_variables(file));
            listed.moved = std::make_shared<const analyse::MovedVariables>(std::move(moved));
            return listed;
        },
        [this](Result<Listed> listed) {
            if (!listed)
                return pages_->setText(listed.error());
            listed_ = std::move(*listed);
            if (listed_.list.rows.empty() && ipu_ < 0)
                return showNothingYet(*pages_, *this,
                                      tr("<h3>Nothing is exchanged</h3>The program runs on one tile."));
            pages_->showPage();
            offerIpus(*ipus_, tr("all IPUs"), listed_.ipus);
            ipus_->setVisible(listed_.ipus.size() > 1);
            showList();
            askTraffic();
            askDifference();
            if (!picked_)
                followNow();
        });
}

std::optional<ExchangeKind> ExchangeView::wantedKind() const {
    const QVariant kind = kind_->currentData();
    return kind.isValid() ? std::optional(static_cast<ExchangeKind>(kind.toInt())) : std::nullopt;
}

std::vector<const analyse::ExchangeRow*> ExchangeView::listed() const {
    const auto wanted = wantedKind();
    std::vector<const analyse::ExchangeRow*> rows;
    for (const auto& row : listed_.list.rows)
        if (!wanted || row.exchange.kind == *wanted)
            rows.push_back(&row);
    return rows;
}

const analyse::ExchangeRow* ExchangeView::row() const {
    const auto& rows = listed_.list.rows;
    const auto found =
        std::find_if(rows.begin(), rows.end(), [this](const auto& r) { return r.exchange.id == exchange_; });
    return found == rows.end() ? nullptr : &*found;
}

void ExchangeView::showList() {
    const analyse::Loops& loops = listed_.list.loops;
    const analyse::Basis basis = shownBasis();
    const auto shown = listed();
    if (exchange_ == -1 && !shown.empty() && (differences_ || !wantsDifference())) {
        const auto all = keys();
        exchange_ = all.empty() ? shown.front()->exchange.id : all.front();
    }
    tabs_->setTabText(0, tr("Exchanges %1").arg(formatCount(static_cast<std::int64_t>(shown.size()))));
    showVariables();
    if (differences_)
        return showDifference();
    std::vector<TableRow> rows;
    rows.reserve(shown.size());
    for (const auto* row : shown) {
        const auto& exchange = row->exchange;
        const double cycles = row->cycles_per(loops, basis);
        const double bytes = row->bytes_per(loops, basis);
        rows.push_back(
            {exchange.id,
             {textCell(text(exchange.name)), textCell(kindText(exchange.kind)), textCell(ipuText(exchange)),
              cyclesCell(static_cast<double>(row->cycles), listed_.list.clock_hz),
              runsCell(row->runs, loops.count(basis)), cyclesCell(cycles, listed_.list.clock_hz),
              bytesCell(exchange.bytes), bytesCell(bytes)}});
    }
    exchanges_->setCaption(tr("most cycles in all first, %1, %2; Shift+S adds up all of them")
                               .arg(text(analyse::per(basis)), who()));
    exchanges_->setColumns(plainColumns());
    exchanges_->setRows(std::move(rows));
    exchanges_->setSql(listSql());
    exchanges_->selectKey(exchange_);
}

analyse::Basis ExchangeView::shownBasis() const {
    return analyse::common_basis(loops_of_base_ ? &*loops_of_base_ : nullptr, listed_.list.loops, basis());
}

QString ExchangeView::who() const {
    return ipu_ < 0 ? tr("all IPUs of a replica") : tr("IPU %1").arg(ipu_);
}

/// Whose bytes the exchanges of the list move. There are many: the rows are made once their tab is in front.
void ExchangeView::showVariables() {
    if (!listed_.moved) // the rows are of the file before
        return;
    const analyse::Loops& loops = listed_.list.loops;
    const analyse::Basis basis = shownBasis();
    auto of = listed();
    if (!summed_.empty())
        std::erase_if(of, [this](const auto* row) {
            return !std::binary_search(summed_.begin(), summed_.end(), row->exchange.id);
        });
    const auto moves = analyse::variable_moves(*listed_.moved, of);
    tabs_->setTabText(1, tr("Variables %1").arg(formatCount(static_cast<std::int64_t>(moves.size()))));
    variables_shown_ = tabs_->currentWidget() == variables_;
    if (!variables_shown_)
        return;
    std::vector<TableRow> rows;
    rows.reserve(moves.size());
    for (const auto& moved : moves) {
        const auto& variable = listed_.moved->variables.at(moved.variable);
        const double bytes = loops.mean(moved.bytes, basis);
        const auto times = analyse::times_of(bytes, variable);
        rows.push_back(
            {moved.variable,
             {textCell(variable.name.empty() ? tr("variable %1").arg(moved.variable) : text(variable.name)),
              countCell(variable.ipu), bytesCell(bytes), shareCell(moved.share),
              times ? bytesCell(variable.bytes) : absentCell(), times ? amountCell(*times) : absentCell(),
              countCell(moved.exchanges)}});
    }
    variables_->setCaption(
        listed_.moved->parts.empty()
            ? tr("not recorded by the version that made this file; profile it again")
            : (summed_.empty()
                   ? tr("whose bytes the exchanges of the list move, once for each receiver, %1, %2")
                   : tr("whose bytes the chosen exchanges move, once for each receiver, %1, %2"))
                  .arg(text(analyse::per(basis)), who()));
    variables_->setRows(std::move(rows));
}

void ExchangeView::askTraffic() {
    if (!sources().current || exchange_ == -1)
        return;
    if (wantsDifference())
        return askTrafficDifference();
    if (!summed_.empty())
        return askSum();
    sources().current->ask<Both>(
        this, QStringLiteral("traffic"),
        [id = exchange_](const profile::Profile& file) -> Result<Both> {
            Shown shown;
            TRY(shown.traffic, analyse::exchange_traffic(file, id));
            TRY(shown.moves, analyse::tile_moves(file, shown.traffic));
            return std::make_shared<const Shown>(std::move(shown));
        },
        [this](const Result<Both>& shown) { showTraffic(shown); });
}

void ExchangeView::showTraffic(const Result<Both>& shown) {
    if (!shown)
        return pages_->setText(shown.error());
    shown_ = *shown;
    showHeading();
    showMatrix();
    fitShade();
    markTiles(selection() == nullptr ? Selection{} : selection()->current());
    showTiles();
    showRounds();
    showTileTable();
    tellDetails();
}

/// Who sends to whom; where that is not known, what each tile has in all is in front.
void ExchangeView::showMatrix() {
    if (shown_->difference)
        return showMatrixDifference();
    const analyse::TileMoves& moves = shown_->moves;
    const auto& exchange = shown_->traffic.exchange;
    const QString note = noteOf(moves.known, exchange.kind);
    matrix_->setTitle(
        shown_->of > 1
            ? tr("Bytes from tiles (rows) to tiles (columns), %1 exchanges").arg(formatCount(shown_->of))
            : tr("%1, one run").arg(matrixText(exchange)));
    matrix_->setBytes({shown_, &moves.bytes}, moves.tiles, note);
    matrix_->setFacts(note.isEmpty() ? facts() : TileMatrix::Facts());
    left_->setTabToolTip(0, note);
    left_->setCurrentIndex(note.isEmpty() ? picture_ : std::max(picture_, 1));
}

std::int64_t ExchangeView::ipuOf(bool sends) const {
    const profile::ExchangeRecord& exchange = shown_->traffic.exchange;
    return std::max<std::int64_t>(0, sends || exchange.peer < 0 ? exchange.ipu : exchange.peer);
}

/// Which tile receives the most, and how unevenly it is dealt out.
void ExchangeView::showHeading() {
    if (shown_->difference)
        return headDifference();
    const analyse::ExchangeTraffic& traffic = shown_->traffic;
    const bool sends_only = analyse::most_bytes(traffic.received).tile < 0;
    const analyse::MostBytes most = analyse::most_bytes(sends_only ? traffic.sent : traffic.received);
    const auto* of = row();
    const std::int64_t ipu = ipuOf(sends_only);
    QString html =
        most.tile < 0
            ? tr("<b>No tile sends or receives anything.</b>")
            : inHtml(tr("<b>Tile %1 %2 %3 the most</b>, %4: %5 times the mean of all; %6 %7."),
                     {most.tile, tr("of IPU %1").arg(ipu), sends_only ? tr("sends") : tr("receives"),
                      formatBytes(most.bytes), formatAmount(most.times()),
                      formatCounted(most.tiles, tr("tile"), tr("tiles")),
                      most.tiles == 1 ? (sends_only ? tr("sends something") : tr("receives something"))
                      : sends_only    ? tr("send something")
                                      : tr("receive something")});
    html += QStringLiteral("<br><span style='color:@muted'>") +
            (shown_->of > 1 ? sumText() : asHtml(traffic.exchange.name));
    if (shown_->of > 1)
        html += tr(": %1").arg(formatBytes(traffic.exchange.bytes)) +
                (shown_->followed < traffic.exchange.bytes && !shown_->moves.bytes.empty()
                     ? tr("; of %1 of them it is known which tile sends to which")
                           .arg(formatBytes(shown_->followed))
                     : QString());
    else if (of != nullptr)
        html += tr(": %1 %2 in %3, once")
                    .arg(formatBytes(traffic.exchange.bytes), kindText(traffic.exchange.kind),
                         formatTime(of->cycles, listed_.list.clock_hz)) +
                boundText() + waitText() + causes();
    heading_->setHtml(html + QStringLiteral("</span>"));
}

void ExchangeView::showTiles() {
    if (!shown_)
        return;
    const analyse::ExchangeTraffic& traffic = shown_->traffic;
    const int wanted = shade_->currentIndex();
    const bool received = wanted % 2 == 0;
    const bool of_chosen = wanted > 1;
    const auto& difference = shown_->difference;
    const std::vector<std::int64_t>& in_all = difference
                                                  ? (received ? difference->received : difference->sent)
                                              : received ? traffic.received
                                                         : traffic.sent;
    auto values = of_chosen ? analyse::moves_of_tiles(shown_->matrix(), chosen_, received) : in_all;
    const QString what = of_chosen && chosen_.empty()  ? tr("choose a tile to see its partners")
                         : of_chosen && values.empty() ? tr("not known of this exchange")
                         : !of_chosen                  ? (received ? tr("received") : tr("sent"))
                         : received                    ? tr("received from %1").arg(tilesText(-1, chosen_))
                                                       : tr("sent to %1").arg(tilesText(-1, chosen_));
    values.resize(in_all.size(), 0);
    chart_->setSelectedTiles(chosen_);
    if (difference)
        return showTilesDifference(values, what, received);
    map_->setValues(values, std::max<std::int64_t>(1, analyse::most_bytes(values).bytes), {},
                    TileMap::Scale::Bytes);
    map_->setTitleBehindHeading(tr(": %1, bytes per tile").arg(what));
    map_->setSelectedTiles(chosen_);
    chart_->setSeries({{received ? tr("received") : tr("sent"), &Theme::exchange,
                        received ? traffic.received : traffic.sent}});
    chart_->setBase(received ? traffic.sent : traffic.received,
                    received ? tr("sent, once for each receiver") : tr("received"));
    chart_->setTitle(received ? tr("Bytes received per tile") : tr("Bytes sent per tile"));
    chart_->setSelectedTiles(chosen_);
}

/// Where no tile receives anything the floor plan shows what is sent, and the other way round.
void ExchangeView::fitShade() {
    const auto& difference = shown_->difference;
    const auto any = [](const std::vector<std::int64_t>& by_tile) {
        return std::any_of(by_tile.begin(), by_tile.end(), [](std::int64_t bytes) { return bytes != 0; });
    };
    const bool received = any(difference ? difference->received : shown_->traffic.received);
    const bool sent = any(difference ? difference->sent : shown_->traffic.sent);
    const bool of_received = wanted_shade_ % 2 == 0;
    const bool other = of_received ? !received && sent : !sent && received;
    const QSignalBlocker quiet(shade_);
    shade_->setCurrentIndex(other ? wanted_shade_ + (of_received ? 1 : -1) : wanted_shade_);
}

/// The selected tiles, where they are of the IPU of this exchange.
void ExchangeView::markTiles(const Selection& s) {
    auto tiles = s.ipu == ipuOf(true) ? s.tiles : std::vector<std::int64_t>{};
    if (tiles != chosen_) {
        chosen_ = std::move(tiles);
        showTiles();
    }
    matrix_->setSelected(chosen_);
}

void ExchangeView::showRounds() {
    const auto* of = row();
    const std::int64_t replicas = of == nullptr ? listed_.list.replicas : of->ring;
    setTabShown(*tabs_, tabs_->indexOf(rounds_), std::max(listed_.list.replicas, replicas) > 1);
    const auto rounds = shown_->difference && !shown_->in_now
                            ? std::vector<analyse::RingRound>{}
                            : analyse::ring_rounds(shown_->traffic.exchange, listed_.list.links, replicas);
    std::vector<TableRow> rows;
    rows.reserve(rounds.size());
    for (const auto& round : rounds)
        rows.push_back(
            {-1,
             {countCell(round.number), textCell(tr("IPU %1").arg(round.from)),
              textCell(tr("IPU %1").arg(round.to)), countCell(round.piece), bytesCell(round.bytes)}});
    rounds_->setCaption(
        rounds.empty() ? tr("this exchange is no part of an all-reduce: choose one over links that has")
                       : tr("around a ring of %1 replicas, one after the other; together %2")
                             .arg(replicas)
                             .arg(of == nullptr ? QString() : formatTime(of->cycles, listed_.list.clock_hz)));
    rounds_->setRows(std::move(rows));
}

void ExchangeView::chooseExchange(std::int64_t id, std::int64_t variable) {
    if (id == -1 || id == unchanged_key)
        return;
    exchange_ = id;
    picked_ = true;
    summed_.clear();
    exchanges_->selectKey(id);
    showVariables();
    askTraffic();
    const auto* of = row();
    if (selection() == nullptr || of == nullptr)
        return;
    Selection s = selection()->current();
    s.program = of->program;
    s.operation = of->exchange.operation_id;
    s.layer = -1;
    s.variable = variable;
    selection()->set(s);
}

/// With the exchange of it that takes longest.
void ExchangeView::chooseVariable(std::int64_t id) {
    if (!listed_.moved)
        return;
    for (const auto& moved : analyse::variable_moves(*listed_.moved, listed()))
        if (moved.variable == id)
            return chooseExchange(moved.dearest, id);
}

void ExchangeView::goToBusiest() {
    const std::int64_t tile = !shown_ ? -1
                              : !shown_->difference
                                  ? analyse::most_bytes(shown_->traffic.received).tile
                                  : analyse::most_changed(shown_->difference->received).tile;
    if (tile >= 0)
        Q_EMIT map_->tilesSelected({tile});
}

void ExchangeView::move(int by) {
    const std::vector<std::int64_t> all = keys();
    const auto here = std::find(all.begin(), all.end(), exchange_);
    if (all.empty())
        return;
    const auto at = here == all.end() ? 0 : here - all.begin() + by;
    chooseExchange(all[static_cast<std::size_t>(
        std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(all.size()) - 1))]);
}

void ExchangeView::follow(const Selection& s) {
    if (const auto found = listed_.list.of_program.find(s.program);
        found != listed_.list.of_program.end() && found->second != exchange_) {
        exchange_ = found->second;
        picked_ = true;
        summed_.clear();
        exchanges_->selectKey(exchange_);
        askTraffic();
    }
    if (shown_)
        markTiles(s);
    tellDetails();
}

} // namespace tilescope::ui
