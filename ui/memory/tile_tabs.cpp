// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_tabs.h"

#include "address_strip.h"
#include "analyse/change_sum.h"
#include "analyse/like_names.h"
#include "base/share.h"
#include "base/try.h"
#include "category_tree.h"
#include "profile/lookup.h"
#include "tile_queries.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/lifetime_delegate.h"
#include "ui/widgets/view_action.h"

#include <QApplication>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

namespace tilescope::ui {

/// What is on the tiles, and when the most of it is live.
struct TileTabs::Variables {
    analyse::TileVariables on;
    std::map<std::int64_t, QString> layers, operations;
    std::int64_t room = 0;  ///< memory of the tiles
    QString peak_step;      ///< its name
    std::int64_t steps = 0; ///< of the program, over which lives are drawn
    analyse::Parts parts;
    analyse::OldNames old_names; ///< of the base: how it calls what the new run has
};

namespace {

/// With the loops of the run, in which they run.
template<class T>
struct WithLoops {
    std::vector<T> rows;
    analyse::Loops loops;
};

template<class T>
Result<WithLoops<T>> withLoops(const profile::Profile& file, Result<std::vector<T>> rows) {
    if (!rows)
        return Failure(std::move(rows.error()));
    TRY(const auto loops, analyse::read_loops(file));
    return WithLoops<T>{std::move(*rows), loops};
}

/// Heads of the columns that all lists of variables end with, and their cells.
QStringList variableHeads() {
    return {TileTabs::tr("Category"), TileTabs::tr("Layer"), TileTabs::tr("Operation"), TileTabs::tr("Type"),
            TileTabs::tr("Live")};
}

using Names = std::map<std::int64_t, QString>; ///< by id
QString nameIn(const Names& names, std::int64_t id) {
    const auto found = names.find(id);
    return found == names.end() ? QString() : found->second;
}

/// Of them those that are always live.
analyse::TileVariables alwaysLive(analyse::TileVariables of) {
    std::erase_if(of.rows, [](const profile::VariableOnTiles& row) { return !row.variable.always_live; });
    return of;
}

void addVariableCells(std::vector<Cell>& cells, const profile::VariableRecord& variable, const Names& layers,
                      const Names& operations) {
    cells.push_back(textCell(text(to_string(variable.category))));
    cells.push_back(textCell(nameIn(layers, variable.layer_id)));
    cells.push_back(textCell(nameIn(operations, variable.operation_id)));
    cells.push_back(textCell(text(profile::type_text(variable))));
    cells.push_back(liveCell(variable));
}

/// Some variables of a table with their bytes on the tiles: one, or those that are alike.
using VariablesAlike = std::vector<const profile::VariableRecord*>;

template<class TextOf>
QString common(const VariablesAlike& alike, const TextOf& text_of) {
    std::vector<std::string> texts;
    for (const auto* each : alike)
        texts.push_back(text_of(*each));
    return text(analyse::common_text(texts));
}

/// addVariableCells() of several that are alike: what they have in common. The category is the same of all.
void addVariableCells(std::vector<Cell>& cells, const VariablesAlike& alike, const Names& layers,
                      const Names& operations) {
    const profile::VariableRecord& first = *alike.front();
    addVariableCells(cells, first, layers, operations);
    if (alike.size() == 1)
        return;
    Cell* last = &cells.back(); // category, layer, operation, type, live
    (last - 3)->text =
        common(alike, [&](const auto& variable) { return nameIn(layers, variable.layer_id).toStdString(); });
    (last - 2)->text = common(
        alike, [&](const auto& variable) { return nameIn(operations, variable.operation_id).toStdString(); });
    (last - 1)->text = common(alike, [](const auto& variable) { return profile::type_text(variable); });
    const auto lives = [](const profile::VariableRecord& variable) {
        return variable.always_live ? std::tuple(true, std::int64_t{-1}, std::int64_t{-1})
                                    : std::tuple(false, variable.live_from, variable.live_to);
    };
    if (!std::all_of(alike.begin(), alike.end(),
                     [&](const auto* each) { return lives(*each) == lives(first); }))
        last->text =
            std::all_of(alike.begin(), alike.end(), [](const auto* each) { return each->always_live; })
                ? TileTabs::tr("always")
                : TileTabs::tr("at different steps");
}

/// Tabs, in their order.
enum Tab { Categories, VariablesTab, Vertices, Exchanges, ComputeSets, Addresses };

} // namespace

TileTabs::TileTabs(QWidget* parent)
    : QTabWidget(parent), categories_(new CategoryTree), variables_(new DataTable({}, {{tr("Variable")}})),
      lives_(new LifetimeDelegate(variables_)), vertices_(new DataTable({}, {{tr("Codelet")},
                                                                             {tr("Vertices here"), true},
                                                                             {tr("On all tiles")},
                                                                             {tr("Compute sets")},
                                                                             {tr("Tiles at once")},
                                                                             {tr("Code here"), true}})),
      exchanges_(new DataTable({}, {{tr("Exchange")},
                                    {tr("Kind")},
                                    {tr("Sent by these"), true},
                                    {tr("Received by these"), true},
                                    {tr("Cycles")},
                                    {tr("Runs")}})),
      compute_sets_(new DataTable({}, {{tr("Compute set")},
                                       {tr("Slowest of these"), true},
                                       {tr("Mean of these")},
                                       {tr("Slowest of all")},
                                       {tr("Of the slowest")},
                                       {tr("Runs")}})) {
    setDocumentMode(true);
    addTab(categories_, tr("Categories"));
    variables_page_ = new QWidget;
    auto* page = new QVBoxLayout(variables_page_);
    page->setContentsMargins({});
    page->addWidget(variables_);
    addTab(variables_page_, tr("Variables"));
    addTab(vertices_, tr("Vertices"));
    addTab(exchanges_, tr("Exchanges"));
    addTab(compute_sets_, tr("Compute sets"));
    addresses_ = new AddressStrip;
    addresses_->setObjectName(QStringLiteral("tileAddresses"));
    addTab(addresses_, tr("Addresses"));
    variables_page_->setFocusProxy(variables_->view());
    vertices_->setObjectName(QStringLiteral("tileVertices"));
    exchanges_->setObjectName(QStringLiteral("tileExchanges"));
    compute_sets_->setObjectName(QStringLiteral("tileComputeSets"));
    categories_->setObjectName(QStringLiteral("tileCategories"));
    setCurrentIndex(VariablesTab);
    stale_.assign(static_cast<std::size_t>(count()), true);
    connect(this, &QTabWidget::currentChanged, this, &TileTabs::askShown);
    connect(addresses_, &AddressStrip::variableChosen, this, &TileTabs::variableChosen);
    connect(addresses_, &AddressStrip::stepChosen, this, [this](std::int64_t step) {
        if (address_map_ && step < static_cast<std::int64_t>(address_map_->steps.size()))
            Q_EMIT stepChosen(address_map_->steps[static_cast<std::size_t>(step)].program);
    });
    for (DataTable* table : {exchanges_, compute_sets_}) {
        connect(table, &DataTable::keyChosen, this, &TileTabs::operationChosen);
        table->setSubjects([](std::int64_t operation) { return linkTo(Subject::Operation, operation); });
    }
    for (DataTable* table : {vertices_, exchanges_, compute_sets_})
        connect(table, &DataTable::sqlWanted, this, &TileTabs::sqlWanted);
}

void TileTabs::show(std::shared_ptr<ProfileSource> source, std::shared_ptr<ProfileSource> base,
                    const analyse::HandMatches& by_hand, const Scope& scope) {
    for (const auto& asked : {source_, base_})
        if (asked)
            asked->forget(this); // of other tiles, or of another file
    source_ = std::move(source);
    base_ = std::move(base);
    by_hand_ = by_hand;
    before_ = nullptr;
    scope_ = scope;
    stale_.assign(static_cast<std::size_t>(count()), true);
    askShown();
}

void TileTabs::move(int by) {
    showTabBeside(*this, by);
    currentWidget()->setFocus();
}

QString TileTabs::where() const {
    return scope_.tiles.empty()       ? tr("on IPU %1").arg(scope_.ipu)
           : scope_.tiles.size() == 1 ? tr("on IPU %1 tile %2").arg(scope_.ipu).arg(scope_.tiles[0])
                                      : tr("on %1 tiles of IPU %2").arg(scope_.tiles.size()).arg(scope_.ipu);
}

Cell TileTabs::runsCell(std::int64_t runs, const analyse::Loops& loops) const {
    return ui::runsCell(runs, loops.count(loops.shown(scope_.basis)));
}

QString TileTabs::runsPer(const analyse::Loops& loops) const {
    return tr("runs %1").arg(text(analyse::per(loops.shown(scope_.basis))));
}

template<class T>
void TileTabs::ask(const QString& topic, DataTable* table,
                   std::function<Result<T>(const profile::Profile&)> query,
                   std::function<void(const T&)> shown) {
    table->setCaption(tr("computing…"));
    source_->ask<T>(this, topic, std::move(query),
                    [table = QPointer(table), shown = std::move(shown)](const Result<T>& found) {
                        if (found)
                            return shown(*found);
                        if (table && found.error().kind != ErrorKind::Cancelled)
                            table->setCaption(text(found.error().line()));
                    });
}

void TileTabs::askShown() {
    const auto tab = static_cast<std::size_t>(currentIndex());
    if (!source_ || tab >= stale_.size() || !stale_[tab])
        return;
    stale_[tab] = false;
    const auto ipu = scope_.ipu;
    const auto tiles = scope_.tiles;
    switch (static_cast<Tab>(tab)) {
    case Categories:
        return source_->ask<std::vector<analyse::MemoryNode>>(
            this, QStringLiteral("categories"),
            [ipu, tiles](const profile::Profile& file) { return analyse::memory_tree(file, ipu, tiles); },
            [this](const Result<std::vector<analyse::MemoryNode>>& nodes) {
                if (nodes)
                    categories_->show(*nodes, analyse::columns_of(scope_.tiles),
                                      static_cast<std::int64_t>(scope_.tiles.size()));
            });
    case VariablesTab:
        return askVariables();
    case Vertices:
        return ask<std::vector<analyse::CodeletOnTiles>>(
            QStringLiteral("vertices"), vertices_,
            [ipu, tiles](const profile::Profile& file) {
                return analyse::codelets_on_tiles(file, ipu, tiles);
            },
            [this](const auto& codelets) { showCodelets(codelets); });
    case Exchanges:
        return ask<WithLoops<analyse::ExchangeOnTiles>>(
            QStringLiteral("exchanges"), exchanges_,
            [ipu, tiles](const profile::Profile& file) {
                return withLoops(file, analyse::exchanges_on_tiles(file, ipu, tiles));
            },
            [this](const auto& found) { showExchanges(found.rows, found.loops); });
    case ComputeSets:
        return ask<WithLoops<analyse::ComputeSetOnTiles>>(
            QStringLiteral("compute sets"), compute_sets_,
            [ipu, tiles](const profile::Profile& file) {
                return withLoops(file, analyse::compute_sets_on_tiles(file, ipu, tiles));
            },
            [this](const auto& found) { showComputeSets(found.rows, found.loops); });
    case Addresses:
        return askAddresses();
    }
}

void TileTabs::askAddresses() {
    if (scope_.tiles.size() != 1)
        return addresses_->setMap(nullptr, tr("Choose one tile to see what lies at which address: X goes to "
                                              "the fullest."));
    if (!address_map_ || address_map_->ipu != scope_.ipu || address_map_->tile != scope_.tiles.front())
        addresses_->setMap(nullptr, tr("computing…"));
    source_->ask<std::shared_ptr<const analyse::AddressMap>>(
        this, QStringLiteral("addresses"),
        [ipu = scope_.ipu, tile = scope_.tiles.front()](
            const profile::Profile& file) -> Result<std::shared_ptr<const analyse::AddressMap>> {
            TRY(auto map, analyse::address_map(file, ipu, tile));
            return std::make_shared<const analyse::AddressMap>(std::move(map));
        },
        [this](const Result<std::shared_ptr<const analyse::AddressMap>>& map) {
            address_map_ = map ? *map : nullptr;
            addresses_->setMap(address_map_,
                               map ? tr("Nothing lies on this tile, or its addresses are not in "
                                        "this file.")
                                   : text(map.error().line()));
        });
}

Result<std::shared_ptr<const TileTabs::Variables>> TileTabs::readVariables(const profile::Profile& file,
                                                                           const Scope& scope) {
    auto found = std::make_shared<Variables>();
    TRY(found->on, analyse::variables_of(file, scope.ipu, scope.tiles));
    TRY(found->parts, analyse::Parts::read(file));
    for (const auto& layer : found->parts.layers)
        found->layers[layer.id] = text(layer.name);
    for (const auto& operation : found->parts.operations)
        found->operations[operation.id] = text(operation.name);
    TRY(const auto target, file.target());
    found->room =
        target.bytes_per_tile *
        (scope.tiles.empty() ? target.tiles_per_ipu : static_cast<std::int64_t>(scope.tiles.size()));
    TRY(const auto steps, file.liveness(scope.ipu));
    found->steps = static_cast<std::int64_t>(steps.size());
    TRY(const auto name, profile::step_name(file, found->on.peak.step));
    found->peak_step = text(name);
    return std::shared_ptr<const Variables>(std::move(found));
}

void TileTabs::askVariables() {
    using Found = std::shared_ptr<const Variables>;
    const auto read = [scope = scope_](const profile::Profile& file) { return readVariables(file, scope); };
    ask<Found>(QStringLiteral("variables"), variables_, read, [this](const Found& found) {
        found_ = found;
        showVariables();
        if (base_)
            askVariablesOfBase();
    });
}

/// Which of them are the same goes by the layers and operations of both.
void TileTabs::askVariablesOfBase() {
    using Found = std::shared_ptr<const Variables>;
    base_->ask<Found>(
        this, QStringLiteral("variables of base"),
        [scope = scope_, now = found_->parts,
         by_hand = by_hand_](const profile::Profile& file) -> Result<Found> {
            TRY(auto before, readVariables(file, scope));
            auto told = std::make_shared<Variables>(*before);
            told->old_names = analyse::OldNames(told->parts, now, analyse::match(told->parts, now, by_hand));
            return Found(std::move(told));
        },
        [this](const Result<Found>& found) {
            if (!found)
                return variables_->setCaption(text(found.error().line()));
            before_ = *found;
            showVariables();
        });
}

void TileTabs::listAlways(bool only) {
    always_ = only;
    showVariables();
}

void TileTabs::listEver(bool ever) {
    ever_ = ever;
    showVariables();
}

/// Of variables that are alike their sums, and what they have in common; the key is that of the largest.
TableRow TileTabs::rowOf(const analyse::AlikeVariables& alike) {
    VariablesAlike variables;
    for (const auto& [variable, bytes] : alike.variables)
        variables.push_back(variable);
    QString name = common(variables, [](const auto& variable) { return variable.name; });
    if (variables.size() > 1)
        name += QStringLiteral(" × ") + formatCount(static_cast<std::int64_t>(variables.size()));
    TableRow row{alike.largest->id,
                 {textCell(name), bytesCell(alike.bytes), shareCell(share_of(alike.bytes, found_->room))}};
    for (const std::int64_t of_tile : alike.by_column)
        row.cells.push_back(bytesCell(of_tile));
    if (alike.by_column.size() == 2)
        row.cells.push_back(bytesDifferenceCell(
            analyse::change_of(std::optional(alike.by_column[0]), std::optional(alike.by_column[1]))));
    row.cells.push_back(bytesCell(alike.on_all_tiles));
    if (!found_->on.streaming.empty())
        row.cells.push_back(alike.streaming > 0 ? bytesCell(alike.streaming) : absentCell());
    row.cells.push_back(textCell({})); // its life, as a bar
    addVariableCells(row.cells, variables, found_->layers, found_->operations);
    return row;
}

void TileTabs::fold(bool alike) {
    fold_ = alike;
    showVariables();
}

/// Those that are live at the peak add up to what the tiles hold then.
void TileTabs::showVariables() {
    if (!found_)
        return;
    if (base_)
        return showChanges();
    const std::vector<std::int64_t>& columns = found_->on.columns;
    const auto& streaming = found_->on.streaming;
    std::vector<Column> heads{{tr("Variable")},
                              {columns.empty() ? tr("On these tiles") : tr("Together"), true},
                              {tr("Of their memory")}};
    for (const std::int64_t tile : columns)
        heads.push_back({tr("tile %1").arg(tile)});
    if (columns.size() == 2)
        heads.push_back({tr("Difference")});
    heads.push_back({tr("On all tiles")});
    if (!streaming.empty())
        heads.push_back({tr("Streamed")});
    const auto life_column = static_cast<int>(heads.size());
    heads.push_back({tr("Life over the program")});
    for (const QString& head : variableHeads())
        heads.push_back({head});
    std::vector<TableRow> rows;
    listed_.clear();
    row_of_.clear();
    const analyse::TileVariables on = always_ ? alwaysLive(found_->on) : found_->on;
    const analyse::VariableList list = analyse::list_variables(on, ever_, fold_);
    LifetimeDelegate::Lives lives;
    for (const analyse::AlikeVariables& alike : list.rows) {
        rows.push_back(rowOf(alike));
        for (const auto& [variable, bytes] : alike.variables) {
            const LifetimeDelegate::Steps held = variable->always_live
                                                     ? LifetimeDelegate::Steps(0, found_->steps - 1)
                                                     : std::pair(variable->live_from, variable->live_to);
            lives[rows.back().key].push_back({held, held});
            listed_.push_back(*variable);
            row_of_[variable->id] = rows.back().key;
        }
    }
    // What lies in streaming memory instead has rows, too, and is told of by itself.
    const auto on_tiles = static_cast<std::size_t>(std::count_if(
        listed_.begin(), listed_.end(), [](const auto& variable) { return variable.streaming_bytes == 0; }));
    const auto rows_on_tiles = static_cast<std::size_t>(std::count_if(
        list.rows.begin(), list.rows.end(), [](const auto& row) { return row.streaming == 0; }));
    const QString counted =
        formatCounted(on_tiles, tr("variable"), tr("variables")) +
        (rows_on_tiles == on_tiles ? QString()
                                   : tr(" in %1").arg(formatCounted(rows_on_tiles, tr("row"), tr("rows"))));
    setTabText(VariablesTab, tr("Variables %1").arg(formatCount(static_cast<std::int64_t>(on_tiles))));
    layVariables(std::move(heads));
    lives_->setLives(std::move(lives));
    lives_->setSpan(0, static_cast<double>(found_->steps), found_->on.peak.step);
    variables_->view()->setItemDelegateForColumn(life_column, lives_);
    variables_->setSql(variablesSql(scope_, ever_ ? std::nullopt : std::optional(found_->on.peak.step)));
    variables_->setRows(std::move(rows));
    variables_->selectKey(rowWith(selected_)); // which may be in another row now
    markVariables(marked_operation_, marked_layer_);
    variables_->setCaption(
        on.rows.empty() ? tr("None %1").arg(where())
        : always_
            ? tr("Always live %1: %2, which add up to %3").arg(where(), counted, formatBytes(list.bytes))
        : ever_
            ? tr("Ever live %1: %2; their bytes are not live together").arg(where(), counted)
            : tr("Live %1 at its peak step, %2%3: %4, which add up to %5")
                      .arg(where(), formatCount(found_->on.peak.step),
                           found_->peak_step.isEmpty() ? QString()
                                                       : QStringLiteral(" (%1)").arg(found_->peak_step),
                           counted, formatBytes(list.bytes)) +
                  (streaming.empty()
                       ? QString()
                       : tr("; %1 in streaming memory instead: %2")
                             .arg(formatCounted(streaming.size(), tr("variable lies"), tr("variables lie")),
                                  formatBytes(list.streaming))));
}

/// What each variable takes more or less than in the base, each run at its own peak.
void TileTabs::showChanges() {
    if (!before_)
        return variables_->setCaption(tr("Reading the base…"));
    std::vector<Column> heads{{tr("Variable")}, {tr("Now")}, {tr("In the base")}, {tr("Difference")}};
    for (const QString& head : variableHeads())
        heads.push_back({head});
    std::vector<TableRow> rows;
    listed_.clear();
    row_of_.clear();
    const analyse::TileVariables on = always_ ? alwaysLive(found_->on) : found_->on;
    const analyse::TileVariables before = always_ ? alwaysLive(before_->on) : before_->on;
    const auto changes = analyse::variable_changes(on, before, ever_, before_->old_names);
    for (const analyse::AlikeChanges& alike :
         fold_ ? analyse::fold_changes(changes) : analyse::each_change(changes)) {
        const bool gone = alike.changes.front().now == nullptr; // as all of them
        VariablesAlike variables;
        TableRow row{gone ? -1 : alike.largest().now->id,
                     {textCell(text(alike.name)), gone ? absentCell() : bytesCell(alike.bytes_now),
                      alike.changes.front().before == nullptr ? absentCell() : bytesCell(alike.bytes_before),
                      bytesDifferenceCell(alike.change())}};
        for (const analyse::VariableChange& change : alike.changes) {
            variables.push_back(gone ? change.before : change.now);
            if (gone)
                continue;
            listed_.push_back(*change.now);
            row_of_[change.now->id] = row.key;
        }
        const auto& of = gone ? before_ : found_;
        addVariableCells(row.cells, variables, of->layers, of->operations);
        rows.push_back(std::move(row));
    }
    const QString count = formatCount(static_cast<std::int64_t>(rows.size()));
    setTabText(VariablesTab, tr("Variables %1").arg(formatCount(static_cast<std::int64_t>(changes.size()))));
    layVariables(std::move(heads));
    variables_->setSql({}); // a question is asked of one file
    variables_->setRows(std::move(rows));
    variables_->selectKey(rowWith(selected_));
    markVariables(marked_operation_, marked_layer_);
    variables_->setCaption((
        ever_
            ? tr("Ever live %1 in either run: %2 rows; their bytes are not live together").arg(where(), count)
            : tr("Live %1 at its peak step, in each run at its own (%2, in the base %3): "
                 "%4 rows, the largest difference first; together %5")
                  .arg(where(), formatCount(found_->on.peak.step), formatCount(before_->on.peak.step), count,
                       formatBytesDifference(static_cast<double>(analyse::sum_of(changes))))));
}

/// A table of other columns takes the place of the one before.
void TileTabs::layVariables(std::vector<Column> heads) {
    QStringList titles;
    for (const Column& head : heads)
        titles << head.title;
    if (titles == variable_heads_)
        return;
    variable_heads_ = titles;
    const bool focused = variables_->isAncestorOf(QApplication::focusWidget());
    auto* old = variables_;
    variables_ = new DataTable({}, std::move(heads));
    variables_->setObjectName(QStringLiteral("tileVariables"));
    lives_ = new LifetimeDelegate(variables_);
    variables_->view()->setTextElideMode(Qt::ElideMiddle);
    connect(variables_, &DataTable::keyChosen, this, &TileTabs::variableChosen);
    connect(variables_, &DataTable::keyActivated, this, &TileTabs::variableActivated);
    connect(variables_, &DataTable::sqlWanted, this, &TileTabs::sqlWanted);
    variables_->setSubjects(
        [this](std::int64_t variable) { return linkTo(Subject::Variable, variable, scope_.ipu); });
    delete variables_page_->layout()->replaceWidget(old, variables_);
    delete old;
    variables_->selectKey(rowWith(selected_));
    variables_page_->setFocusProxy(variables_->view());
    if (focused)
        variables_->view()->setFocus();
}

/// The key of the row that a variable is in.
std::int64_t TileTabs::rowWith(std::int64_t variable) const {
    const auto found = row_of_.find(variable);
    return found == row_of_.end() ? variable : found->second;
}

void TileTabs::selectVariable(std::int64_t id) {
    selected_ = id;
    variables_->selectKey(rowWith(id));
    addresses_->selectVariable(id);
}

void TileTabs::markVariables(std::int64_t operation, std::int64_t layer) {
    marked_operation_ = operation;
    marked_layer_ = layer;
    std::set<std::int64_t> keys;
    for (const profile::VariableRecord& v : listed_)
        if (operation >= 0 ? v.operation_id == operation : layer >= 0 && v.layer_id == layer)
            keys.insert(rowWith(v.id));
    variables_->markKeys(keys);
}

} // namespace tilescope::ui
