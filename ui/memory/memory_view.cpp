// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/memory_view.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/widgets/data_table.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::ui {
namespace {

struct Variables {
    std::vector<profile::VariableOnTiles> rows;
    std::map<std::int64_t, QString> layers;
};

Result<Variables> readVariables(const profile::Profile& file, std::int64_t ipu,
                                const std::vector<std::int64_t>& tiles) {
    auto rows = file.variables_on_tiles(ipu, tiles);
    if (!rows)
        return Failure(rows.error());
    const auto layers = file.layers();
    if (!layers)
        return Failure(layers.error());
    Variables result{std::move(*rows), {}};
    for (const auto& layer : *layers)
        result.layers[layer.id] = QString::fromStdString(layer.name);
    return result;
}

QIcon swatch(const QColor& color) {
    QPixmap pixmap(24, 24);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(4, 4, 16, 16, 4, 4);
    return QIcon(pixmap);
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

} // namespace

std::vector<std::int64_t> TileMemory::totals(const std::set<std::string>& hidden,
                                             bool always_live_only) const {
    std::vector<std::int64_t> result(with_gaps.size(), 0);
    for (const Category& category : categories) {
        if (hidden.contains(category.name))
            continue;
        for (std::size_t t = 0; t < result.size(); ++t) {
            result[t] += t < category.always_live.size() ? category.always_live[t] : 0;
            if (!always_live_only && t < category.not_always_live.size())
                result[t] += category.not_always_live[t];
        }
    }
    return result;
}

Result<TileMemory> readTileMemory(const profile::Profile& file, std::int64_t ipu) {
    TileMemory memory;
    const auto target = file.target();
    if (!target)
        return Failure(target.error());
    memory.bytes_per_tile = target->bytes_per_tile;
    auto with_gaps = file.tile_values("memory", 0, ipu, "total_with_gaps");
    if (!with_gaps)
        return Failure(with_gaps.error());
    memory.with_gaps = std::move(*with_gaps);
    const auto categories = file.memory_by_category(ipu);
    if (!categories)
        return Failure(categories.error());
    for (const auto& category : *categories) {
        auto always = file.tile_values("category:" + category.category, 0, ipu, "always_live");
        auto peak = file.tile_values("category:" + category.category, 0, ipu, "not_always_live");
        if (!always || !peak)
            return Failure((!always ? always : peak).error());
        memory.categories.push_back({category.category, std::move(*always), std::move(*peak)});
    }
    std::stable_sort(memory.categories.begin(), memory.categories.end(), [](const auto& a, const auto& b) {
        return sum(a.always_live) + sum(a.not_always_live) > sum(b.always_live) + sum(b.not_always_live);
    });
    return memory;
}

MemoryView::MemoryView(QWidget* parent)
    : View(parent), chart_(new TileChart), map_(new TileMap),
      variables_(new DataTable(
          tr("Variables"),
          {{tr("Name")}, {tr("Layer")}, {tr("Category")}, {tr("Type")}, {tr("Bytes"), true}, {tr("Live")}})),
      headline_(new QLabel), legend_(new QHBoxLayout),
      always_live_only_(new QAction(tr("Always live only"), this)) {
    always_live_only_->setCheckable(true);
    always_live_only_->setToolTip(tr("Leave out what is live for part of the program only (L)"));
    always_live_only_->setShortcut(Qt::Key_L);
    always_live_only_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(always_live_only_);
    auto* top = new QWidget;
    auto* top_layout = new QVBoxLayout(top);
    top_layout->setContentsMargins(16, 12, 16, 8);
    headline_->setForegroundRole(QPalette::PlaceholderText);
    top_layout->addWidget(headline_);
    auto* legend_box = new QWidget; // may be narrower than all its names: the window stays free in its width
    legend_box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    legend_->setSpacing(0);
    legend_->setContentsMargins(0, 0, 0, 0);
    legend_box->setLayout(legend_);
    legend_box->setMinimumHeight(fontMetrics().height() + 10);
    top_layout->addWidget(legend_box);
    auto* pictures = new QSplitter(Qt::Horizontal);
    pictures->addWidget(chart_);
    pictures->addWidget(map_);
    pictures->setStretchFactor(0, 3);
    pictures->setStretchFactor(1, 1);
    pictures->setSizes({800, 280});
    top_layout->addWidget(pictures, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(top);
    split->addWidget(variables_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({420, 300});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
    connect(chart_, &TileChart::tilesSelected, this, &MemoryView::choose);
    connect(map_, &TileMap::tilesSelected, this, &MemoryView::choose);
    connect(always_live_only_, &QAction::toggled, this, &MemoryView::showMemory);
    connect(variables_, &DataTable::keyChosen, this, &MemoryView::chooseVariable);
}

void MemoryView::setSources(const Sources& sources) {
    if (sources_.current)
        sources_.current->disconnect(this);
    sources_ = sources;
    base_ = {};
    if (sources_.current)
        connect(sources_.current.get(), &ProfileSource::changed, this, &MemoryView::ask);
    ask();
}

void MemoryView::setSelection(SelectionModel* selection) {
    selection_ = selection;
    connect(selection_, &SelectionModel::changed, this, &MemoryView::follow);
}

void MemoryView::follow(const Selection& s) {
    chart_->setSelectedTiles(s.tiles);
    map_->setSelectedTiles(s.tiles);
    variables_->selectKey(s.variable);
    markVariables();
    if (s.ipu != shown_.ipu)
        ask();
    else if (s.tiles != shown_.tiles)
        askVariables();
}

void MemoryView::chooseVariable(std::int64_t variable) {
    if (selection_ == nullptr)
        return;
    Selection s = selection_->current();
    s.variable = variable;
    s.operation = s.layer = s.program = -1;
    for (const profile::VariableRecord& v : listed_)
        if (v.id == variable) {
            s.operation = v.operation_id;
            s.layer = v.layer_id;
        }
    selection_->set(s);
}

void MemoryView::markVariables() {
    const Selection s = selection_ == nullptr ? Selection{} : selection_->current();
    std::set<std::int64_t> keys;
    for (const profile::VariableRecord& v : listed_)
        if (s.operation >= 0 ? v.operation_id == s.operation : s.layer >= 0 && v.layer_id == s.layer)
            keys.insert(v.id);
    variables_->markKeys(keys);
}

void MemoryView::choose(const std::vector<std::int64_t>& tiles) {
    if (selection_ == nullptr)
        return;
    Selection s = selection_->current();
    s.tiles = tiles;
    selection_->set(s);
}

void MemoryView::ask() {
    if (!sources_.current)
        return;
    const std::int64_t ipu = selection_ == nullptr ? 0 : selection_->current().ipu;
    const auto query = [ipu](const profile::Profile& file) { return readTileMemory(file, ipu); };
    sources_.current->ask<TileMemory>(
        this, QStringLiteral("memory"), query, [this](Result<TileMemory> memory) {
            if (!memory)
                return Q_EMIT message(QString::fromStdString(memory.error().line()));
            memory_ = std::move(*memory);
            rebuildLegend();
            showMemory();
        });
    if (sources_.base)
        sources_.base->ask<TileMemory>(this, QStringLiteral("memory of base"), query,
                                       [this](Result<TileMemory> memory) {
                                           if (memory)
                                               base_ = std::move(*memory);
                                           showMemory();
                                       });
    askVariables();
}

void MemoryView::askVariables() {
    if (!sources_.current)
        return;
    const Selection s = selection_ == nullptr ? Selection{} : selection_->current();
    shown_ = s;
    sources_.current->ask<Variables>(
        this, QStringLiteral("variables"),
        [ipu = s.ipu, tiles = s.tiles](const profile::Profile& file) {
            return readVariables(file, ipu, tiles);
        },
        [this, tiles = s.tiles](const Result<Variables>& found) {
            if (!found)
                return;
            std::vector<TableRow> rows;
            listed_.clear();
            for (const auto& [variable, bytes] : found->rows) {
                listed_.push_back(variable);
                const auto layer = found->layers.find(variable.layer_id);
                rows.push_back(
                    {variable.id,
                     {textCell(QString::fromStdString(variable.name)),
                      textCell(layer == found->layers.end() ? QString() : layer->second),
                      textCell(QString::fromStdString(variable.category)),
                      textCell(QString::fromStdString(variable.dtype + " " + variable.shape).trimmed()),
                      numberCell(formatBytes(static_cast<double>(bytes)), static_cast<double>(bytes)),
                      numberCell(variable.always_live
                                     ? tr("always")
                                     : tr("steps %1–%2").arg(variable.live_from).arg(variable.live_to),
                                 static_cast<double>(variable.live_from))}});
            }
            variables_->setRows(std::move(rows));
            markVariables();
            variables_->setCaption(
                tiles.empty() ? tr("on all tiles")
                : tiles.size() == 1
                    ? tr("on tile %1").arg(tiles.front())
                    : tr("on %1 tiles, %2 to %3").arg(tiles.size()).arg(tiles.front()).arg(tiles.back()));
        });
}

void MemoryView::rebuildLegend() {
    while (QLayoutItem* item = legend_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const Theme& theme = Theme::of(this);
    int index = 0;
    for (const auto& category : memory_.categories) {
        auto* button = new QToolButton;
        button->setCheckable(true);
        button->setChecked(!hidden_.contains(category.name));
        button->setIcon(swatch(theme.seriesColor(index++)));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setText(QString::fromStdString(category.name));
        button->setToolTip(tr("%1 on all tiles; click to show or hide")
                               .arg(formatBytes(static_cast<double>(sum(category.always_live) +
                                                                    sum(category.not_always_live)))));
        button->setObjectName(QStringLiteral("category"));
        connect(button, &QToolButton::toggled, this, [this, name = category.name](bool shown) {
            if (shown)
                hidden_.erase(name);
            else
                hidden_.insert(name);
            showMemory();
        });
        legend_->addWidget(button);
    }
    legend_->addStretch();
}

void MemoryView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuildLegend();
}

void MemoryView::showMemory() {
    std::vector<TileSeries> series;
    const bool always_only = always_live_only_->isChecked();
    int index = 0;
    for (const auto& category : memory_.categories) {
        const ThemeColor color = ThemeColor::series(index++);
        if (hidden_.contains(category.name))
            continue;
        TileSeries one{QString::fromStdString(category.name), color, category.always_live};
        if (!always_only)
            for (std::size_t t = 0; t < one.values.size() && t < category.not_always_live.size(); ++t)
                one.values[t] += category.not_always_live[t];
        series.push_back(std::move(one));
    }
    chart_->setSeries(std::move(series));
    chart_->setLimit(memory_.bytes_per_tile,
                     tr("tile memory %1").arg(formatBytes(static_cast<double>(memory_.bytes_per_tile))));
    if (sources_.base && !base_.with_gaps.empty())
        chart_->setBase(base_.totals(hidden_, always_only), sources_.base->name());
    else
        chart_->setBase({}, {});
    const std::vector<std::int64_t> totals = memory_.totals(hidden_, always_only);
    map_->setValues(totals, memory_.bytes_per_tile);
    const auto fullest = std::max_element(totals.begin(), totals.end());
    if (totals.empty())
        headline_->setText(tr("This profile holds no tile memory."));
    else
        headline_->setText(tr("%1 on %2 tiles at each tile's own peak  ·  fullest tile %3 with %4 of %5  ·  "
                              "drag to select tiles")
                               .arg(formatBytes(static_cast<double>(sum(totals))),
                                    formatCount(static_cast<std::int64_t>(totals.size())))
                               .arg(fullest - totals.begin())
                               .arg(formatBytes(static_cast<double>(*fullest)),
                                    formatBytes(static_cast<double>(memory_.bytes_per_tile))));
}

} // namespace tilescope::ui
