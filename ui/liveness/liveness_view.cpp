// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/liveness_view.h"

#include "analyse/change_sum.h"
#include "analyse/costs.h"
#include "analyse/tile_memory.h"
#include "base/share.h"
#include "base/try.h"
#include "curve_legends.h"
#include "live_step.h"
#include "ui/liveness/kept_page.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/session/ipu_choices.h"
#include "ui/session/subject_link.h"
#include "ui/theme/themed_label.h"
#include "ui/tiles/tile_field.h"
#include "ui/tiles/tile_text.h"
#include "ui/widgets/cpu_run.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/lifetime_delegate.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <tuple>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int life_column = 2; ///< of the table of what is live
constexpr int by_time_index = 1;

/// The IPU of the fullest tile; the first where nothing was laid out.
Result<std::int64_t> fullestIpu(const profile::Profile& file) {
    TRY(const auto fullest, analyse::fullest_tile(file));
    return fullest ? fullest->ipu : std::int64_t{0};
}

/// Of those of the tiles that the file has. `wanted`: nullopt, or one that the file has not: the IPU of the
/// fullest tile.
Result<LivenessView::Read> read(const profile::Profile& file, std::optional<std::int64_t> wanted,
                                std::vector<std::int64_t> tiles, bool named) {
    LivenessView::Read read;
    TRY(read.run, file.run());
    TRY(const auto ipus, file.ipus());
    for (const auto& record : ipus)
        read.ipus.push_back(record.id);
    const bool known = wanted == analyse::every_ipu ||
                       (wanted && std::find(read.ipus.begin(), read.ipus.end(), *wanted) != read.ipus.end());
    std::int64_t ipu = wanted.value_or(0);
    if (!known) {
        tiles.clear();
        TRY(ipu, fullestIpu(file));
    }
    if (named) {
        LivenessView::Named names;
        TRY(names.parts, analyse::Parts::read(file));
        TRY(names.steps, analyse::named_steps(file));
        read.named = std::make_shared<const LivenessView::Named>(std::move(names));
    }
    TRY(const auto layers, file.layers());
    for (const auto& layer : layers)
        read.layers[layer.id] = text(layer.name);
    TRY(const auto target, file.target());
    read.clock_hz = target.clock_hz;
    read.tiles = target.tiles_per_ipu;
    std::erase_if(tiles, [&](std::int64_t tile) { return tile >= read.tiles; });
    TRY(auto live, analyse::read_liveness(file, ipu, tiles));
    read.kept = analyse::kept_variables(live);
    read.bands = std::make_shared<const BandLevels>(live);
    read.live = std::make_shared<const analyse::Liveness>(std::move(live));
    return read;
}

/// Tiles of an IPU that are typed by how full they are.
struct TilesOfIpu {
    std::int64_t ipu = 0;
    std::vector<std::int64_t> tiles;
};

Result<TilesOfIpu> fullestTiles(const profile::Profile& file, std::int64_t ipu, std::size_t count) {
    if (ipu >= 0) {
        TRY(const auto bytes, file.tile_values("memory", 0, ipu, "total_with_gaps"));
        return TilesOfIpu{ipu, analyse::fullest_tiles(bytes, count)};
    }
    TRY(const auto fullest, analyse::fullest_tile(file));
    return fullest ? TilesOfIpu{fullest->ipu, {fullest->tile}} : TilesOfIpu();
}

std::vector<Column> liveColumns() {
    return {{LivenessView::tr("Variable")},
            {LivenessView::tr("Bytes"), true},
            {LivenessView::tr("Lifetime over the steps in view")},
            {LivenessView::tr("From step")},
            {LivenessView::tr("To step")},
            {LivenessView::tr("Last use")},
            {LivenessView::tr("Category")},
            {LivenessView::tr("Layer")},
            {LivenessView::tr("Type")}};
}

std::vector<Column> differenceColumns() {
    return {{LivenessView::tr("Variable")},    {LivenessView::tr("Now")},
            {LivenessView::tr("In the base")}, {LivenessView::tr("Difference")},
            {LivenessView::tr("Category")},    {LivenessView::tr("Layer")},
            {LivenessView::tr("Type")}};
}

} // namespace

LivenessView::LivenessView(QWidget* parent) : View(parent) {
    curve_ = new LivenessCurve;
    curve_->setObjectName(QStringLiteral("livenessCurve"));
    live_ = new DataTable({}, liveColumns());
    live_->setObjectName(QStringLiteral("liveVariables"));
    lives_ = new LifetimeDelegate(live_);
    live_->view()->setTextElideMode(Qt::ElideMiddle);
    changes_ = new DataTable(
        {}, {{tr("Variable")}, {tr("Change")}, {tr("Bytes"), true}, {tr("Category")}, {tr("Layer")}});
    changes_->setObjectName(QStringLiteral("liveChanges"));
    kept_ = new KeptPage;
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->addTab(live_, tr("Live"));
    tabs_->addTab(kept_, tr("Kept too long"));
    tabs_->addTab(changes_, tr("Appear and go"));
    addTabKeys(this, tabs_);
    std::tie(legend_, difference_legend_) = makeLegends(curve_);
    title_ = new QLabel;
    title_->setObjectName(QStringLiteral("livenessTitle"));
    title_->setWordWrap(true);
    auto* titled = new QWidget;
    auto* row = new QHBoxLayout(titled);
    row->setContentsMargins({});
    row->setSpacing(16);
    row->addWidget(title_, 1);
    row->addWidget(legend_, 1);
    row->addWidget(difference_legend_, 1);
    pages_ = new PageStack(headedPage({makeHead(), titled}, curve_, tabs_, 3, 2), this);
    difference_legend_->hide();
    connect(live_, &DataTable::sqlWanted, this, &View::sqlRequested);
    setFocusProxy(curve_);
    makeActions();
    connect(curve_, &LivenessCurve::stepChosen, this, &LivenessView::chooseStep);
    connect(curve_, &LivenessCurve::viewChanged, this, [this] {
        curve_->showLives(*lives_, curve_->step());
        live_->view()->viewport()->update();
        kept_->showLives(*curve_);
    });
    connect(curve_, &LivenessCurve::rangeChosen, this, &LivenessView::showStep);
    offerSubjectOf(*this, curve_, [this] { return subject(); });
    connect(live_, &DataTable::keyChosen, this, &LivenessView::chooseVariable);
    for (DataTable* table : {live_, changes_}) {
        connect(table, &DataTable::keyActivated, this, &LivenessView::showVariable);
        table->setSubjects([](std::int64_t variable) { return linkTo(Subject::Variable, variable); });
    }
    connect(kept_, &KeptPage::activated, this, &LivenessView::showVariable);
    live_->view()->setMouseTracking(true);
    live_->view()->viewport()->installEventFilter(this);
    connect(live_->view(), &QTableView::entered, this,
            [this](const QModelIndex& row) { layLife(row.data(DataTableModel::KeyRole).toLongLong()); });
    connect(kept_, &KeptPage::chosen, this, &LivenessView::chooseVariable);
    connect(kept_, &KeptPage::sqlWanted, this, &View::sqlRequested);
}

/// The step that is shown.
PictureSubject LivenessView::subject() const {
    if (!read_ || curve_->step() < 0)
        return {};
    const auto at = static_cast<std::size_t>(read_->live->point_of(curve_->step()));
    return {text(read_->live->step_names[at]), linkTo(Subject::Step, read_->live->points[at].program)};
}

void LivenessView::chooseVariable(std::int64_t id) {
    if (!read_)
        return;
    layLife(id);
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    next.variable = id;
    selection()->set(next);
}

/// Over the curve; of what is always live, and of no variable, nothing is.
void LivenessView::layLife(std::int64_t id) {
    if (!read_) // rows of the file before are still under the pointer
        return;
    std::optional<LivenessCurve::Steps> life;
    for (const auto& variable : read_->live->variables)
        if (variable.id == id && !variable.always_live)
            life = {variable.live_from, variable.live_to};
    curve_->setLife(life);
}

/// The row that the pointer has left is no longer what is shown.
bool LivenessView::eventFilter(QObject* of, QEvent* event) {
    if (event->type() == QEvent::Leave && read_ && of == live_->view()->viewport())
        layLife(selection() == nullptr ? -1 : selection()->current().variable);
    return View::eventFilter(of, event);
}

void LivenessView::showVariable(std::int64_t id) {
    chooseVariable(id);
    Q_EMIT viewRequested(QStringLiteral("memory"));
}

QWidget* LivenessView::makeHead() {
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("livenessHeading"));
    heading_->setWordWrap(true);
    ipus_ = new QComboBox;
    ipus_->setAccessibleName(tr("IPU"));
    connect(ipus_, &QComboBox::activated, this,
            [this](int index) { choosePlace(ipus_->itemData(index).toLongLong(), {}); });
    tile_field_ = new TileField(QStringLiteral("livenessTiles"));
    connect(tile_field_, &TileField::typed, this, &LivenessView::chooseTyped);
    connect(tile_field_, &TileField::left, this, qOverload<>(&QWidget::setFocus));
    axis_ = new QComboBox;
    axis_->setObjectName(QStringLiteral("livenessAxis"));
    axis_->setAccessibleName(tr("Across"));
    axis_->addItem(tr("by program step"));
    axis_->addItem(tr("by time"));
    connect(axis_, &QComboBox::activated, this, [this](int index) { showByTime(index == by_time_index); });
    return headRow(heading_, {ipus_, tile_field_, axis_});
}

/// The user's choice.
void LivenessView::choosePlace(std::int64_t ipu, std::vector<std::int64_t> tiles) {
    if (!read_) // tiles that were typed are taken when the field goes, with its file
        return;
    chosen_ipu_.choose();
    ipu_ = ipu;
    tiles_ = std::move(tiles);
    fresh_ = true;
    if (selection() != nullptr) {
        Selection next = selection()->current();
        passed_ipu_ = next.ipu;
        if (!showsAllIpus())
            next.lookAt(ipu);
        next.tiles = tiles_;
        selection()->set(next);
    }
    refresh();
}

void LivenessView::chooseTyped(const QString& typed) {
    if (!read_)
        return;
    const TileChoice choice = parseTiles(typed, read_->tiles, read_->ipus);
    tile_field_->setWrong(choice.error);
    if (!choice.error.isEmpty())
        return;
    const std::int64_t ipu = choice.ipu >= 0 ? choice.ipu : ipu_.value_or(0);
    if (choice.fullest > 0)
        chooseFullest(choice.fullest == 1 ? choice.ipu : ipu, static_cast<std::size_t>(choice.fullest));
    else if (ipu != ipu_ || choice.tiles != tiles_)
        choosePlace(ipu, choice.tiles);
}

void LivenessView::chooseFullest(std::int64_t ipu, std::size_t count) {
    sources().current->ask<TilesOfIpu>(
        this, QStringLiteral("fullest tiles"),
        [ipu, count](const profile::Profile& file) { return fullestTiles(file, ipu, count); },
        [this](Result<TilesOfIpu> found) {
            if (found)
                choosePlace(found->ipu, std::move(found->tiles));
        });
}

void LivenessView::startOver(bool another) {
    freeInBackground(std::pair(std::exchange(read_, nullptr), std::exchange(base_, nullptr)));
    fresh_ = fresh_ || another;
    if (another) {
        chosen_ipu_.forget();
        ipu_.reset();
        tiles_.clear();
    }
    pages_->showText(sources().current ? tr("Reading what is live …")
                                       : tr("Open a profile to see what is live when."));
}

/// What was chosen elsewhere is what is read first.
void LivenessView::refresh() {
    if (!sources().current)
        return;
    if (!ipu_ && selection() != nullptr && chosen_ipu_.in(selection()->current())) {
        ipu_ = selection()->current().ipu;
        tiles_ = selection()->current().tiles;
    }
    sources().current->ask<Read>(
        this, QStringLiteral("liveness"),
        [ipu = ipu_, tiles = tiles_, named = sources().base != nullptr](const profile::Profile& file) {
            return read(file, ipu, tiles, named);
        },
        [this](Result<Read> now) {
            if (!now)
                return pages_->setText(now.error());
            showRead(std::move(*now));
            askBase();
        });
}

void LivenessView::askBase() {
    if (!sources().base || !read_ || !read_->named)
        return;
    sources().base->ask<Base>(
        this, QStringLiteral("liveness of base"),
        [ipu = ipu_, tiles = tiles_, now = read_, name = sources().base->name(),
         by_hand = sources().by_hand](const profile::Profile& file) -> Result<Base> {
            Base base;
            base.name = name;
            TRY(base.read, read(file, ipu, tiles, true));
            const Named &names = *base.read.named, &of_now = *now->named;
            const analyse::Matching matching = analyse::match(names.parts, of_now.parts, by_hand);
            base.old_names = analyse::OldNames(names.parts, of_now.parts, matching);
            base.steps = analyse::match_steps(names.steps, of_now.steps, matching);
            base.difference = std::make_shared<const analyse::LiveDifference>(
                analyse::live_difference(*now->live, *base.read.live, base.steps));
            return base;
        },
        [this](Result<Base> base) {
            if (!base || !read_ || read_->live->points.empty())
                return;
            base_ = std::make_shared<const Base>(std::move(*base));
            curve_->setData(read_->live, base_->read.live, true);
            curve_->setBands(read_->bands);
            showDifference();
            showStep();
            showHeading();
        });
}

void LivenessView::showRead(Read now) {
    read_ = std::make_shared<const Read>(std::move(now));
    if (read_->run.device == profile::RunDevice::Cpu)
        return showCpuRun(*pages_, *this, read_->run);
    if (read_->live->points.empty())
        return showNothingYet(*pages_, *this, tr("<h3>Nothing is laid out</h3>Memory was not laid out."));
    if (ipu_ != read_->live->ipu) // the file has not the one that was chosen elsewhere
        tiles_ = read_->live->chosen;
    ipu_ = read_->live->ipu;
    pages_->showPage();
    offerIpus(*ipus_, tr("all IPUs"), read_->ipus);
    ipus_->setCurrentIndex(ipus_->findData(static_cast<qlonglong>(*ipu_)));
    ipus_->setVisible(read_->ipus.size() > 1);
    tile_field_->setVisible(!showsAllIpus());
    tile_field_->setText(read_->live->chosen.empty() ? QString() : tilesText(-1, read_->live->chosen));
    curve_->setClock(read_->clock_hz);
    curve_->setData(read_->live, base_ ? base_->read.live : nullptr, !fresh_);
    curve_->setBands(read_->bands);
    to_limit_->setChecked(curve_->toLimit());
    kept_->setKept(*read_);
    kept_->showLives(*curve_);
    tabs_->setTabText(1, kept_->title());
    showDifference();
    if (std::exchange(fresh_, false)) {
        const std::int64_t over = read_->live->first_over(); // what does not fit is asked about there
        const std::int64_t first = over >= 0 ? over : read_->live->peak();
        goToStep(read_->live->points[static_cast<std::size_t>(first)].step);
    } else
        showStep();
    showHeading();
    followNow();
}

/// A file that has grown since the base was read is compared when that has been read anew.
std::shared_ptr<const analyse::LiveDifference> LivenessView::difference() const {
    const bool known = sources().difference && base_ && base_->difference &&
                       base_->difference->by.size() == read_->live->points.size();
    return known ? base_->difference : nullptr;
}

void LivenessView::showDifference() {
    const auto by = difference();
    if (by)
        curve_->setDifference(by);
    showTitle();
    legend_->updateGeometry(); // the fullest tile may be one of its entries, or no longer
    legend_->update();
    legend_->setVisible(!by);
    difference_legend_->setVisible(by != nullptr);
}

void LivenessView::showTitle() {
    const analyse::Liveness& live = *read_->live;
    const QString of = live.chosen.empty() ? tr("all tiles of %1").arg(placeOf(live)) : placeOf(live);
    title_->setText(curve_->byTime()
                        ? tr("Live bytes over one pass of the program, %1: each step once, one after the "
                             "other, as long as a run of it takes; together %2")
                              .arg(of, formatTime(live.pass_cycles(), read_->clock_hz))
                        : tr("Live bytes per program step, %1").arg(of));
    axis_->setCurrentIndex(curve_->byTime() ? by_time_index : 0);
    axis_->setEnabled(live.pass_cycles() > 0);
    axis_->setToolTip(live.pass_cycles() > 0
                          ? tr("Whether steps are as wide as one another or as long as they take (Shift+T)")
                          : tr("How long the steps take is not recorded; profile it again"));
}

void LivenessView::showByTime(bool by_time) {
    curve_->setByTime(by_time);
    if (read_ && !read_->live->points.empty())
        showTitle();
}

QJsonObject LivenessView::saveState() const {
    return {{QStringLiteral("by_time"), curve_->wantsTime()}};
}

void LivenessView::restoreState(const QJsonObject& state) {
    const bool by_time = state[QStringLiteral("by_time")].toBool();
    axis_->setCurrentIndex(by_time ? by_time_index : 0);
    showByTime(by_time);
}

void LivenessView::showHeading() {
    const auto& peak = read_->live->points[static_cast<std::size_t>(read_->live->peak())];
    QString html = inHtml(tr("<b>Step %1</b> of %2 is the peak step of %4: <b>%3</b> live"),
                          {formatCount(peak.step), formatCount(read_->live->steps()),
                           formatBytes(peak.total()), placeOf(*read_->live)});
    if (const auto share = share_of(peak.total(), read_->live->limit()))
        html += read_->live->tiles == 1
                    ? inHtml(tr(", %1 of its memory"), {formatPercent(*share)})
                    : inHtml(read_->live->chosen.empty() ? tr(", %1 of the memory of its %2 tiles")
                                                         : tr(", %1 of the memory of these %2 tiles"),
                             {formatPercent(*share), formatCount(read_->live->tiles)});
    if (const std::int64_t over = read_->live->first_over(); over >= 0)
        html += inHtml(read_->live->tiles == 1 ? tr("; it is over its memory first at <b>step %1</b>")
                                               : tr("; a tile is over its memory first at <b>step %1</b>"),
                       {formatCount(read_->live->points[static_cast<std::size_t>(over)].step)});
    if (base_ && base_->read.live->peak() >= 0) {
        const analyse::Liveness& before = *base_->read.live;
        const auto& then = before.points[static_cast<std::size_t>(before.peak())];
        const std::int64_t by = analyse::change_of(std::optional(then.total()), std::optional(peak.total()));
        html += inHtml(tr(", %1 against the peak step of %2, its step %3"),
                       {formatBytesDifference(static_cast<double>(by)), base_->name, formatCount(then.step)});
    }
    html += QStringLiteral(". <span style='color:@muted'>") +
            asHtml(read_->live->step_names[static_cast<std::size_t>(read_->live->peak())]) +
            QStringLiteral("</span>");
    if (const auto by = difference(); by && by->largest >= 0) {
        const auto most = static_cast<std::size_t>(by->largest);
        html += inHtml(tr(". Step %1 has changed the most: <b>%2</b>"),
                       {formatCount(read_->live->points[most].step),
                        formatBytesDifference(static_cast<double>(*by->by[most]))});
    }
    heading_->setHtml(html);
}

void LivenessView::chooseStep(std::int64_t step) {
    goToStep(step);
    if (selection() == nullptr || !read_ || read_->live->points.empty())
        return;
    Selection next = selection()->current();
    if (!showsAllIpus())
        next.lookAt(*ipu_);
    next.program = read_->live->points[static_cast<std::size_t>(read_->live->point_of(step))].program;
    selection()->set(next);
}

void LivenessView::goToStep(std::int64_t step) {
    curve_->setLife({});
    curve_->setRange({});
    curve_->setStep(step);
    showStep();
}

void LivenessView::moveStep(std::int64_t by) {
    if (!read_ || read_->live->points.empty())
        return;
    const auto last = static_cast<std::int64_t>(read_->live->points.size()) - 1;
    const std::int64_t point = std::clamp<std::int64_t>(read_->live->point_of(curve_->step()) + by, 0, last);
    chooseStep(read_->live->points[static_cast<std::size_t>(point)].step);
}

void LivenessView::nextPeak() {
    if (!read_)
        return;
    constexpr std::int64_t pieces = 50;
    const auto peaks = read_->live->peaks(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(read_->live->points.size()) / pieces));
    const auto here = std::find(peaks.begin(), peaks.end(), read_->live->point_of(curve_->step()));
    const auto next = here == peaks.end() || here + 1 == peaks.end() ? peaks.begin() : here + 1;
    if (next != peaks.end())
        chooseStep(read_->live->points[static_cast<std::size_t>(*next)].step);
}

void LivenessView::showStep() {
    if (!read_ || read_->live->points.empty() || curve_->step() < 0)
        return;
    sources().current->ask<Listed>(
        this, QStringLiteral("step"),
        [now = read_, base = base_, step = curve_->step(), range = curve_->range(),
         difference = sources().difference](const profile::Profile& file) -> Result<Listed> {
            Listed listed = listStep(*now, step, range, base.get(), difference);
            TRY(listed.details, detailsOfStep(file, *now, step, base.get()));
            return listed;
        },
        [this](Result<Listed> listed) {
            if (listed)
                showListed(std::move(*listed));
        });
}

void LivenessView::showListed(Listed listed) {
    tabs_->setTabText(0, listed.live_tab);
    live_->setCaption(listed.live_caption);
    lives_->setLives(std::move(listed.lives));
    curve_->showLives(*lives_, curve_->step());
    live_->view()->setItemDelegateForColumn(life_column, listed.differences ? nullptr : lives_);
    live_->setColumns(listed.differences ? differenceColumns() : liveColumns());
    row_of_ = std::move(listed.row_of);
    live_->setRows(std::move(listed.live));
    if (selection() != nullptr)
        live_->selectKey(rowWith(selection()->current().variable));
    live_->setSql(listed.differences
                      ? QString()
                      : sqlOfVariables(*read_->live,
                                       QStringLiteral("(always_live OR (live_from <= %2 AND %1 <= live_to))")
                                           .arg(curve_->range() ? curve_->range()->first : curve_->step())
                                           .arg(curve_->range() ? curve_->range()->second : curve_->step())));
    tabs_->setTabText(2, listed.change_tab);
    changes_->setCaption(listed.change_caption);
    changes_->setRows(std::move(listed.changes));
    Q_EMIT detailsChanged(listed.details);
}

std::int64_t LivenessView::rowWith(std::int64_t variable) const {
    const auto row = row_of_.find(variable);
    return row == row_of_.end() ? variable : row->second;
}

bool LivenessView::showsAllIpus() const {
    return ipu_ == analyse::every_ipu;
}

bool LivenessView::movesTo(const Selection& s) const {
    const bool other =
        showsAllIpus() ? s.ipu != passed_ipu_ || !s.tiles.empty() : s.ipu != ipu_ || s.tiles != tiles_;
    return other && std::find(read_->ipus.begin(), read_->ipus.end(), s.ipu) != read_->ipus.end();
}

void LivenessView::follow(const Selection& s) {
    live_->selectKey(rowWith(s.variable));
    kept_->select(s.variable);
    if (!read_)
        return;
    if (chosen_ipu_.in(s) && movesTo(s)) {
        ipu_ = s.ipu;
        tiles_ = s.tiles;
        fresh_ = true;
        return refreshWhenSeen();
    }
    if (s.program < 0)
        return;
    for (const auto& point : read_->live->points)
        if (point.program == s.program && point.step != curve_->step())
            return goToStep(point.step);
        else if (point.program == s.program)
            return;
}

} // namespace tilescope::ui
