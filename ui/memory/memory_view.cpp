// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memory/memory_view.h"

#include "base/try.h"
#include "memory_bar.h"
#include "profile/lookup.h"
#include "tile_queries.h"
#include "tile_tabs.h"
#include "ui/session/format.h"
#include "ui/session/ipu_choices.h"
#include "ui/session/subject_menu.h"
#include "ui/theme/whole_figures.h"
#include "ui/tiles/shade.h"
#include "ui/tiles/tile_chart.h"
#include "ui/tiles/tile_map.h"
#include "ui/tiles/tile_order.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/cpu_run.h"
#include "ui/widgets/joining_split.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/view_action.h"
#include "ui/widgets/yielding_split.h"

#include <QAction>
#include <QJsonObject>
#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t most_drawn = 8; ///< variables that bars are parted by

/// The place of a program step in the order of execution; -1: it has none.
std::int64_t stepOf(const profile::Profile& file, std::int64_t program) {
    return program < 0 ? -1 : profile::liveness_step(file, program).value_or(-1);
}

/// Categories in their order, from the bottom of a bar to its top; others on top of them.
void order(std::vector<analyse::MemoryParts::Part>& parts) {
    const auto place = [](const analyse::MemoryParts::Part& part) {
        const auto* category = std::get_if<MemoryCategory>(&part.what);
        return category == nullptr ? memoryCategories().end()
                                   : std::ranges::find(memoryCategories(), *category);
    };
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

} // namespace

MemoryView::MemoryView(QWidget* parent)
    : View(parent), headline_(new QLabel), bar_(new MemoryBar), chart_(new TileChart), map_(new TileMap),
      legend_(new Legend([this](const ChartStyle&) { return legendEntries(); })), tabs_(new TileTabs) {
    auto* top = new QWidget;
    auto* top_layout = new QVBoxLayout(top);
    top_layout->setContentsMargins(16, 10, 16, 8);
    headline_->setObjectName(QStringLiteral("memoryHeadline"));
    headline_->setTextFormat(Qt::RichText);
    headline_->setWordWrap(true);
    top_layout->addWidget(headline_);
    QSizePolicy lines(QSizePolicy::Ignored, QSizePolicy::Preferred); // what they hold wraps: nothing is cut
    lines.setHeightForWidth(true);
    bar_->setSizePolicy(lines);
    top_layout->addWidget(bar_);
    auto* charts = new QTabWidget;
    charts->setObjectName(QStringLiteral("memoryPictures"));
    charts->setDocumentMode(true);
    charts->setTabBarAutoHide(true); // where the floor plan has its place beside the chart
    charts->addTab(chart_, tr("Memory per tile"));
    constexpr int least_lines = 68;
    auto* pictures = new JoiningSplit(Qt::Horizontal, map_, JoiningSplit::Side::Behind, tr("Floor plan"),
                                      charts, least_lines);
    const auto lead = [this, charts] { setFocusProxy(charts->currentWidget()); };
    connect(charts, &QTabWidget::currentChanged, this, lead);
    connect(pictures, &JoiningSplit::arranged, this, lead);
    pictures->setStretchFactor(0, 3);
    pictures->setStretchFactor(1, 1);
    pictures->setSizes({760, 320});
    top_layout->addWidget(pictures, 1);
    legend_->setSizePolicy(lines);
    top_layout->addWidget(legend_);
    constexpr int least_height = 620; // with what stands above and below the pictures
    auto* split = new YieldingSplit(top, tabs_, least_height);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({440, 300});
    pages_ = new PageStack(split, this);
    pages_->showPage();
    setFocusProxy(chart_);
    makeActions();
    legend_->setObjectName(QStringLiteral("memoryLegend"));
    legend_->setControlling();
    connect(legend_, &Legend::hiddenChanged, this, [this](const QStringList& parts) {
        hidden_.clear();
        for (const QString& part : parts)
            hidden_.insert(part.toStdString());
        showParts();
    });
    connect(bar_, &MemoryBar::ipuChosen, this, &MemoryView::chooseIpu);
    connect(bar_, &MemoryBar::tilesTyped, this, &MemoryView::chooseTyped);
    connect(bar_, &MemoryBar::tilesLeft, this, qOverload<>(&QWidget::setFocus));
    connect(bar_, &MemoryBar::askedAnew, this, &MemoryView::askParts);
    connect(bar_, &MemoryBar::drawnAnew, this, &MemoryView::showParts);
    connect(bar_, &MemoryBar::orderChosen, this, [this] { SharedTileOrder::get().set(bar_->order()); });
    connect(chart_, &TileChart::tilesSelected, this, &MemoryView::chooseInChart);
    connect(map_, &TileMap::tilesSelected, this, &MemoryView::choose);
    for (QWidget* tiles : {static_cast<QWidget*>(chart_), static_cast<QWidget*>(map_)})
        markExport(addKeyAction(tiles, tr("Open as SQL"), {},
                                [this] { Q_EMIT sqlRequested(tilesSql(shown_.ipu)); }));
    const auto go_on = [this] { Q_EMIT viewRequested(QStringLiteral("liveness")); };
    connect(tabs_, &TileTabs::variableActivated, this, go_on);
    connect(chart_, &TileChart::tileActivated, this, go_on);
    connect(map_, &TileMap::tileActivated, this, go_on);
    makeMenu();
    connect(tabs_, &TileTabs::sqlWanted, this, &View::sqlRequested);
    connect(tabs_, &TileTabs::variableChosen, this, &MemoryView::chooseVariable);
    connect(tabs_, &TileTabs::stepChosen, this, [this](std::int64_t program) {
        if (selection() == nullptr || program < 0)
            return;
        Selection s = selection()->current();
        s.program = program;
        selection()->set(s);
    });
    connect(tabs_, &TileTabs::operationChosen, this, [this](std::int64_t operation) {
        if (selection() == nullptr || operation < 0)
            return;
        Selection s = selection()->current();
        s.operation = operation;
        s.layer = s.program = s.variable = -1;
        selection()->set(s);
    });
}

QJsonObject MemoryView::saveState() const {
    return {{QStringLiteral("order"), static_cast<int>(bar_->order())},
            {QStringLiteral("fold"), fold_->isChecked()},
            {QStringLiteral("by number"), by_number_->isChecked()},
            {QStringLiteral("gaps"), bar_->gaps()}};
}

void MemoryView::restoreState(const QJsonObject& state) {
    bar_->setOrder(state[QStringLiteral("order")].toInt() == 1 ? analyse::TileOrder::Numeric
                                                               : analyse::TileOrder::Physical);
    SharedTileOrder::get().set(bar_->order());
    fold_->setChecked(state[QStringLiteral("fold")].toBool(true));
    by_number_->setChecked(state[QStringLiteral("by number")].toBool());
    bar_->setGaps(state[QStringLiteral("gaps")].toBool(true));
}

void MemoryView::startOver(bool another) {
    base_ = {};
    asked_ = false;
    if (another) {
        chosen_ipu_.forget();
        settled_ = false;
        ipu_ = program_ = -1;
        drawn_.clear();
        parts_ = {};
        pages_->showText(sources().current ? tr("Reading the memory …") : QString());
    }
}

void MemoryView::refresh() {
    if (!sources().current)
        return;
    askParts();
    askTabs();
    askOverlay();
}

void MemoryView::basisChosen() {
    askTabs();
    tellDetails();
}

void MemoryView::follow(const Selection& s) {
    chosen_ipu_.in(s);
    const bool elsewhere = s.ipu != shown_.ipu && ipu_ >= 0 && ipu_ != s.ipu;
    const bool other_tiles = !asked_ || s.ipu != shown_.ipu || s.tiles != shown_.tiles;
    const bool other_variable = s.variable != shown_.variable;
    const bool other_step = s.program != program_;
    program_ = s.program;
    tabs_->selectVariable(s.variable);
    tabs_->markVariables(s.operation, s.layer);
    if (elsewhere)
        return showIpu(s.ipu);
    markTiles();
    if (other_tiles)
        askTabs();
    if (other_variable)
        askOverlay();
    if (other_tiles || other_variable)
        tellDetails();
    if (other_step && sources().current && bar_->when() == analyse::LiveWhen::Step)
        askParts();
    else if (other_step && sources().current)
        askStep();
}

void MemoryView::chooseIpu(std::int64_t ipu) {
    ipu_ = ipu;
    if (ipu >= 0)
        chosen_ipu_.choose();
    if (ipu >= 0 && selection() != nullptr) {
        Selection s = selection()->current();
        s.lookAt(ipu);
        selection()->set(s);
    }
    refresh();
}

void MemoryView::showIpu(std::int64_t ipu) {
    ipu_ = ipu;
    refresh();
}

void MemoryView::select(std::int64_t ipu, const std::vector<std::int64_t>& tiles) {
    if (selection() == nullptr)
        return;
    Selection s = selection()->current();
    s.lookAt(ipu, tiles);
    selection()->set(s);
}

/// Tiles of several IPUs are those of the first.
void MemoryView::choose(const std::vector<std::int64_t>& tiles) {
    const std::int64_t per = std::max<std::int64_t>(1, parts_.tiles_per_ipu);
    if (tiles.empty() || parts_.ipus.empty())
        return select(0, {});
    const std::int64_t block = tiles.front() / per;
    std::vector<std::int64_t> within;
    for (const std::int64_t tile : tiles)
        if (tile / per == block)
            within.push_back(tile % per);
    select(parts_.ipus[std::min(parts_.ipus.size() - 1, static_cast<std::size_t>(block))], within);
}

void MemoryView::chooseTyped(const QString& typed) {
    const TileChoice choice = parseTiles(typed, parts_.tiles_per_ipu, idsOf(parts_.of_run));
    bar_->setWrong(choice.error);
    if (!choice.error.isEmpty() || selection() == nullptr)
        return;
    if (choice.fullest == 1 && choice.ipu < 0)
        return goToFullest(false);
    const std::int64_t ipu = choice.ipu >= 0 ? choice.ipu : ipu_ >= 0 ? ipu_ : selection()->current().ipu;
    std::vector<std::int64_t> tiles = choice.tiles;
    if (choice.fullest > 0) {
        const auto shown = std::find(parts_.ipus.begin(), parts_.ipus.end(), ipu);
        if (shown == parts_.ipus.end())
            return bar_->setWrong(tr("show IPU %1 first").arg(ipu));
        const auto first = parts_.with_gaps.begin() + (shown - parts_.ipus.begin()) * parts_.tiles_per_ipu;
        tiles = analyse::fullest_tiles({first, first + parts_.tiles_per_ipu},
                                       static_cast<std::size_t>(choice.fullest));
    }
    Selection s = selection()->current();
    if (choice.ipu >= 0)
        s.lookAt(ipu);
    s.lookAt(ipu, tiles);
    selection()->set(s);
}

void MemoryView::goToFullest(bool of_another_ipu) {
    const auto& fullest = parts_.fullest;
    if (fullest.empty())
        return;
    const std::int64_t here = selection() == nullptr ? -1 : selection()->current().ipu;
    auto next = fullest.begin();
    if (of_another_ipu) {
        next =
            std::find_if(fullest.begin(), fullest.end(), [&](const auto& tile) { return tile.ipu == here; });
        next = next == fullest.end() || next + 1 == fullest.end() ? fullest.begin() : next + 1;
    }
    select(next->ipu, {next->tile});
}

/// The selection's tiles, numbered through what is shown.
void MemoryView::markTiles() {
    if (selection() == nullptr)
        return;
    const Selection& s = selection()->current();
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < parts_.ipus.size(); ++i)
        if (parts_.ipus[i] == s.ipu)
            for (const std::int64_t tile : s.tiles)
                places.push_back(static_cast<std::int64_t>(i) * parts_.tiles_per_ipu + tile);
    chart_->setSelectedTiles(isByNumber() ? s.tiles : places);
    map_->setSelectedTiles(places);
    bar_->setTiles(s.tiles.empty() ? QString()
                                   : tilesText(parts_.run_ipus() > 1 ? s.ipu : std::int64_t{-1}, s.tiles));
}

void MemoryView::chooseVariable(std::int64_t variable) {
    if (selection() == nullptr)
        return;
    Selection s = selection()->current();
    s.variable = variable;
    s.operation = s.layer = s.program = -1;
    for (const profile::VariableRecord& v : tabs_->listed())
        if (v.id == variable) {
            s.operation = v.operation_id;
            s.layer = v.layer_id;
        }
    selection()->set(s);
}

void MemoryView::drawVariable() {
    const std::int64_t variable = selection() == nullptr ? -1 : selection()->current().variable;
    if (variable < 0)
        return Q_EMIT message(tr("Choose a variable in the table first"));
    if (std::erase(drawn_, variable) == 0) {
        if (drawn_.size() == most_drawn)
            return Q_EMIT message(tr("%1 variables are drawn at most: take one out first").arg(most_drawn));
        drawn_.push_back(variable);
    }
    if (bar_->by() == analyse::PartsBy::Variables)
        return askParts();
    bar_->choose(analyse::PartsBy::Variables);
}

void MemoryView::askParts() {
    if (!sources().current)
        return;
    struct Read {
        analyse::MemoryParts parts;
        std::int64_t step = -1; ///< that is selected
        profile::RunRecord run;
    };
    const auto query = [wanted = analyse::PartsWanted{ipu_, bar_->by(), bar_->when(), -1, drawn_},
                        program = program_](const profile::Profile& file) mutable -> Result<Read> {
        wanted.step = stepOf(file, program);
        TRY(auto parts, analyse::memory_parts(file, wanted));
        order(parts.parts);
        TRY(auto run, file.run());
        return Read{std::move(parts), wanted.step, std::move(run)};
    };
    sources().current->ask<Read>(this, QStringLiteral("memory"), query, [this](Result<Read> read) {
        if (!read)
            return Q_EMIT message(QString::fromStdString(read.error().line()));
        if (read->run.device == profile::RunDevice::Cpu)
            return showCpuRun(*pages_, *this, read->run);
        if (read->parts.fullest.empty())
            return showNothingYet(*pages_, *this, tr("This profile holds no tile memory."));
        pages_->showPage();
        parts_ = std::move(read->parts);
        bar_->setStep(read->step);
        bar_->setIpus(idsOf(parts_.of_run), ipu_);
        rebuildLegend();
        showParts();
        markTiles();
        settle();
        tellDetails();
    });
    if (sources().base)
        sources().base->ask<Read>(this, QStringLiteral("memory of base"), query, [this](Result<Read> read) {
            if (read)
                base_ = std::move(read->parts);
            rebuildLegend();
            showParts();
            tellDetails();
        });
}

/// Where nothing was chosen yet, the tables are of the IPU that the sentence names; of what does not fit, of
/// its worst tile.
void MemoryView::settle() {
    if (parts_.fullest.empty() || selection() == nullptr || std::exchange(settled_, true) ||
        chosen_ipu_.in(selection()->current()))
        return;
    if (parts_.fullest.front().bytes > parts_.bytes_per_tile)
        return goToFullest(false);
    if (tablesIpu() != selection()->current().ipu)
        askTabs();
}

std::int64_t MemoryView::tablesIpu() {
    const Selection s = selection() == nullptr ? Selection{} : selection()->current();
    return ipu_ < 0 && !chosen_ipu_.in(s) && !parts_.fullest.empty() ? parts_.fullest.front().ipu : s.ipu;
}

/// What the choice of the selected step is called.
void MemoryView::askStep() {
    sources().current->ask<std::int64_t>(
        this, QStringLiteral("step"),
        [program = program_](const profile::Profile& file) -> Result<std::int64_t> {
            return stepOf(file, program);
        },
        [this](const Result<std::int64_t>& step) {
            if (step)
                bar_->setStep(*step);
        });
}

void MemoryView::askTabs() {
    if (!sources().current)
        return;
    const Selection s = selection() == nullptr ? Selection{} : selection()->current();
    shown_.ipu = s.ipu;
    shown_.tiles = s.tiles;
    asked_ = true;
    tabs_->show(sources().current, sources().difference ? sources().base : nullptr, sources().by_hand,
                {tablesIpu(), s.tiles, basis()});
}

void MemoryView::askOverlay() {
    shown_.variable = selection() == nullptr ? -1 : selection()->current().variable;
    overlay_ = {};
    if (!sources().current || shown_.variable < 0)
        return showOverlay();
    struct Read {
        std::vector<std::int64_t> bytes;
        QString name;
    };
    sources().current->ask<Read>(
        this, QStringLiteral("variable"),
        [ipu = ipu_, variable = shown_.variable](const profile::Profile& file) -> Result<Read> {
            analyse::PartsWanted wanted{
                ipu, analyse::PartsBy::Variables, analyse::LiveWhen::OwnPeak, -1, {variable}};
            TRY(auto parts, analyse::memory_parts(file, wanted));
            return parts.parts.empty() ? Read{} : Read{parts.totals(), text(parts.parts.front().name())};
        },
        [this](Result<Read> read) {
            if (!read)
                return;
            overlay_ = {std::move(read->bytes), read->name};
            showOverlay();
        });
}

ThemeColor MemoryView::colorOf(const analyse::MemoryParts::Part& part, int index) {
    using analyse::Lasting;
    using analyse::TileRegion;
    if (const auto* category = std::get_if<MemoryCategory>(&part.what))
        return ThemeColor::category(*category);
    if (const auto* region = std::get_if<TileRegion>(&part.what))
        return *region == TileRegion::Overflowed    ? ThemeColor(&Theme::bad)
               : *region == TileRegion::Interleaved ? ThemeColor::category(MemoryCategory::Constants)
                                                    : ThemeColor::category(MemoryCategory::Variables);
    if (const auto* lasting = std::get_if<Lasting>(&part.what))
        return ThemeColor::category(*lasting == Lasting::Always ? MemoryCategory::Variables
                                                                : MemoryCategory::Constants);
    return ThemeColor::series(index);
}

std::vector<Legend::Entry> MemoryView::legendEntries() const {
    std::vector<Legend::Entry> entries;
    for (const Key& key : keys_)
        entries.push_back({key.name,
                           key.color ? QBrush(key.color(Theme::of(this))) : QBrush(),
                           {},
                           key.is_part ? key.name : QString(),
                           key.tip});
    return entries;
}

/// In a difference colours are of less and more, and of no part; parts that only one file has are parts, too.
void MemoryView::rebuildLegend() {
    keys_.clear();
    const bool difference = sources().difference && sources().base;
    if (difference) {
        const QString base = sources().base->name();
        keys_.push_back(
            {tr("less than in %1").arg(base), [](const Theme& theme) { return theme.less(); }, {}, false});
        keys_.push_back(
            {tr("more than in %1").arg(base), [](const Theme& theme) { return theme.more(); }, {}, false});
    }
    const auto add = [&](const analyse::MemoryParts::Part& part, std::size_t index) {
        const std::string name = part.name();
        if (difference)
            keys_.push_back({text(name),
                             {},
                             tr("%1 on the tiles shown")
                                 .arg(formatSignedBytes(
                                     static_cast<double>(analyse::change_of_part(parts_, base_, name))))});
        else
            keys_.push_back({text(name),
                             [color = colorOf(part, static_cast<int>(index))](const Theme& theme) {
                                 return color.in(theme);
                             },
                             tr("%1 on the tiles shown").arg(formatBytes(parts_.sum_of(name)))});
    };
    for (std::size_t i = 0; i < parts_.parts.size(); ++i)
        add(parts_.parts[i], i);
    if (difference)
        for (const auto& part : base_.parts)
            if (std::ranges::none_of(parts_.parts,
                                     [&](const auto& own) { return own.name() == part.name(); }))
                add(part, 0);
    if (parts_.parts.empty() && bar_->by() == analyse::PartsBy::Variables)
        keys_ = {{tr("Choose variables in the table below and press V."), {}, {}, false}};
    legend_->updateGeometry();
    legend_->update();
}

/// For the chart, of parts that are not hidden. Their colours are by their places among all.
std::vector<TileSeries> MemoryView::seriesOf(const analyse::MemoryParts& seen) const {
    std::vector<TileSeries> series;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i)
        for (const auto& part : seen.parts)
            if (part.name() == parts_.parts[i].name())
                series.push_back({text(part.name()), colorOf(part, static_cast<int>(i)), part.bytes});
    if (series.empty() && !parts_.fullest.empty())
        series.push_back({{}, &Theme::muted, std::vector<std::int64_t>(seen.with_gaps.size(), 0)});
    return series;
}

void MemoryView::showParts() {
    chart_->setIpus(parts_.ipus);
    chart_->setNumbers({}, {});
    if (sources().difference)
        return showDifference();
    const analyse::MemoryParts seen = parts_.without(hidden_);
    chart_->setSeries(seriesOf(seen));
    chart_->setGaps(bar_->gaps() ? parts_.with_gaps : std::vector<std::int64_t>{});
    chart_->setLimit(bar_->limit() ? parts_.bytes_per_tile : 0);
    chart_->setTitle(tr("Memory per tile, %1, %2").arg(shownIpus(), bar_->whenText()));
    const bool both = sources().base && !base_.with_gaps.empty();
    chart_->setBase(both ? base_.without(hidden_).totals() : std::vector<std::int64_t>{},
                    both ? sources().base->name() : QString());
    map_->setIoTiles(parts_.io_tiles);
    chart_->setIoTiles(parts_.io_tiles);
    // What must fit is what a tile holds with gaps, of all that it ever holds.
    const bool whole = bar_->gaps() && hidden_.empty() && bar_->when() == analyse::LiveWhen::OwnPeak &&
                       bar_->by() != analyse::PartsBy::Variables;
    map_->setValues(whole ? parts_.with_gaps : seen.totals(), parts_.bytes_per_tile, parts_.ipus);
    map_->setTitleBehindHeading((whole ? tr(", with gaps, %1") : tr(", %1")).arg(shownIpus()));
    if (isByNumber())
        showByNumber(seen);
    showHeadline();
}

/// By number of tile what it holds more or less than in the base; where that has no such tile, all of it.
void MemoryView::showDifference() {
    chart_->setGaps({});
    chart_->setLimit(0);
    chart_->setBase({}, {});
    if (base_.with_gaps.empty()) {
        chart_->setDifference({});
        map_->setValues({}, 1, {});
        return headline_->setText(tr("Reading the base…"));
    }
    analyse::MemoryDifference difference =
        analyse::memory_difference(parts_.without(hidden_), base_.without(hidden_));
    const std::vector<std::int64_t>& by = difference.by;
    map_->setValues(by, endOfDifferences(by), parts_.ipus, TileMap::Scale::Difference);
    map_->setTitleBehindHeading(tr(", less %1, %2").arg(sources().base->name(), shownIpus()));
    chart_->setTitle(tr("Memory per tile less that of %1, %2, %3")
                         .arg(sources().base->name(), shownIpus(), bar_->whenText()));
    const QString base = sources().base->name();
    headline_->setText(keepFiguresWholeInHtml(
        (difference.most == 0 ? inHtml(tr("No tile holds more than in %1."), {base})
                              : inHtml(tr("<b>IPU %1 tile %2</b> has grown the most: %3 against %4."),
                                       {difference.ipu, difference.tile,
                                        formatSignedBytes(static_cast<double>(difference.most)), base})) +
        tr("  Shown: %1, %2 on %3 tiles, %4; tiles are compared by their numbers.")
            .arg(shownIpus(), formatSignedBytes(static_cast<double>(difference.sum)),
                 formatCount(static_cast<std::int64_t>(by.size())), bar_->whenText()) +
        (difference.added_ipus == 0
             ? QString()
             : inHtml(tr("  Not in %2: %1; all that is there counts as more."),
                      {formatCounted(difference.added_ipus, tr("IPU"), tr("IPUs")), base}))));
    chart_->setDifference(std::move(difference.by));
}

/// Whose tiles these are.
QString MemoryView::shownIpus() const {
    return ipu_ < 0 && parts_.run_ipus() > 1
               ? tr("all %1 IPUs").arg(parts_.run_ipus())
               : tr("IPU %1").arg(parts_.ipus.empty() ? std::int64_t{0} : parts_.ipus.front());
}

/// The fullest tile of the run, and what all tiles that are shown hold.
void MemoryView::showHeadline() {
    if (parts_.fullest.empty())
        return;
    const analyse::FullestTile& fullest = parts_.fullest.front();
    const double share = fullest.share(parts_.bytes_per_tile).value_or(0);
    const analyse::MemoryParts shown = parts_.without(hidden_);
    headline_->setText(keepFiguresWholeInHtml(
        inHtml(tr("<b>IPU %1 tile %2</b> is the fullest of the run: %3 of %4 with gaps (%5), %6 live at its "
                  "peak.  Shown: %7, %8 on %9 tiles, "),
               {fullest.ipu, fullest.tile, formatBytes(fullest.bytes), formatBytes(parts_.bytes_per_tile),
                formatPercent(share), formatBytes(parts_.fullest_live), shownIpus(), formatBytes(shown.sum()),
                formatCount(static_cast<std::int64_t>(shown.with_gaps.size()))}) +
        bar_->whenText() + QLatin1Char('.') +
        (parts_.streaming_bytes > 0
             ? tr("  In streaming memory: %1.").arg(formatBytes(parts_.streaming_bytes))
             : QString()) +
        (parts_.io_tiles > 0 ? tr("  Tiles %1 to %2 of each IPU are kept for I/O.")
                                   .arg(formatCount(parts_.tiles_per_ipu - parts_.io_tiles),
                                        formatCount(parts_.tiles_per_ipu - 1))
                             : QString())));
}

} // namespace tilescope::ui
