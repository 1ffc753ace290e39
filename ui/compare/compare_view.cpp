// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_view.h"

#include "analyse/settings.h"
#include "analyse/tile_memory.h"
#include "base/text.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/tiles/tile_chart.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/run_status.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace tilescope::ui {
namespace {

Cell changeCell(const analyse::Difference& d) {
    return numberCell(text(analyse::relative_text(d)), std::fabs(d.percent().value_or(0)));
}
Cell figureCell(const std::optional<double>& value, const std::string& unit) {
    return numberCell(text(analyse::figure_text(value, unit)), value.value_or(0));
}

/// What differs before any figure: a run that did not complete, then what was asked for.
QString differencesText(const analyse::Comparison& c, const QString& base, const QString& now) {
    QStringList parts;
    for (const auto& [name, run] : {std::pair(base, c.base), std::pair(now, c.now)})
        if (run.status != profile::RunStatus::Complete)
            parts << QObject::tr("<b>%1 is %2</b>").arg(name.toHtmlEscaped(), statusText(run.status));
    for (const auto& d : c.settings)
        if (d.key != "run.status")
            parts << QStringLiteral("%1 %2 → %3")
                         .arg(text(d.name).toHtmlEscaped(),
                              text(analyse::setting_text(d.base, d.unit)).toHtmlEscaped(),
                              text(analyse::setting_text(d.now, d.unit)).toHtmlEscaped());
    return parts.empty() ? QObject::tr("Nothing differs in what was asked for.")
                         : QObject::tr("What differs: %1").arg(parts.join(QStringLiteral("  ·  ")));
}

std::vector<Column> costColumns(const QString& what) {
    const auto tr = [](const char* source) { return CompareView::tr(source); };
    return {{what},         {tr("Cycles, base"), true},           {tr("new"), true},
            {tr("change")}, {tr("Live at the peak, base"), true}, {tr("new"), true},
            {tr("change")}};
}

std::vector<TableRow> costRows(const std::vector<analyse::CostDifference>& costs,
                               const std::map<std::string, std::int64_t>& ids) {
    std::vector<TableRow> rows;
    rows.reserve(costs.size());
    for (const analyse::CostDifference& cost : costs) {
        const auto id = ids.find(cost.name);
        const QString name = cost.base_name == cost.name
                                 ? text(cost.name)
                                 : CompareView::tr("%1 (was %2)").arg(text(cost.name), text(cost.base_name));
        rows.push_back(
            {id == ids.end() ? -1 : id->second,
             {textCell(name), figureCell(cost.cycles.base, "cycles"), figureCell(cost.cycles.now, "cycles"),
              changeCell(cost.cycles), figureCell(cost.memory.base, "bytes"),
              figureCell(cost.memory.now, "bytes"), changeCell(cost.memory)}});
    }
    return rows;
}

/// What the change of IPU time is made of; the cycles of all causes add up to it.
std::vector<TableRow> causeRows(const std::vector<analyse::Cause>& causes,
                                const std::map<std::string, std::int64_t>& layers) {
    std::vector<TableRow> rows;
    rows.reserve(causes.size());
    for (const analyse::Cause& cause : causes) {
        const auto layer = layers.find(cause.what);
        const Cell cycles =
            cause.cycles
                ? numberCell(text(signed_text(*cause.cycles, number_text(*cause.cycles))), *cause.cycles)
                : absentCell();
        rows.push_back(
            {layer == layers.end() ? -1 : layer->second,
             {textCell(text(cause.what)), cycles, shareCell(cause.share), textCell(text(cause.why))}});
    }
    return rows;
}

} // namespace

CompareView::CompareView(QWidget* parent)
    : View(parent), stack_(new QStackedWidget), heading_(new QLabel), differences_(new QLabel),
      headline_(new DataTable(tr("Figures"), {{tr("Figure")}, {tr("Base")}, {tr("New")}, {tr("Change")}})),
      causes_(new DataTable(
          tr("Why"), {{tr("Cause")}, {tr("Cycles")}, {tr("Of all changes")}, {tr("Why"), false, true}})),
      layers_(new DataTable(tr("Layers"), costColumns(tr("Layer")))),
      operations_(new DataTable(tr("Operations"), costColumns(tr("Operation")))), ipus_(new QComboBox),
      memory_title_(new QLabel), chart_(new TileChart) {
    heading_->setContentsMargins(16, 12, 16, 4);
    differences_->setContentsMargins(16, 0, 16, 8);
    differences_->setWordWrap(true);
    differences_->setTextFormat(Qt::RichText);
    differences_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(headline_);
    auto* memory = new QWidget;
    auto* memory_layout = new QVBoxLayout(memory);
    memory_layout->setContentsMargins(12, 8, 12, 8);
    memory_title_->setObjectName(QStringLiteral("compareMemoryTitle"));
    memory_title_->setWordWrap(true);
    memory_layout->addWidget(memory_title_);
    memory_layout->addWidget(chart_, 1);
    upper->addWidget(memory);
    upper->setSizes({520, 620});
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->addWidget(layers_);
    lower->addWidget(operations_);
    lower->setSizes({570, 570});
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(causes_);
    split->addWidget(lower);
    split->setSizes({330, 150, 260});
    auto* page = new QWidget;
    auto* page_layout = new QVBoxLayout(page);
    page_layout->setContentsMargins(0, 0, 0, 0);
    page_layout->setSpacing(0);
    ipus_->setObjectName(QStringLiteral("compareIpus"));
    ipus_->setToolTip(tr("The IPUs whose layers, operations and tiles are compared"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 16, 0);
    head->addWidget(heading_, 1);
    head->addWidget(ipus_);
    page_layout->addLayout(head);
    page_layout->addWidget(differences_);
    page_layout->addWidget(split, 1);
    auto* empty = new QLabel(tr("<h3>Nothing to compare with yet</h3>"
                                "Choose a base file in the tool bar, or open two files at once:<br>"
                                "<code>tilescope-gui --compare BASE NEW</code>"));
    empty->setAlignment(Qt::AlignCenter);
    stack_->addWidget(empty);
    stack_->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    for (const DataTable* of_layers : {causes_, layers_})
        connect(of_layers, &DataTable::keyChosen, this, [this](std::int64_t layer) { choose(-1, layer); });
    connect(operations_, &DataTable::keyChosen, this, [this](std::int64_t operation) {
        const auto layer = layer_of_operation_.find(operation);
        choose(operation, layer == layer_of_operation_.end() ? -1 : layer->second);
    });
    connect(ipus_, &QComboBox::activated, this, [this] { chooseIpu(ipus_->currentData().toLongLong()); });
    connect(chart_, &TileChart::tilesSelected, this, [this](const std::vector<std::int64_t>& tiles) {
        if (selection() == nullptr)
            return;
        Selection s = selection()->current();
        s.tiles = tiles;
        s.ipu = followed_ipu_ = tiles_ipu_;
        selection()->set(s);
    });
}

void CompareView::startOver(bool /*another*/) {
    ipu_ = analyse::every_ipu;
    busy_ = stale_ = false;
    stack_->setCurrentIndex(sources().base && sources().current ? 1 : 0);
    if (sources().base && sources().current)
        heading_->setText(
            tr("<b>%1</b> (new) against <b>%2</b> (base)")
                .arg(sources().current->name().toHtmlEscaped(), sources().base->name().toHtmlEscaped()));
}

void CompareView::basisChosen() {
    refresh();
}

/// The comparison needs both files: it opens the base beside the new one, on the new one's thread. While one
/// is under way the next waits, so that a file that grows does not keep it from ending.
void CompareView::refresh() {
    if (!sources().base || !sources().current)
        return;
    stale_ = busy_;
    if (busy_)
        return;
    busy_ = true;
    sources().current->ask<Compared>(
        this, QStringLiteral("comparison"),
        [path = sources().base->path().toStdString(), ipu = ipu_,
         per = basis()](const profile::Profile& now) { return read(now, path, ipu, per); },
        [this, ipu = ipu_, per = basis()](const Result<Compared>& compared) {
            busy_ = false;
            if (!compared)
                Q_EMIT message(QString::fromStdString(compared.error().line()));
            else if (ipu == ipu_ && per == basis())
                showComparison(*compared);
            if (stale_)
                refresh();
        });
}

/// The tiles of an IPU, or of the one with the fullest tile of all.
Result<CompareView::Tiles> CompareView::readTiles(const profile::Profile& file, std::int64_t ipu) {
    Tiles tiles{ipu, {}};
    if (ipu == analyse::every_ipu) {
        TRY(const auto fullest, analyse::fullest_tile(file));
        tiles.ipu = fullest ? fullest->ipu : 0;
    }
    TRY(tiles.memory, analyse::memory_parts(file, {tiles.ipu}));
    return tiles;
}

Result<CompareView::Compared> CompareView::read(const profile::Profile& now, const std::string& base_path,
                                                std::int64_t ipu, std::optional<analyse::Basis> basis) {
    TRY(const auto base, profile::Profile::open(base_path));
    TRY(auto comparison, analyse::compare(*base, now, ipu, basis));
    TRY(const auto layers, now.layers());
    TRY(const auto operations, now.operations());
    TRY(const auto ipus, now.ipus());
    TRY(auto tiles, readTiles(now, ipu));
    TRY(auto base_tiles, readTiles(*base, ipu));
    Compared compared{std::move(comparison), {}, {}, {}, {}, std::move(tiles), std::move(base_tiles)};
    for (const auto& layer : layers)
        compared.layers[layer.name] = layer.id;
    for (const auto& operation : operations) {
        compared.operations[operation.name] = operation.id;
        compared.layer_of_operation[operation.id] = operation.layer_id;
    }
    for (const auto& record : ipus)
        compared.ipus.push_back(record.id);
    return compared;
}

void CompareView::chooseIpu(std::int64_t ipu) {
    if (selection() != nullptr && ipu != analyse::every_ipu) {
        Selection s = selection()->current();
        if (s.ipu != ipu)
            s.tiles.clear(); // they were another IPU's
        s.ipu = ipu;
        followed_ipu_ = ipu;
        selection()->set(s);
    }
    if (ipu == ipu_)
        return;
    ipu_ = ipu;
    if (sources().base && sources().current)
        refresh();
}

void CompareView::follow(const Selection& s) {
    if (s.ipu != followed_ipu_) { // chosen in another view
        followed_ipu_ = s.ipu;
        chooseIpu(s.ipu);
    }
    causes_->selectKey(s.layer);
    layers_->selectKey(s.layer);
    operations_->selectKey(s.operation);
    chart_->setSelectedTiles(s.ipu == tiles_ipu_ ? s.tiles : std::vector<std::int64_t>());
}

/// Selects what the new file has; a row of the base alone selects nothing.
void CompareView::choose(std::int64_t operation, std::int64_t layer) {
    if (selection() == nullptr)
        return;
    Selection s = selection()->current();
    s.operation = operation;
    s.layer = layer;
    s.program = s.variable = -1;
    selection()->set(s);
}

void CompareView::showMemory(const Tiles& now, const Tiles& base) {
    tiles_ipu_ = now.ipu;
    chart_->setSeries({{sources().current->name(), &Theme::accent, now.memory.totals()}});
    chart_->setBase(base.memory.totals(), sources().base->name());
    chart_->setLimit(now.memory.bytes_per_tile);
    const QString title = tr("<b>Memory over tiles</b> at each tile's own peak");
    memory_title_->setText(ipus_->count() <= 1 ? title
                           : ipu_ != analyse::every_ipu
                               ? tr("%1, IPU %2").arg(title).arg(ipu_)
                               : tr("%1, of the IPUs with the fullest tile: IPU %2, base IPU %3")
                                     .arg(title)
                                     .arg(now.ipu)
                                     .arg(base.ipu));
}

void CompareView::showIpus(const std::vector<std::int64_t>& ipus) {
    const QSignalBlocker quiet(ipus_);
    ipus_->clear();
    ipus_->addItem(tr("All IPUs"), QVariant::fromValue<qlonglong>(analyse::every_ipu));
    for (const std::int64_t ipu : ipus)
        if (ipus.size() > 1)
            ipus_->addItem(tr("IPU %1").arg(ipu), QVariant::fromValue<qlonglong>(ipu));
    ipus_->setCurrentIndex(std::max(0, ipus_->findData(QVariant::fromValue<qlonglong>(ipu_))));
    ipus_->setVisible(ipus.size() > 1);
}

void CompareView::showComparison(const Compared& compared) {
    const analyse::Comparison& c = compared.comparison;
    layer_of_operation_ = compared.layer_of_operation;
    showIpus(compared.ipus);
    differences_->setText(differencesText(c, sources().base->name(), sources().current->name()));
    std::vector<TableRow> headline;
    for (const auto& d : c.headline)
        headline.push_back({-1,
                            {textCell(QString::fromStdString(d.name)), figureCell(d.base, d.unit),
                             figureCell(d.now, d.unit), changeCell(d)}});
    headline_->setRows(std::move(headline));
    headline_->setCaption(tr("of the whole runs"));
    const QString per = QString::fromStdString(analyse::per(c.basis));
    const QString scope =
        c.ipu == analyse::every_ipu ? tr("%1, one replica").arg(per) : tr("%1, IPU %2").arg(per).arg(c.ipu);
    causes_->setRows(causeRows(c.causes, compared.layers));
    causes_->setCaption(c.causes.empty() ? tr("The IPU time is the same.")
                                         : tr("IPU time %1; the causes add up to its change").arg(scope));
    layers_->setRows(costRows(c.layers, compared.layers));
    layers_->setCaption(scope);
    operations_->setRows(costRows(c.operations, compared.operations));
    operations_->setCaption(tr("%1; %2 added, %3 removed")
                                .arg(scope)
                                .arg(c.added_operations.size())
                                .arg(c.removed_operations.size()));
    showMemory(compared.tiles, compared.base_tiles);
    if (selection() != nullptr)
        follow(selection()->current());
}

} // namespace tilescope::ui
