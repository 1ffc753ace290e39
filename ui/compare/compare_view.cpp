// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_view.h"

#include "analyse/settings.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/first_error.h"
#include "ui/widgets/run_status.h"
#include "ui/widgets/tile_chart.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

namespace tilescope::ui {
namespace {

QString figure(const std::optional<double>& value, const std::string& unit) {
    if (!value)
        return QStringLiteral("–");
    if (unit == "bytes")
        return formatBytes(*value);
    if (unit == "us")
        return formatSeconds(*value * 1e-6);
    if (unit == "s")
        return formatSeconds(*value);
    return formatNumber(*value);
}

QString changeText(const analyse::Difference& d) {
    if (d.wall_time)
        return QObject::tr("wall time");
    const auto percent = d.percent();
    if (!percent)
        return d.change() == 0.0 ? QStringLiteral("=") : QStringLiteral("–");
    if (*percent == 0)
        return QStringLiteral("=");
    return QStringLiteral("%1%2 %")
        .arg(*percent > 0 ? QStringLiteral("+") : QString())
        .arg(*percent, 0, 'f', 1);
}

Cell changeCell(const analyse::Difference& d) {
    return numberCell(changeText(d), std::fabs(d.percent().value_or(0)));
}
Cell figureCell(const std::optional<double>& value, const std::string& unit) {
    return numberCell(figure(value, unit), value.value_or(0));
}

QString text(const std::string& s) {
    return QString::fromStdString(s);
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

} // namespace

CompareView::CompareView(QWidget* parent)
    : View(parent), stack_(new QStackedWidget), heading_(new QLabel), differences_(new QLabel),
      headline_(new DataTable(tr("Figures"), {{tr("Figure")}, {tr("Base")}, {tr("New")}, {tr("Change")}})),
      layers_(new DataTable(tr("Layers"), {{tr("Layer")},
                                           {tr("Cycles, base")},
                                           {tr("new")},
                                           {tr("change")},
                                           {tr("Variables, base")},
                                           {tr("new")},
                                           {tr("change")}})),
      operations_(new DataTable(tr("Operations that differ"), {{tr("Operation")}, {tr("Only in")}})),
      chart_(new TileChart) {
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
    auto* memory_title = new QLabel(tr("<b>Memory over tiles</b> at each tile's own peak"));
    memory_layout->addWidget(memory_title);
    memory_layout->addWidget(chart_, 1);
    upper->addWidget(memory);
    upper->setSizes({520, 620});
    auto* lower = new QSplitter(Qt::Horizontal);
    lower->addWidget(layers_);
    lower->addWidget(operations_);
    lower->setSizes({760, 380});
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(lower);
    split->setSizes({400, 300});
    auto* page = new QWidget;
    auto* page_layout = new QVBoxLayout(page);
    page_layout->setContentsMargins(0, 0, 0, 0);
    page_layout->setSpacing(0);
    page_layout->addWidget(heading_);
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
    connect(layers_, &DataTable::keyChosen, this, [this](std::int64_t layer) { choose(-1, layer); });
    connect(operations_, &DataTable::keyChosen, this, [this](std::int64_t operation) {
        const auto layer = layer_of_operation_.find(operation);
        choose(operation, layer == layer_of_operation_.end() ? -1 : layer->second);
    });
    connect(chart_, &TileChart::tilesSelected, this, [this](const std::vector<std::int64_t>& tiles) {
        if (selection_ == nullptr)
            return;
        Selection s = selection_->current();
        s.tiles = tiles;
        selection_->set(s);
    });
}

void CompareView::setSources(const Sources& sources) {
    sources_ = sources;
    stack_->setCurrentIndex(sources.base && sources.current ? 1 : 0);
    if (!sources.base || !sources.current)
        return;
    heading_->setText(
        tr("<b>%1</b> (new) against <b>%2</b> (base)")
            .arg(sources.current->name().toHtmlEscaped(), sources.base->name().toHtmlEscaped()));
    // The comparison needs both files: it opens the base beside the new one, on the new one's thread.
    sources.current->ask<Named>(
        this, QStringLiteral("comparison"),
        [path = sources.base->path().toStdString()](const profile::Profile& now) { return read(now, path); },
        [this](const Result<Named>& named) {
            if (named)
                showComparison(*named);
            else
                Q_EMIT message(QString::fromStdString(named.error().line()));
        });
    const auto query = [](const profile::Profile& file) { return readTileMemory(file, 0); };
    sources.current->ask<TileMemory>(this, QStringLiteral("memory"), query,
                                     [this](Result<TileMemory> memory) {
                                         if (memory)
                                             now_ = std::move(*memory);
                                         showMemory();
                                     });
    sources.base->ask<TileMemory>(this, QStringLiteral("memory of base"), query,
                                  [this](Result<TileMemory> memory) {
                                      if (memory)
                                          base_ = std::move(*memory);
                                      showMemory();
                                  });
}

Result<CompareView::Named> CompareView::read(const profile::Profile& now, const std::string& base_path) {
    const auto base = profile::Profile::open(base_path);
    if (!base)
        return Failure(base.error());
    auto comparison = analyse::compare(**base, now);
    const auto layers = now.layers();
    const auto operations = now.operations();
    if (const Error* error = first_error(comparison, layers, operations))
        return Failure(*error);
    Named named{std::move(*comparison), {}, {}};
    for (const auto& layer : *layers)
        named.layers[layer.name] = layer.id;
    for (const auto& operation : *operations)
        named.operations[operation.name] = {operation.id, operation.layer_id};
    return named;
}

void CompareView::setSelection(SelectionModel* selection) {
    selection_ = selection;
    connect(selection_, &SelectionModel::changed, this, &CompareView::follow);
}

void CompareView::follow(const Selection& s) {
    layers_->selectKey(s.layer);
    operations_->selectKey(s.operation);
    chart_->setSelectedTiles(s.tiles);
}

/// Selects what the new file has; a row of the base alone selects nothing.
void CompareView::choose(std::int64_t operation, std::int64_t layer) {
    if (selection_ == nullptr)
        return;
    Selection s = selection_->current();
    s.operation = operation;
    s.layer = layer;
    s.program = s.variable = -1;
    selection_->set(s);
}

void CompareView::showMemory() {
    chart_->setSeries({{sources_.current->name(), &Theme::accent, now_.totals({}, false)}});
    chart_->setBase(base_.totals({}, false), sources_.base->name());
    chart_->setLimit(now_.bytes_per_tile, tr("tile memory"));
}

void CompareView::showComparison(const Named& named) {
    const analyse::Comparison& c = named.comparison;
    differences_->setText(differencesText(c, sources_.base->name(), sources_.current->name()));
    std::vector<TableRow> headline;
    for (const auto& d : c.headline)
        headline.push_back({-1,
                            {textCell(QString::fromStdString(d.name)), figureCell(d.base, d.unit),
                             figureCell(d.now, d.unit), changeCell(d)}});
    headline_->setRows(std::move(headline));
    std::vector<TableRow> layers;
    for (const auto& l : c.layers) {
        const auto id = named.layers.find(l.name);
        layers.push_back(
            {id == named.layers.end() ? -1 : id->second,
             {textCell(QString::fromStdString(l.name)), figureCell(l.cycles.base, "cycles"),
              figureCell(l.cycles.now, "cycles"), changeCell(l.cycles), figureCell(l.memory.base, "bytes"),
              figureCell(l.memory.now, "bytes"), changeCell(l.memory)}});
    }
    layers_->setRows(std::move(layers));
    layers_->setCaption(tr("in one step"));
    std::vector<TableRow> operations;
    layer_of_operation_.clear();
    for (const auto& [name, ids] : named.operations)
        layer_of_operation_[ids.first] = ids.second;
    for (const auto& name : c.added_operations)
        operations.push_back(
            {named.operations.at(name).first, {textCell(QString::fromStdString(name)), textCell(tr("new"))}});
    for (const auto& name : c.removed_operations)
        operations.push_back({-1, {textCell(QString::fromStdString(name)), textCell(tr("base"))}});
    operations_->setCaption(
        operations.empty()
            ? tr("none: both graphs have the same operations")
            : tr("%1 added, %2 removed").arg(c.added_operations.size()).arg(c.removed_operations.size()));
    operations_->setRows(std::move(operations));
}

} // namespace tilescope::ui
