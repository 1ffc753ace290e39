// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/memory_view.h"

#include "base/try.h"
#include "ui/session/format.h"
#include "ui/theme/theme.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <numeric>

namespace tilescope::ui {

/// What is on the selected tiles, and when the most of it is live.
struct ListedVariables {
    std::int64_t ipu = 0;
    std::vector<std::int64_t> tiles; ///< empty: all of the IPU
    std::vector<profile::VariableOnTiles> rows;
    std::map<std::int64_t, QString> layers;
    analyse::LivePeak peak;
    QString peak_step; ///< its name
};

namespace {

Result<ListedVariables> readVariables(const profile::Profile& file, std::int64_t ipu,
                                      const std::vector<std::int64_t>& tiles) {
    TRY(auto rows, file.variables_on_tiles(ipu, tiles));
    TRY(const auto layers, file.layers());
    ListedVariables result{ipu, tiles, std::move(rows), {}, {}, {}};
    for (const auto& layer : layers)
        result.layers[layer.id] = QString::fromStdString(layer.name);
    result.peak = analyse::live_peak(result.rows);
    const auto name = file.query("SELECT p.name FROM liveness l JOIN program p ON p.id = l.program_id "
                                 "WHERE l.ipu = " +
                                 std::to_string(ipu) + " AND l.step = " + std::to_string(result.peak.step));
    if (name && !name->rows.empty() && name->rows[0][0].text)
        result.peak_step = QString::fromStdString(*name->rows[0][0].text);
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

QString bytesText(std::int64_t bytes) {
    return formatBytes(static_cast<double>(bytes));
}

/// Appends the values of one IPU's tiles to those of the IPUs before it.
Result<void> append(const profile::Profile& file, const std::string& entity, std::int64_t ipu,
                    const std::string& metric, std::size_t before, std::size_t tiles,
                    std::vector<std::int64_t>& values) {
    TRY(const auto of_ipu, file.tile_values(entity, 0, ipu, metric));
    values.resize(before, 0);
    values.insert(values.end(), of_ipu.begin(), of_ipu.end());
    values.resize(before + tiles, 0);
    return {};
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
    TRY(const auto target, file.target());
    memory.bytes_per_tile = target.bytes_per_tile;
    memory.tiles_per_ipu = target.tiles_per_ipu;
    TRY(const auto ipus, file.ipus());
    memory.run_ipus = static_cast<std::int64_t>(ipus.size());
    for (const auto& one : ipus)
        if (ipu == all_ipus || one.id == ipu)
            memory.ipus.push_back(one.id);
    TRY(auto fullest, analyse::fullest_tile(file));
    memory.fullest = fullest;
    if (!memory.fullest)
        return memory;
    TRY(const auto live, file.tile_values("memory", 0, memory.fullest->ipu, "total"));
    if (const auto tile = static_cast<std::size_t>(memory.fullest->tile); tile < live.size())
        memory.fullest_live = live[tile];
    const auto tiles = static_cast<std::size_t>(memory.tiles_per_ipu);
    for (const QString& name : memoryCategories())
        memory.categories.push_back({name.toStdString(), {}, {}});
    for (std::size_t i = 0; i < memory.ipus.size(); ++i) {
        const std::int64_t id = memory.ipus[i];
        TRY(append(file, "memory", id, "total_with_gaps", i * tiles, tiles, memory.with_gaps));
        TRY(const auto categories, file.memory_by_category(id));
        for (const auto& category : categories) {
            auto known = std::find_if(memory.categories.begin(), memory.categories.end(),
                                      [&](const auto& c) { return c.name == category.category; });
            if (known == memory.categories.end())
                known = memory.categories.insert(known, {category.category, {}, {}});
            const std::string entity = "category:" + category.category;
            TRY(append(file, entity, id, "always_live", i * tiles, tiles, known->always_live));
            TRY(append(file, entity, id, "not_always_live", i * tiles, tiles, known->not_always_live));
        }
    }
    std::erase_if(memory.categories,
                  [](const auto& c) { return sum(c.always_live) + sum(c.not_always_live) == 0; });
    return memory;
}

MemoryView::MemoryView(QWidget* parent)
    : View(parent), ipus_(new QComboBox), tiles_(new QLineEdit), wrong_(new QLabel), chart_(new TileChart),
      map_(new TileMap),
      variables_(new DataTable(
          tr("Variables"),
          {{tr("Name")}, {tr("Layer")}, {tr("Category")}, {tr("Type")}, {tr("Bytes"), true}, {tr("Live")}})),
      headline_(new QLabel), legend_(new QWidget), always_live_only_(nullptr), ever_(nullptr) {
    auto* top = new QWidget;
    auto* top_layout = new QVBoxLayout(top);
    top_layout->setContentsMargins(16, 10, 16, 8);
    headline_->setObjectName(QStringLiteral("memoryHeadline"));
    headline_->setWordWrap(true);
    top_layout->addWidget(headline_);
    top_layout->addWidget(makeBar());
    auto* pictures = new QSplitter(Qt::Horizontal);
    pictures->addWidget(chart_);
    pictures->addWidget(map_);
    pictures->setStretchFactor(0, 3);
    pictures->setStretchFactor(1, 1);
    pictures->setSizes({780, 300});
    top_layout->addWidget(pictures, 1);
    legend_->setLayout(new FlowLayout(2, 0));
    QSizePolicy lines(QSizePolicy::Ignored, QSizePolicy::Preferred); // names wrap: none of them is cut
    lines.setHeightForWidth(true);
    legend_->setSizePolicy(lines);
    top_layout->addWidget(legend_);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(top);
    split->addWidget(variables_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({440, 280});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
    setFocusProxy(chart_);
    makeActions();
    connect(chart_, &TileChart::tilesSelected, this, &MemoryView::choose);
    connect(map_, &TileMap::tilesSelected, this, &MemoryView::choose);
    connect(variables_, &DataTable::keyChosen, this, &MemoryView::chooseVariable);
}

/// Of which IPU and tiles.
QWidget* MemoryView::makeBar() {
    ipus_->setObjectName(QStringLiteral("memoryIpus"));
    ipus_->setToolTip(tr("Whose tiles are shown"));
    tiles_->setObjectName(QStringLiteral("memoryTiles"));
    tiles_->setPlaceholderText(tr("all"));
    tiles_->setToolTip(tr("Tiles by number: 0-63, 700 or IPU 3: 45 or fullest or fullest 5"));
    tiles_->setClearButtonEnabled(true);
    tiles_->setMaximumWidth(fontMetrics().averageCharWidth() * 34);
    wrong_->setProperty("error", QStringLiteral("text"));
    wrong_->setObjectName(QStringLiteral("memoryWrongTiles"));
    auto* bar = new QWidget;
    auto* line = new QHBoxLayout(bar);
    line->setContentsMargins(0, 2, 0, 2);
    line->addWidget(new QLabel(tr("IPUs")));
    line->addWidget(ipus_);
    line->addSpacing(12);
    line->addWidget(new QLabel(tr("Tiles")));
    line->addWidget(tiles_, 1);
    line->addWidget(wrong_, 1);
    line->addStretch();
    connect(ipus_, qOverload<int>(&QComboBox::activated), this,
            [this] { chooseIpu(ipus_->currentData().toLongLong()); });
    connect(tiles_, &QLineEdit::editingFinished, this, &MemoryView::chooseTyped);
    return bar;
}

void MemoryView::makeActions() {
    addViewAction(this, tr("Fullest tile"), QStringLiteral("up"), Qt::Key_X,
                  tr("Go to the fullest tile of the run (X)"), [this] { goToFullest(); });
    const auto toggle = [this](const QString& text, Qt::Key key, const QString& tip, auto changed) {
        auto* action = new QAction(text, this);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        connect(action, &QAction::toggled, this, changed);
        return action;
    };
    always_live_only_ =
        toggle(tr("Always live only"), Qt::Key_L,
               tr("Leave out what is live for part of the program only (L)"), [this] { showMemory(); });
    ever_ =
        toggle(tr("Variables that are ever live"), Qt::Key_E,
               tr("List every variable that is ever on these tiles, not only those live at their peak (E)"),
               [this] { askVariables(); });
}

void MemoryView::startOver(bool another) {
    base_ = {};
    if (another) {
        ipu_ = all_ipus;
        memory_ = {};
    }
}

void MemoryView::follow(const Selection& s) {
    const bool elsewhere = s.ipu != shown_.ipu && ipu_ != all_ipus && ipu_ != s.ipu;
    const bool other_tiles = s.ipu != shown_.ipu || s.tiles != shown_.tiles;
    if (elsewhere)
        chooseIpu(s.ipu);
    markTiles();
    variables_->selectKey(s.variable);
    markVariables();
    if (other_tiles && !elsewhere)
        askVariables();
}

void MemoryView::chooseIpu(std::int64_t ipu) {
    ipu_ = ipu;
    if (ipu != all_ipus && selection() != nullptr && selection()->current().ipu != ipu)
        select(ipu, {});
    refresh();
}

void MemoryView::select(std::int64_t ipu, const std::vector<std::int64_t>& tiles) {
    if (selection() == nullptr)
        return;
    Selection s = selection()->current();
    s.ipu = ipu;
    s.tiles = tiles;
    selection()->set(s);
}

/// Tiles of several IPUs are those of the first.
void MemoryView::choose(const std::vector<std::int64_t>& tiles) {
    const std::int64_t per = std::max<std::int64_t>(1, memory_.tiles_per_ipu);
    if (tiles.empty() || memory_.ipus.empty())
        return select(selection() == nullptr ? 0 : selection()->current().ipu, {});
    const std::int64_t block = tiles.front() / per;
    std::vector<std::int64_t> within;
    for (const std::int64_t tile : tiles)
        if (tile / per == block)
            within.push_back(tile % per);
    select(memory_.ipus[std::min(memory_.ipus.size() - 1, static_cast<std::size_t>(block))], within);
}

void MemoryView::chooseTyped() {
    const TileChoice choice = parseTiles(tiles_->text(), memory_.tiles_per_ipu, memory_.run_ipus);
    wrong_->setText(choice.error);
    if (!choice.error.isEmpty() || selection() == nullptr)
        return;
    if (choice.fullest == 1 && choice.ipu < 0)
        return goToFullest();
    const std::int64_t ipu = choice.ipu >= 0    ? choice.ipu
                             : ipu_ != all_ipus ? ipu_
                                                : selection()->current().ipu;
    std::vector<std::int64_t> tiles = choice.tiles;
    if (choice.fullest > 0) {
        const auto shown = std::find(memory_.ipus.begin(), memory_.ipus.end(), ipu);
        if (shown == memory_.ipus.end())
            return wrong_->setText(tr("show IPU %1 first").arg(ipu));
        const auto first = static_cast<std::size_t>((shown - memory_.ipus.begin()) * memory_.tiles_per_ipu);
        tiles.resize(static_cast<std::size_t>(memory_.tiles_per_ipu));
        std::iota(tiles.begin(), tiles.end(), std::int64_t{0});
        std::stable_sort(tiles.begin(), tiles.end(), [&](std::int64_t a, std::int64_t b) {
            return memory_.with_gaps[first + static_cast<std::size_t>(a)] >
                   memory_.with_gaps[first + static_cast<std::size_t>(b)];
        });
        tiles.resize(std::min(tiles.size(), static_cast<std::size_t>(choice.fullest)));
        std::sort(tiles.begin(), tiles.end());
    }
    select(ipu, tiles);
}

void MemoryView::goToFullest() {
    if (memory_.fullest)
        select(memory_.fullest->ipu, {memory_.fullest->tile});
}

/// The selection's tiles, numbered through what is shown.
void MemoryView::markTiles() {
    if (selection() == nullptr)
        return;
    const Selection& s = selection()->current();
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < memory_.ipus.size(); ++i)
        if (memory_.ipus[i] == s.ipu)
            for (const std::int64_t tile : s.tiles)
                places.push_back(static_cast<std::int64_t>(i) * memory_.tiles_per_ipu + tile);
    chart_->setSelectedTiles(places);
    map_->setSelectedTiles(places);
    if (!tiles_->hasFocus() || !s.tiles.empty())
        tiles_->setText(s.tiles.empty()
                            ? QString()
                            : tilesText(memory_.run_ipus > 1 ? s.ipu : std::int64_t{-1}, s.tiles));
    wrong_->clear();
}

void MemoryView::chooseVariable(std::int64_t variable) {
    if (selection() == nullptr)
        return;
    Selection s = selection()->current();
    s.variable = variable;
    s.operation = s.layer = s.program = -1;
    for (const profile::VariableRecord& v : listed_)
        if (v.id == variable) {
            s.operation = v.operation_id;
            s.layer = v.layer_id;
        }
    selection()->set(s);
}

void MemoryView::markVariables() {
    const Selection s = selection() == nullptr ? Selection{} : selection()->current();
    std::set<std::int64_t> keys;
    for (const profile::VariableRecord& v : listed_)
        if (s.operation >= 0 ? v.operation_id == s.operation : s.layer >= 0 && v.layer_id == s.layer)
            keys.insert(v.id);
    variables_->markKeys(keys);
}

void MemoryView::refresh() {
    if (!sources().current)
        return;
    const auto query = [ipu = ipu_](const profile::Profile& file) { return readTileMemory(file, ipu); };
    sources().current->ask<TileMemory>(
        this, QStringLiteral("memory"), query, [this](Result<TileMemory> memory) {
            if (!memory)
                return Q_EMIT message(QString::fromStdString(memory.error().line()));
            memory_ = std::move(*memory);
            fillIpus();
            rebuildLegend();
            showMemory();
            markTiles();
        });
    if (sources().base)
        sources().base->ask<TileMemory>(this, QStringLiteral("memory of base"), query,
                                        [this](Result<TileMemory> memory) {
                                            if (memory)
                                                base_ = std::move(*memory);
                                            showMemory();
                                        });
    askVariables();
}

void MemoryView::fillIpus() {
    if (ipus_->count() != memory_.run_ipus + (memory_.run_ipus > 1 ? 1 : 0)) {
        ipus_->clear();
        if (memory_.run_ipus > 1)
            ipus_->addItem(tr("all %1").arg(memory_.run_ipus), static_cast<qlonglong>(all_ipus));
        for (std::int64_t ipu = 0; ipu < memory_.run_ipus; ++ipu)
            ipus_->addItem(tr("IPU %1").arg(ipu), static_cast<qlonglong>(ipu));
    }
    ipus_->setEnabled(memory_.run_ipus > 1);
    ipus_->setCurrentIndex(std::max(0, ipus_->findData(static_cast<qlonglong>(ipu_))));
}

void MemoryView::askVariables() {
    if (!sources().current)
        return;
    const Selection s = selection() == nullptr ? Selection{} : selection()->current();
    shown_ = s;
    variables_->setCaption(tr("computing…"));
    sources().current->ask<ListedVariables>(
        this, QStringLiteral("variables"),
        [ipu = s.ipu, tiles = s.tiles](const profile::Profile& file) {
            return readVariables(file, ipu, tiles);
        },
        [this](const Result<ListedVariables>& found) {
            if (found)
                return showVariables(*found);
            variables_->setCaption(QString::fromStdString(found.error().line()));
        });
}

void MemoryView::showVariables(const ListedVariables& found) {
    std::vector<TableRow> rows;
    listed_.clear();
    std::int64_t all = 0;
    for (const auto& [variable, bytes] : found.rows) {
        if (!ever_->isChecked() && !analyse::live_at(variable, found.peak.step))
            continue;
        all += bytes;
        listed_.push_back(variable);
        const auto layer = found.layers.find(variable.layer_id);
        rows.push_back(
            {variable.id,
             {textCell(QString::fromStdString(variable.name)),
              textCell(layer == found.layers.end() ? QString() : layer->second),
              textCell(QString::fromStdString(to_string(variable.category))),
              textCell(QString::fromStdString(variable.dtype + " " + variable.shape).trimmed()),
              numberCell(bytesText(bytes), static_cast<double>(bytes)),
              numberCell(
                  variable.always_live
                      ? tr("always")
                      : tr("steps %1–%2").arg(formatCount(variable.live_from), formatCount(variable.live_to)),
                  static_cast<double>(variable.live_from))}});
    }
    const QString count = formatCount(static_cast<std::int64_t>(rows.size()));
    const QString where = found.tiles.empty() ? tr("on IPU %1").arg(found.ipu)
                          : found.tiles.size() == 1
                              ? tr("on IPU %1 tile %2").arg(found.ipu).arg(found.tiles[0])
                              : tr("on %1 tiles of IPU %2").arg(found.tiles.size()).arg(found.ipu);
    variables_->setRows(std::move(rows));
    markVariables();
    variables_->setCaption(
        found.rows.empty() ? where
        : ever_->isChecked()
            ? tr("ever live %1: %2; their bytes are not live together").arg(where, count)
            : tr("live %1 at its peak, step %2%3: %4 of them, together %5")
                  .arg(where, formatCount(found.peak.step),
                       found.peak_step.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(found.peak_step),
                       count, bytesText(all)));
}

void MemoryView::rebuildLegend() {
    while (QLayoutItem* item = legend_->layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const Theme& theme = Theme::of(this);
    for (const auto& category : memory_.categories) {
        const QString name = QString::fromStdString(category.name);
        auto* button = new QToolButton;
        button->setCheckable(true);
        button->setChecked(!hidden_.contains(category.name));
        button->setIcon(swatch(ThemeColor::category(name).in(theme)));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setText(name);
        button->setToolTip(tr("%1 on the tiles shown; click to show or hide")
                               .arg(bytesText(sum(category.always_live) + sum(category.not_always_live))));
        button->setObjectName(QStringLiteral("category"));
        connect(button, &QToolButton::toggled, this, [this, name = category.name](bool shown) {
            if (shown)
                hidden_.erase(name);
            else
                hidden_.insert(name);
            showMemory();
        });
        legend_->layout()->addWidget(button);
    }
    legend_->updateGeometry();
}

void MemoryView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuildLegend();
}

void MemoryView::showMemory() {
    std::vector<TileSeries> series;
    const bool always_only = always_live_only_->isChecked();
    for (const auto& category : memory_.categories) {
        if (hidden_.contains(category.name))
            continue;
        const QString name = QString::fromStdString(category.name);
        TileSeries one{name, ThemeColor::category(name), category.always_live};
        if (!always_only)
            for (std::size_t t = 0; t < one.values.size() && t < category.not_always_live.size(); ++t)
                one.values[t] += category.not_always_live[t];
        series.push_back(std::move(one));
    }
    chart_->setSeries(std::move(series));
    chart_->setIpus(memory_.ipus);
    chart_->setGaps(hidden_.empty() && !always_only ? memory_.with_gaps : std::vector<std::int64_t>{});
    chart_->setLimit(memory_.bytes_per_tile);
    if (sources().base && !base_.with_gaps.empty())
        chart_->setBase(base_.totals(hidden_, always_only), sources().base->name());
    else
        chart_->setBase({}, {});
    map_->setValues(memory_.totals(hidden_, always_only), memory_.bytes_per_tile, memory_.ipus);
    showHeadline();
}

/// The fullest tile of the run, and what all tiles that are shown hold.
void MemoryView::showHeadline() {
    if (!memory_.fullest)
        return headline_->setText(tr("This profile holds no tile memory."));
    const analyse::FullestTile& fullest = *memory_.fullest;
    const auto share = static_cast<double>(fullest.bytes) /
                       static_cast<double>(std::max<std::int64_t>(1, memory_.bytes_per_tile));
    const std::vector<std::int64_t> totals = memory_.totals(hidden_, always_live_only_->isChecked());
    const QString shown = ipu_ == all_ipus && memory_.run_ipus > 1
                              ? tr("all %1 IPUs").arg(memory_.run_ipus)
                              : tr("IPU %1").arg(memory_.ipus.empty() ? 0 : memory_.ipus.front());
    headline_->setText(
        tr("<b>IPU %1 tile %2</b> is the fullest of the run: %3 of %4 with gaps (%5), %6 live at its "
           "peak.  Shown: %7, %8 on %9 tiles, each at its own peak.")
            .arg(fullest.ipu)
            .arg(fullest.tile)
            .arg(bytesText(fullest.bytes), bytesText(memory_.bytes_per_tile), formatPercent(share),
                 bytesText(memory_.fullest_live), shown, bytesText(sum(totals)),
                 formatCount(static_cast<std::int64_t>(totals.size()))));
}

} // namespace tilescope::ui
