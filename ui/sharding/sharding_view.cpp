// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/sharding_view.h"

#include "analyse/exchange_traffic.h"
#include "analyse/figures.h"
#include "analyse/phases.h"
#include "base/try.h"
#include "ui/session/format.h"
#include "ui/session/loops_of_base.h"
#include "ui/session/subject_link.h"
#include "ui/sharding/link_matrix.h"
#include "ui/sharding/system_canvas.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/figure_strip.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/page_stack.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QSplitter>
#include <QTabWidget>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t most_full_boxes = 8;      // more IPUs than these begin as small boxes
constexpr int time_column = 6, cut_column = 10; // of the links
constexpr int first_of_base = 8;                // column of the table

QString trimmedText(const SystemMap& map) {
    return ShardingView::tr("The file was trimmed to %1: what goes over links to the others is not in it.")
        .arg(text(map.trimmed));
}

/// `several`: IPUs; one neither sends to others nor waits for them.
std::vector<Legend::Entry> entries(const ChartStyle& style, bool several) {
    const Theme& theme = Theme::current();
    std::vector<Legend::Entry> all{{ShardingView::tr("always live"), liveBrush(theme, true)},
                                   {ShardingView::tr("not always live"), liveBrush(theme, false)}};
    for (const Legend::Entry& phase : phaseEntries(style))
        if (several || phase.kind != QLatin1String("inter-IPU"))
            all.push_back(phase);
    if (!several)
        return all;
    all.push_back({ShardingView::tr("waiting"), theme.dark ? theme.waiting : theme.grid});
    using profile::LinkKind;
    all.push_back(
        {ShardingView::tr("copies"), linkColor(theme, LinkKind::Copy), {}, linkLegendKind(LinkKind::Copy)});
    all.push_back({ShardingView::tr("collectives (dashed)"),
                   QBrush(linkColor(theme, LinkKind::AllReduce), Qt::Dense4Pattern),
                   {},
                   linkLegendKind(LinkKind::AllReduce)});
    return all;
}

/// Of the layers of an IPU, or of its operations where they are of none.
std::vector<Column> layerColumns(bool named) {
    return {{named ? ShardingView::tr("Layer") : ShardingView::tr("Operation")},
            {ShardingView::tr("Kind")},
            {ShardingView::tr("Share of the IPU"), true},
            {ShardingView::tr("Time")},
            {ShardingView::tr("Lost"), true},
            {ShardingView::tr("Live at peak"), true}};
}

/// Which layers lie elsewhere than in the base, a line of its own; "" for none.
QString movesHtml(const SystemMap& map) {
    constexpr std::size_t most = 4;
    QStringList moves;
    for (std::size_t m = 0; m < std::min(most, map.moved.size()); ++m)
        moves << QStringLiteral("%1: %2").arg(QString::fromStdString(map.moved[m].name),
                                              QString::fromStdString(analyse::move_text(map.moved[m])));
    if (map.moved.size() > most)
        moves << ShardingView::tr("%1 more").arg(map.moved.size() - most);
    return moves.isEmpty()
               ? QString()
               : QStringLiteral("<br>") +
                     asHtml(ShardingView::tr("Moved: %1").arg(moves.join(QStringLiteral("  ·  "))));
}

} // namespace

ShardingView::ShardingView(QWidget* parent) : View(parent) {
    pages_ = new PageStack(makePage(), this);
    setFocusProxy(canvas_);
    makeActions();
    connect(canvas_, &SystemCanvas::ipuChosen, this, &ShardingView::chooseIpu);
    connect(canvas_, &SystemCanvas::linkChosen, this, &ShardingView::chooseLink);
    connect(canvas_, &SystemCanvas::hovered, this, &View::pointedAt);
    connect(links_, &DataTable::keyChosen, this, &ShardingView::chooseLink);
    connect(links_, &DataTable::keyActivated, this, &ShardingView::showLink);
    connect(layers_, &DataTable::keyChosen, this, &ShardingView::chooseLayer);
    layers_->setSubjects([this](std::int64_t id) {
        return linkTo(map_.layers_named ? Subject::Layer : Subject::Operation, id);
    });
    links_->setSubjects([this](std::int64_t link) {
        return link < 0 || link >= std::ssize(map_.traffic.links)
                   ? QString()
                   : linkTo(Subject::Ipu, map_.traffic.links[static_cast<std::size_t>(link)].ipu);
    });
    connect(layers_, &DataTable::keyActivated, this,
            [this] { Q_EMIT viewRequested(QStringLiteral("operations")); });
    connect(matrix_, &LinkMatrix::linkChosen, this, &ShardingView::chooseLink);
    connect(matrix_, &LinkMatrix::linkActivated, this, &ShardingView::showLink);
    offerSubjectOf(*this, matrix_, [this] { return subject(); });
    auto* memory =
        addKeyAction(canvas_, tr("Memory of the IPU, or exchanges over the link"), Qt::Key_Return, [this] {
            if (link_ >= 0)
                return showLink();
            Q_EMIT viewRequested(QStringLiteral("memory"));
        });
    memory->setShortcuts({Qt::Key_Return, Qt::Key_Enter});
    offerSubjectOf(*this, canvas_, [this] { return subject(); });
}

/// The chosen arrow, by the IPU that sends, else the chosen IPU.
PictureSubject ShardingView::subject() const {
    if (link_ >= 0) {
        const auto& link = map_.traffic.links[static_cast<std::size_t>(link_)];
        return {tr("IPU %1 to IPU %2").arg(link.ipu).arg(link.peer), linkTo(Subject::Ipu, link.ipu)};
    }
    const MappedIpu* ipu = selection() == nullptr ? nullptr : map_.ipu(selection()->current().ipu);
    return ipu == nullptr ? PictureSubject()
                          : PictureSubject{tr("IPU %1: %2").arg(ipu->record.id).arg(shardName(map_, *ipu)),
                                           linkTo(Subject::Ipu, ipu->record.id)};
}

QWidget* ShardingView::makePage() {
    heading_ = new ThemedLabel;
    heading_->setObjectName(QStringLiteral("shardingHeading"));
    heading_->setWordWrap(true);
    figures_ = new FigureStrip;
    QWidget* pictures = makePictures();
    layers_ = new DataTable({}, layerColumns(true));
    layers_->setObjectName(QStringLiteral("layersOfIpu"));
    links_ = new DataTable({}, {{tr("Kind")},
                                {tr("From IPU")},
                                {tr("To IPU")},
                                {tr("Exchanges")},
                                {tr("Bytes"), true},
                                {tr("Cycles"), true},
                                {tr("Time")},
                                {tr("In use"), true},
                                {tr("Bytes, base")},
                                {tr("change")},
                                {tr("Cut at"), false, true}});
    links_->setObjectName(QStringLiteral("linkTraffic"));

    replicas_ = new DataTable({}, {{tr("Replica")},
                                   {tr("IPUs")},
                                   {tr("Fullest tile")},
                                   {tr("Of its memory")},
                                   {tr("Sum of tile peaks"), true},
                                   {tr("Compute")},
                                   {tr("Inter-IPU")},
                                   {tr("Waiting")},
                                   {tr("Sent in collectives"), true}});
    replicas_->setObjectName(QStringLiteral("replicas"));
    replicas_->setSubjects([this](std::int64_t replica) {
        for (const analyse::ReplicaFigures& each : map_.replicaFigures())
            if (each.replica == replica)
                return linkTo(Subject::Ipu, each.ipus.front());
        return QString();
    });
    note_ = new QLabel;
    note_->setObjectName(QStringLiteral("shardingNote"));
    note_->setWordWrap(true);
    note_->setMargin(16);
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    legend_ = new Legend([this](const ChartStyle& style) {
        return entries(style, map_.ipus.size() != 1 || map_.lacksIpus());
    });
    legend_->setObjectName(QStringLiteral("shardingLegend"));
    legend_->controls(canvas_);
    connect(legend_, &Legend::hiddenChanged, canvas_->viewport(), qOverload<>(&QWidget::update));
    connect(legend_, &Legend::hiddenChanged, this, &ShardingView::showMatrix);
    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->setObjectName(QStringLiteral("shardingTabs"));
    tabs_->addTab(layers_, tr("Layers"));
    tabs_->addTab(links_, tr("Links"));
    tabs_->addTab(replicas_, tr("Replicas"));
    tabs_->setCurrentWidget(links_);
    addTabKeys(this, tabs_);
    QWidget* page = headedPage({headRow(heading_, {picture_}), figures_, legend_}, pictures, tabs_, 3, 1);
    page->layout()->addWidget(note_);
    return page;
}

void ShardingView::makeActions() {
    constexpr double zoom_step = 1.2;
    addViewAction(this, tr("Zoom in"), QStringLiteral("zoom-in"), Qt::Key_Plus, tr("Larger boxes (+)"),
                  [this] { canvas_->zoomBy(zoom_step); })
        ->setShortcuts({QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_W)});
    addViewAction(this, tr("Zoom out"), QStringLiteral("zoom-out"), Qt::Key_Minus, tr("Smaller boxes (-)"),
                  [this] { canvas_->zoomBy(1 / zoom_step); })
        ->setShortcuts({QKeySequence(Qt::Key_Minus), QKeySequence(Qt::Key_S)});
    addViewAction(this, tr("Frame the IPU"), QStringLiteral("fit"), Qt::Key_F,
                  tr("Fill the view with the chosen IPU, and again with all (F)"),
                  [this] { canvas_->frameCurrent(); });
    addViewAction(this, tr("All IPUs"), QStringLiteral("whole"), Qt::Key_0, tr("Show all IPUs (0)"),
                  [this] { canvas_->fit(); });
    compact_ = addViewAction(this, tr("Small boxes"), QStringLiteral("collapse"), Qt::Key_C,
                             tr("Boxes without layers, for many IPUs (C)"), [this] {
                                 canvas_->setCompact(compact_->isChecked());
                                 if (!map_.ipus.empty())
                                     showHeading();
                             });
    compact_->setCheckable(true);
    addViewAction(this, tr("Matrix or links"), {}, Qt::Key_M,
                  tr("To the matrix of what IPUs send each other, or back to their boxes (M)"), [this] {
                      choosePicture(showsBoth() ? !matrix_->hasFocus() : picture_->currentIndex() == 0);
                  });
    addViewAction(this, tr("Clear"), QStringLiteral("clear"), Qt::Key_Escape, tr("Let go of the arrow (Esc)"),
                  [this] { chooseLink(-1); });
}

void ShardingView::startOver(bool /*another*/) {
    map_ = {};
    base_.reset();
    link_ = -1;
    pages_->showText(sources().current ? tr("Reading the IPUs …") : tr("Open a profile to see its IPUs."));
}

void ShardingView::basisChosen() {
    base_.reset();
    refresh();
}

Result<ShardingView::Read> ShardingView::read(const profile::Profile& file, const SystemMap::Per& per) {
    Read read;
    TRY(read.parts, analyse::Parts::read(file));
    TRY(read.map, SystemMap::read(file, read.parts, per));
    return read;
}

void ShardingView::refresh() {
    if (!sources().current)
        return;
    askLoopsOfBase(this, sources(), [this](const auto& of_base) { askMap({of_base, basis()}); });
}

void ShardingView::askMap(const SystemMap::Per& per) {
    sources().current->ask<Read>(
        this, QStringLiteral("sharding"), [per](const profile::Profile& file) { return read(file, per); },
        [this](Result<Read> now) {
            if (!now) {
                pages_->setText(now.error());
                return;
            }
            const bool first = map_.ipus.empty();
            map_ = std::move(now->map);
            if (first) {
                compact_->setChecked(map_.ipus.size() > most_full_boxes);
                canvas_->setCompact(compact_->isChecked());
            }
            showMap();
            askBase(now->parts);
        });
}

void ShardingView::askBase(const analyse::Parts& now) {
    if (!sources().base)
        return;
    sources().base->ask<Base>(
        this, QStringLiteral("sharding of base"),
        [per = SystemMap::Per{{}, map_.basis()}, now,
         by_hand = sources().by_hand](const profile::Profile& file) -> Result<Base> {
            TRY(auto there, read(file, per));
            Base base;
            base.map = std::make_shared<const SystemMap>(std::move(there.map));
            base.matching = analyse::match(there.parts, now, by_hand);
            base.moved = analyse::moved_layers(there.parts, now, base.matching);
            return base;
        },
        [this](Result<Base> base) {
            if (!base || base->map->ipus.empty())
                return;
            base_ = std::move(*base);
            showMap();
        });
}

void ShardingView::showMap() {
    if (map_.ipus.empty())
        return showNothingYet(*pages_, *this, tr("<h3>No IPUs</h3>This run used none."));
    pages_->showPage();
    if (base_)
        map_.compareWith(base_->map, base_->matching, base_->moved);
    canvas_->setMap(map_);
    arrangePictures();
    showMatrix();
    legend_->updateGeometry();
    legend_->update();
    canvas_->setCurrentLink(link_);
    showHeading();
    showLinks();
    showReplicas();
    followNow();
}

void ShardingView::showHeading() {
    const SystemMap& map = map_;
    QStringList parts;
    if (map.stages > 0)
        parts << formatCounted(map.stages, tr("stage"), tr("stages"));
    else if (map.shards > 1)
        parts << tr("%1 shards").arg(map.shards);
    if (map.replicas > 1) // "5 stages × 4 replicas"
        parts = {(parts.isEmpty() ? QString() : parts.front() + u' ') +
                 tr("× %1 replicas").arg(map.replicas)};
    parts << sources().current->name();
    const bool boxes = !canvas_->isHidden();
    if (!boxes)
        parts << tr("cells: bytes from the IPU of the row to that of the column, %1").arg(linkPeriod(map));
    else if (!canvas_->compact())
        parts << (map.planned ? tr("%1: share of the IPU's planned time; links: %2")
                              : tr("%1: share of the IPU's time; links: %2"))
                     .arg(map.layers_named ? tr("layers") : tr("operations"), linkPeriod(map));
    else
        parts << (map.planned ? tr("upper bar: fullest tile, lower bar: planned cycles with the share of "
                                   "compute; links: %1")
                              : tr("upper bar: fullest tile, lower bar: cycles of the run with the share of "
                                   "compute; links: %1"))
                     .arg(linkPeriod(map));
    const SystemMap* base = map.base.get();
    if (base != nullptr && boxes)
        parts << tr("thinner bars: %1").arg(sources().base->name());
    heading_->setHtml(
        inHtml(QStringLiteral("<span style='font-size:x-large; font-weight:600'>%1</span>&nbsp;&nbsp;"
                              "&nbsp;<span style='color:@muted'>%2%3</span>"),
               {map.lacksIpus() ? tr("%1 of %2 IPUs").arg(map.ipus.size()).arg(map.ipus_run)
                                : formatCounted(map.ipus.size(), tr("IPU"), tr("IPUs")),
                parts.join(QStringLiteral("  ·  ")), Html{movesHtml(map)}}));
    std::vector<FigureStrip::Figure> figures;
    const auto add = [&](FigureStrip::Figure figure, double now, double then, bool share,
                         bool comparable = true) {
        if (base != nullptr && comparable) {
            figure.change = share ? formatPoints(then, now) : formatChange(then, now);
            figure.better = analyse::judged(then, now, analyse::Sense::LessIsBetter);
        }
        figures.push_back(std::move(figure));
    };
    const auto bytes = [&](const QString& name, profile::LinkKind kind, const QString& tip) {
        const double now = map.traffic.bytes(kind);
        if (now == 0 && map.lacksIpus()) // what went to the other IPUs is not in the file
            return figures.push_back({name, QStringLiteral("–"), {}, {}, 0, trimmedText(map)});
        add({name, formatBytes(now), linkPeriod(map), {}, 0, tip}, now,
            base != nullptr ? base->traffic.bytes(kind) : 0, false);
    };
    if (map.shards > 1)
        bytes(tr("Copied"), profile::LinkKind::Copy, tr("Tensors that one shard or stage needs of another"));
    if (map.replicas > 1)
        bytes(tr("Collectives"), profile::LinkKind::AllReduce,
              tr("Gradients that the replicas add up, and what they share out and gather"));
    const auto between = [](const SystemMap& m) {
        return analyse::phase_share(m.phases, &profile::PhaseCycles::inter_ipu).value_or(0);
    };
    if (map.ipus.size() > 1)
        add({tr("Inter-IPU"),
             formatPercent(between(map)),
             map.planned ? tr("of all planned cycles") : tr("of all cycles"),
             {},
             0,
             tr("Exchange between IPUs, of the cycles of all IPUs")},
            between(map), base != nullptr ? between(*base) : 0, true, map.comparesTime());
    const auto fullness = [](const SystemMap& m) {
        return m.fullest ? m.fullest->share(m.bytes_per_tile).value_or(0) : 0;
    };
    if (map.fullest)
        add({tr("Fullest tile"),
             formatPercent(fullness(map)),
             tr("tile %1 of IPU %2, with gaps").arg(map.fullest->tile).arg(map.fullest->ipu),
             {},
             0,
             tr("The highest end of the allocations of one tile, of its memory: these bytes must fit")},
            fullness(map), base != nullptr ? fullness(*base) : 0, true);
    figures_->setFigures(figures);
}

void ShardingView::showLinks() {
    const SystemMap& map = map_;
    const bool compare = map.base != nullptr;
    std::vector<TableRow> rows;
    for (const analyse::LinkChange& change :
         analyse::link_changes(compare ? map.base->traffic : analyse::LinkTraffic(), map.traffic)) {
        const bool gone = !change.index;
        const analyse::LinkFigures figures = map.traffic.of(change.link);
        const auto cell = [&](const Cell& of_now) { return gone ? absentCell() : of_now; };
        rows.push_back({gone ? -1 : static_cast<std::int64_t>(*change.index),
                        {textCell(linkKindName(change.link.kind)), countCell(change.link.ipu),
                         countCell(change.link.peer), cell(amountCell(figures.exchanges)),
                         cell(bytesCell(figures.bytes)), cell(amountCell(figures.cycles)),
                         cell(map.clock_hz > 0 ? cyclesCell(figures.cycles, map.clock_hz) : absentCell()),
                         cell(shareCell(map.traffic.in_use(change.link))),
                         change.before ? bytesCell(*change.before) : absentCell(),
                         gone            ? numberCell(tr("gone"), std::abs(change.by()))
                         : change.before ? changeCell(*change.before, change.now)
                                         : numberCell(compare ? tr("new") : QString(), 0),
                         textCell(text(map.cutOf(change.link)))}});
    }
    setTabShown(*tabs_, 1, !rows.empty());
    tabs_->setTabText(1, tr("Links %1").arg(formatCount(static_cast<std::int64_t>(rows.size()))));
    links_->setCaption(linkPeriod(map));
    links_->setRows(std::move(rows));
    links_->showColumn(time_column, !units().cycles); // cycles stand beside it
    links_->showColumn(cut_column, !map.cuts.empty());
    for (int c = first_of_base; c < first_of_base + 2; ++c)
        links_->showColumn(c, compare);
    note_->setVisible(map.traffic.links.empty());
    leanTowardsTable();
    note_->setText(
        map.lacksIpus() ? asHtml(trimmedText(map))
        : map.ipus.size() == 1
            ? tr("One IPU runs the whole model, so nothing goes over a link. To spread it, ask for more "
                 "IPUs (<code>ipu_config.auto_select_ipus</code>): they hold replicas, or what "
                 "<code>model.shards</code> or <code>pipeline.stages</code> give them.")
            : tr("Nothing goes over the links: each IPU works for itself."));
}

/// One box needs little room, its layers need more.
void ShardingView::leanTowardsTable() {
    if (std::exchange(lone_, map_.ipus.size() == 1) || !lone_)
        return;
    constexpr int of_each = 300;
    for (QWidget* within = tabs_->parentWidget(); within != nullptr; within = within->parentWidget())
        if (auto* split = qobject_cast<QSplitter*>(within))
            return split->setSizes({of_each, of_each});
}

/// One beside the other: what differs between them, since they do the same.
void ShardingView::showReplicas() {
    std::vector<TableRow> rows;
    for (const analyse::ReplicaFigures& each : map_.replicaFigures()) {
        QStringList ipus;
        for (const std::int64_t ipu : each.ipus)
            ipus << QString::number(ipu);
        const auto share = [&](std::int64_t profile::PhaseCycles::*phase) {
            return shareCell(analyse::phase_share(each.phases, phase));
        };
        rows.push_back({each.replica,
                        {countCell(each.replica), textCell(ipus.join(QStringLiteral(", "))),
                         each.fullest ? textCell(tr("tile %1 of IPU %2: %3")
                                                     .arg(each.fullest->tile)
                                                     .arg(each.fullest->ipu)
                                                     .arg(formatBytes(each.fullest->bytes)))
                                      : absentCell(),
                         shareCell(each.fullest ? each.fullest->share(map_.bytes_per_tile) : std::nullopt),
                         each.fullest ? bytesCell(each.total_bytes) : absentCell(),
                         share(&profile::PhaseCycles::compute), share(&profile::PhaseCycles::inter_ipu),
                         share(&profile::PhaseCycles::waiting), bytesCell(each.reduced_bytes)}});
    }
    const int tab = tabs_->indexOf(replicas_);
    setTabShown(*tabs_, tab, rows.size() > 1);
    tabs_->setTabText(tab, tr("Replicas %1").arg(rows.size()));
    replicas_->setCaption((map_.planned
                               ? tr("shares of the planned cycles, of the IPUs of each together; sent %1")
                               : tr("shares of the cycles of the run, of the IPUs of each together; sent %1"))
                              .arg(linkPeriod(map_)));
    replicas_->setRows(std::move(rows));
}

/// What the selected IPU runs, and what of it is lost.
void ShardingView::showLayers() {
    const MappedIpu* ipu = selection() == nullptr ? nullptr : map_.ipu(selection()->current().ipu);
    if (ipu == nullptr)
        return layers_->setRows({});
    layers_->setColumns(layerColumns(map_.layers_named));
    std::vector<TableRow> rows;
    const auto time = [this](std::int64_t cycles) {
        return cyclesCell(static_cast<double>(cycles), map_.clock_hz);
    };
    for (const MappedLayer& layer : ipu->layers)
        rows.push_back(
            {layer.id,
             {textCell(layer.name), textCell(layer.kind), shareCell(layer.share), time(layer.cycles),
              layer.lost ? time(*layer.lost) : absentCell(), bytesCell(layer.bytes)}});
    tabs_->setTabText(0, map_.layers_named ? tr("Layers of IPU %1").arg(ipu->record.id)
                                           : tr("Operations of IPU %1").arg(ipu->record.id));
    layers_->setCaption(
        (map_.planned ? tr("%1, share of the planned time of IPU %2") : tr("%1, share of the time of IPU %2"))
            .arg(text(analyse::per(map_.basis())))
            .arg(ipu->record.id));
    layers_->setRows(std::move(rows));
    layers_->selectKey(map_.layers_named ? selection()->current().layer : selection()->current().operation);
}

void ShardingView::chooseLayer(std::int64_t id) {
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    (map_.layers_named ? next.layer : next.operation) = id;
    if (map_.layers_named)
        next.operation = -1;
    selection()->set(next);
}

void ShardingView::follow(const Selection& selection) {
    canvas_->setCurrentIpu(selection.ipu);
    matrix_->setSelected({selection.ipu});
    showLayers();
    tellDetails();
}

void ShardingView::chooseIpu(std::int64_t ipu) {
    link_ = -1;
    canvas_->setCurrentLink(-1);
    links_->selectKey(-1);
    if (selection() == nullptr)
        return;
    Selection next = selection()->current();
    next.lookAt(ipu);
    selection()->set(next);
    tellDetails();
}

void ShardingView::chooseLink(std::int64_t link) {
    link_ = link >= 0 && link < static_cast<std::int64_t>(map_.traffic.links.size()) ? link : -1;
    canvas_->setCurrentLink(link_);
    matrix_->setLink(link_);
    links_->selectKey(link_);
    tellDetails();
}

/// In Exchange, what goes over the chosen arrow: the exchange of it that takes most.
void ShardingView::showLink() {
    if (link_ < 0 || !sources().current)
        return;
    const auto& link = map_.traffic.links[static_cast<std::size_t>(link_)];
    const auto shard = [this](std::int64_t ipu) {
        const MappedIpu* mapped = map_.ipu(ipu);
        return mapped == nullptr ? ipu : mapped->record.shard; // exchanges are those of the first replica
    };
    const std::int64_t to = link.kind == profile::LinkKind::Copy ? shard(link.peer) : -1;
    sources().current->ask<std::int64_t>(
        this, QStringLiteral("exchange over link"),
        [from = shard(link.ipu), to](const profile::Profile& file) -> Result<std::int64_t> {
            TRY(const auto list, analyse::exchange_list(file, -1));
            for (const analyse::ExchangeRow& row : list.rows) // most cycles first
                if (row.exchange.kind == profile::ExchangeKind::InterIpu && row.exchange.ipu == from &&
                    row.exchange.peer == to)
                    return row.program;
            return std::int64_t{-1};
        },
        [this](const Result<std::int64_t>& step) {
            if (step && *step >= 0 && selection() != nullptr) {
                Selection next = selection()->current();
                next.program = *step;
                selection()->set(next);
            }
            Q_EMIT viewRequested(QStringLiteral("exchange"));
        });
}

void ShardingView::tellDetails() {
    const SystemMap& map = map_;
    if (!isVisible() || map.ipus.empty())
        return;
    if (link_ >= 0)
        return Q_EMIT detailsChanged(linkText(map, map.traffic.links[static_cast<std::size_t>(link_)]));
    const MappedIpu* ipu = selection() == nullptr ? nullptr : map.ipu(selection()->current().ipu);
    if (ipu != nullptr)
        Q_EMIT detailsChanged(ipuText(map, *ipu));
}

} // namespace tilescope::ui
