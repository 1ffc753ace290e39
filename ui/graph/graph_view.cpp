// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/graph/graph_view.h"

#include "base/try.h"
#include "graph_legend.h"
#include "graph_pictures.h"
#include "graph_scale_bar.h"
#include "operation_details.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/told_news.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::size_t no_box = GraphScene::no_box;
using Scene = std::optional<GraphScene>;

} // namespace

GraphView::GraphView(QWidget* parent)
    : View(parent), canvas_(new GraphCanvas(this)), search_(new QLineEdit(this)), found_(new QLabel(this)),
      measure_(new QLabel(this)), busy_text_(new QLabel(this)), busy_bar_(new QProgressBar(this)) {
    canvas_->setObjectName(QStringLiteral("graphCanvas"));
    search_->setObjectName(QStringLiteral("graphSearch"));
    search_->setPlaceholderText(tr("Search operations, layers, shapes  ( / )"));
    search_->setAccessibleName(tr("Search of the graph"));
    canvas_->setAccessibleName(tr("Operations and layers"));
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(fontMetrics().averageCharWidth() * 20);
    search_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    found_->setObjectName(QStringLiteral("graphFound"));
    busy_bar_->setRange(0, 0);
    measure_->setObjectName(QStringLiteral("graphMeasure"));
    measure_->setToolTip(tr("A share is of the elapsed time of the IPUs that run the operation or layer"));
    measure_->setForegroundRole(QPalette::PlaceholderText);
    measure_->setWordWrap(true); // a long basis must not widen the window
    measure_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    busy_bar_->setTextVisible(false);
    busy_bar_->setFixedWidth(fontMetrics().averageCharWidth() * 16);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 12, 6);
    head->setSpacing(12);
    head->addWidget(search_, 1);
    head->addWidget(found_);
    head->addWidget(busy_text_);
    head->addWidget(busy_bar_);
    head->addWidget(measure_, 2);
    phases_ = new Legend(graphEntries, this);
    phases_->setObjectName(QStringLiteral("graphLegend"));
    phases_->setControlling();
    connect(phases_, &Legend::hiddenChanged, this, [this](const QStringList& names) {
        std::set<profile::Phase> hidden;
        for (const auto& [phase, action] : phase_actions_)
            if (names.contains(phaseName(phase)))
                hidden.insert(phase);
        hidePhases(std::move(hidden));
    });
    changes_ = new Legend(changeEntries, this);
    scale_ = new GraphScaleBar(this);
    scale_->setObjectName(QStringLiteral("graphScale"));
    auto* colours = new QHBoxLayout; // a row of their own: large text has no room beside the search
    colours->setContentsMargins(12, 0, 12, 6);
    colours->setSpacing(12);
    colours->addWidget(makeChoices());
    colours->addWidget(phases_, 1);
    colours->addWidget(scale_);
    colours->addWidget(changes_, 1);
    makeLightActions();
    colours->addWidget(only_changes_);
    colours->addStretch();
    connect(canvas_, &GraphCanvas::shadesChanged, this, &GraphView::showLegend);
    showLegend();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addLayout(colours);
    layout->addWidget(canvas_, 1);
    setFocusProxy(canvas_);
    makeActions();
    makeMenu();
    constexpr int soon_ms = 200; // what is quicker needs no bar
    busy_timer_.setSingleShot(true);
    busy_timer_.setInterval(soon_ms);
    connect(&busy_timer_, &QTimer::timeout, this, [this] {
        busy_text_->show();
        busy_bar_->show();
    });
    busy({});
    connect(canvas_, &GraphCanvas::boxChosen, this, &GraphView::choose);
    connect(canvas_, &GraphCanvas::boxOpened, this, &GraphView::open);
    connect(search_, &QLineEdit::textChanged, this, &GraphView::search);
    connect(search_, &QLineEdit::returnPressed, this, [this] {
        goToHit(hit_ + 1);
        if (!hits_.empty())
            canvas_->setFocus(); // for the keys that go on from there
    });
    leaveFieldBy({Qt::Key_Escape}, search_, [this] { canvas_->setFocus(); });
}

GraphView::~GraphView() {
    if (layout_cancel_)
        layout_cancel_->cancel();
}

/// What boxes have their colours by, and which phases are drawn.
QWidget* GraphView::makeChoices() {
    coloring_ = new QComboBox;
    coloring_->setObjectName(QStringLiteral("graphColoring"));
    coloring_->setAccessibleName(tr("Colours of the graph"));
    coloring_->setToolTip(tr("What the boxes have their colours by"));
    for (int i = 0; i < graph_colorings; ++i)
        coloring_->addItem(tr("by %1").arg(coloringName(static_cast<GraphColoring>(i))));
    connect(coloring_, &QComboBox::activated, this,
            [this](int index) { colorBy(static_cast<GraphColoring>(index)); });
    auto* shown = new QToolButton;
    shown->setObjectName(QStringLiteral("graphPhases"));
    shown->setText(tr("Phases"));
    shown->setToolTip(tr("Which phases are drawn"));
    shown->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(shown);
    using profile::Phase;
    for (const Phase phase : {Phase::Forward, Phase::Recompute, Phase::Backward, Phase::Update}) {
        QAction* action = addKeyAction(canvas_, tr("Show phase: %1").arg(phaseName(phase)), {}, [this] {
            std::set<Phase> hidden;
            for (const auto& [each, check] : phase_actions_)
                if (!check->isChecked())
                    hidden.insert(each);
            hidePhases(std::move(hidden));
        });
        action->setCheckable(true);
        action->setChecked(true);
        menu->addAction(action);
        phase_actions_.emplace_back(phase, action);
    }
    shown->setMenu(menu);
    auto* choices = new QWidget;
    auto* row = new QHBoxLayout(choices);
    row->setContentsMargins({});
    row->addWidget(coloring_);
    row->addWidget(shown);
    return choices;
}

void GraphView::colorBy(GraphColoring coloring) {
    coloring_->setCurrentIndex(static_cast<int>(coloring));
    canvas_->colorBy(coloring);
}

void GraphView::hidePhases(std::set<profile::Phase> phases) {
    QStringList names;
    for (const auto& [phase, action] : phase_actions_) {
        action->setChecked(!phases.contains(phase));
        if (phases.contains(phase))
            names << phaseName(phase);
    }
    const QSignalBlocker from_here(phases_);
    phases_->setHidden(names);
    choice_.hidden = std::move(phases);
    if (graph_)
        layOut(graph_);
}

/// That of the colours that are shown.
void GraphView::showLegend() {
    const bool by_phase = canvas_->shades().coloring() == GraphColoring::Phase;
    phases_->setVisible(by_phase && !sources().difference);
    scale_->setVisible(!by_phase && !sources().difference);
    changes_->setVisible(sources().difference);
    only_changes_->setVisible(sources().difference);
    scale_->setScale(canvas_->shades());
}

void GraphView::makeActions() {
    constexpr double zoom_step = 1.3;
    addViewAction(this, tr("Zoom in"), QStringLiteral("zoom-in"), Qt::Key_Plus,
                  tr("Come nearer (+ or wheel)"), [this] { canvas_->zoomBy(zoom_step); })
        ->setShortcuts({Qt::Key_Plus, Qt::Key_Equal, Qt::Key_W});
    addViewAction(this, tr("Zoom out"), QStringLiteral("zoom-out"), Qt::Key_Minus,
                  tr("See more (- or wheel)"), [this] { canvas_->zoomBy(1 / zoom_step); })
        ->setShortcuts({Qt::Key_Minus, Qt::Key_S});
    addViewAction(this, tr("Frame selection"), QStringLiteral("fit"), Qt::Key_F,
                  tr("Go to what is selected (F)"), [this] { frameSelection(); });
    addViewAction(this, tr("Whole graph"), QStringLiteral("whole"), Qt::Key_0, tr("Show everything (0)"),
                  [this] { canvas_->fit(); });
    QAction* full = addViewAction(this, tr("100 %"), {}, Qt::Key_1, tr("Show at full size (1)"),
                                  [this] { canvas_->zoomTo(1); });
    connect(canvas_, &GraphCanvas::viewChanged, full,
            [this, full] { full->setIconText(tr("%1 %").arg(qRound(100 * canvas_->scale()))); });
    makeFoldActions();
    addViewAction(this, tr("Search"), QStringLiteral("search"), Qt::Key_Slash,
                  tr("Search operations, layers and shapes (/)"), [this] {
                      search_->setFocus();
                      search_->selectAll();
                  });
    addViewAction(this, tr("Next hit"), QStringLiteral("down"), Qt::Key_N,
                  tr("Go to the next hit of the search (N)"), [this] { goToHit(hit_ + 1); });
    addViewAction(this, tr("Previous hit"), QStringLiteral("up"), Qt::SHIFT | Qt::Key_N,
                  tr("Go to the previous hit of the search (Shift+N)"), [this] { goToHit(hit_ - 1); });
    addViewAction(this, tr("Copy picture"), QStringLiteral("copy"), QKeySequence::Copy,
                  tr("Copy the whole drawing to the clipboard (Ctrl+C)"),
                  [this] { QApplication::clipboard()->setImage(picture()); });
    addViewAction(
        this, tr("Export…"), QStringLiteral("export"), QKeySequence(QStringLiteral("Ctrl+E")),
        tr("Save the drawing as PNG or SVG, its operations as CSV, or the graph for Graphviz (Ctrl+E)"),
        [this] { exportDialog(); });
    addKeyAction(canvas_, tr("Copy operations as a table"), {}, [this] {
        if (graph_)
            QApplication::clipboard()->setText(operationsText(*graph_, base_.get(), QLatin1Char('\t')));
    })->setObjectName(QStringLiteral("copyOperations"));
}

void GraphView::startOver(bool another) {
    if (another)
        focus_group_ = focus_node_ = no_box;
    auto gone = std::pair(std::exchange(graph_, nullptr), std::exchange(base_, nullptr));
    canvas_->setBase(nullptr, false);
    showLegend();
    hits_.clear();
    canvas_->clear(sources().current ? tr("Reading the graph …") : tr("Open a profile to see its graph."));
    freeInBackground(std::move(gone)); // the canvas has let go of it
}

void GraphView::refresh() {
    if (!graph_ || graph_->nodes.empty()) // once compiled, a graph stays as it is
        ask();
    else if (graph_->costs.elapsed() == 0)
        askCosts();
}

void GraphView::ask() {
    busy(tr("Reading the graph …"));
    sources().current->ask<OperationGraph>(
        this, QStringLiteral("graph"), &OperationGraph::read, [this](Result<OperationGraph> graph) {
            busy({});
            if (!graph)
                return canvas_->clear(QString::fromStdString(graph.error().line()));
            if (graph->nodes.empty())
                return askNothingYet(*this, tr("The program has no operations."),
                                     [this](const QString& why) { canvas_->clear(why); });
            graph->basis = basis();
            layOut(std::make_shared<const OperationGraph>(std::move(*graph)));
            askBase();
        });
}

/// Of the difference, what the base has alone is drawn, too.
void GraphView::askBase() {
    if (!sources().base)
        return;
    sources().base->ask<ComparedGraphs>(
        this, QStringLiteral("graph of base"),
        [now = graph_, by_hand = sources().by_hand](const profile::Profile& file) -> Result<ComparedGraphs> {
            TRY(const auto base, OperationGraph::read(file));
            return compareGraphs(*now, base, by_hand);
        },
        [this](Result<ComparedGraphs> compared) {
            if (!compared)
                return;
            base_ = std::make_shared<const GraphBaseline>(std::move(compared->base));
            canvas_->setBase(base_, sources().difference);
            if (sources().difference) {
                compared->both.basis = basis();
                layOut(std::make_shared<const OperationGraph>(std::move(compared->both)));
            }
            showMeasure();
            tellDetails();
        });
}

/// Shares are known when the first engine run has ended.
void GraphView::askCosts() {
    sources().current->ask<analyse::Costs>(this, QStringLiteral("graph costs"), &analyse::Costs::read,
                                           [this, shown = graph_](Result<analyse::Costs> costs) {
                                               if (!costs || costs->elapsed() == 0 || graph_ != shown)
                                                   return;
                                               auto graph = std::make_shared<OperationGraph>(*graph_);
                                               graph->costs = std::move(*costs);
                                               takeFigures(std::move(graph));
                                               tellDetails();
                                           });
}

/// What is drawn is the graph that is known: not, while another is being laid out.
bool GraphView::drawn() const {
    return graph_ && canvas_->graph() == graph_.get();
}

/// The same graph with other figures.
void GraphView::takeFigures(GraphCanvas::Graph graph) {
    if (!drawn())
        return layOut(graph);
    graph_ = std::move(graph);
    canvas_->setFigures(graph_);
}

void GraphView::basisChosen() {
    if (!graph_)
        return;
    auto graph = std::make_shared<OperationGraph>(*graph_);
    graph->basis = basis();
    takeFigures(std::move(graph));
    refresh();
    showMeasure();
    tellDetails();
}

/// What the figures in the boxes are.
void GraphView::showMeasure() {
    if (!graph_)
        return measure_->clear();
    const QString per = basisText(*graph_, base_.get());
    const QString name = sources().current ? sources().current->name() : QString();
    if (base_ && sources().base)
        return measure_->setText(
            tr("Graph of %1, change against %2, %3").arg(name, sources().base->name(), per));
    const QString time = graph_->costs.planned() > 0 ? tr("planned time") : tr("time");
    measure_->setText(tr("Graph of %1, share of each IPU's %2, %3").arg(name, time, per));
}

void GraphView::layOut(const GraphCanvas::Graph& graph) {
    if (layout_cancel_)
        layout_cancel_->cancel();
    layout_cancel_ = std::make_shared<CancelToken>();
    graph_ = graph;
    if (focus_node_ != no_box && focus_node_ >= graph->nodes.size()) // it was of the base alone
        focus_node_ = no_box;
    if (focus_group_ != no_box && focus_group_ >= graph->groups.size())
        focus_group_ = no_box;
    busy(tr("Laying out %1 operations …")
             .arg(formatCount(static_cast<std::int64_t>(graph->operations.size()))));
    sources().current->ask<Scene>(
        this, QStringLiteral("graph layout"),
        [graph, choice = choice_, metrics = canvas_->metrics(),
         cancel = layout_cancel_](const profile::Profile&) -> Result<Scene> {
            return layOutGraph(*graph, choice, metrics, cancel.get());
        },
        [this, graph](Result<Scene> scene) {
            busy({});
            if (scene && *scene && graph == graph_)
                showScene(graph, std::move(**scene));
        });
}

void GraphView::showScene(GraphCanvas::Graph graph, GraphScene scene) {
    if (scene.boxes.empty())
        return canvas_->clear(tr("All phases are hidden."));
    canvas_->setScene(std::move(graph), std::move(scene));
    showMeasure();
    if (!search_->text().isEmpty() && hits_.empty())
        search(search_->text());
    showHits();
    bringSelection();
    if (std::exchange(fits_next_, false))
        canvas_->fit();
}

void GraphView::busy(const QString& text) {
    busy_text_->setText(text);
    if (text.isEmpty()) {
        busy_timer_.stop();
        busy_text_->hide();
        busy_bar_->hide();
    } else if (!busy_timer_.isActive() && busy_bar_->isHidden()) {
        busy_timer_.start();
    }
}

void GraphView::follow(const Selection&) {
    if (choosing_)
        return;
    focus_group_ = focus_node_ = no_box;
    reveal_when_shown_ = true;
    bringSelection();
}

void GraphView::choose(std::size_t index) {
    if (index != no_box && !drawn()) // the boxes are of the graph before
        return;
    focus_group_ = focus_node_ = no_box;
    Selection s = selection() != nullptr ? selection()->current() : Selection{};
    s.operation = s.layer = s.program = s.variable = -1;
    if (index != no_box) {
        const GraphBox& box = canvas_->scene().boxes[index];
        if (box.kind == GraphBox::Kind::Node) {
            const GraphNode& node = graph_->nodes[box.index];
            focus_node_ = box.index;
            s.layer = node.layer;
            if (node.kind == GraphNode::Kind::Operation)
                s.operation = node.id;
        } else {
            focus_group_ = box.index;
            s.layer = graph_->groups[box.index].layer;
        }
    }
    choosing_ = true;
    if (selection() != nullptr)
        selection()->set(s);
    choosing_ = false;
    mark(false);
    tellDetails();
}

/// Lights up what is selected: an operation, or all boxes of a layer.
void GraphView::mark(bool bring_into_view) {
    const GraphScene& scene = canvas_->scene();
    if (!drawn() || scene.boxes.empty())
        return;
    const Selection s = selection() != nullptr ? selection()->current() : Selection{};
    std::set<std::size_t> chosen;
    std::size_t focus = no_box;
    const auto node = focus_node_ != no_box ? std::optional(focus_node_) : graph_->nodeOf(s.operation);
    if (node) {
        focus = scene.box_of_node[*node];
        if (focus != no_box) // else it is hidden
            chosen.insert(focus);
    } else {
        for (std::size_t b = 0; b < scene.boxes.size(); ++b) {
            const GraphBox& box = scene.boxes[b];
            const bool is_node = box.kind == GraphBox::Kind::Node;
            const std::size_t group = is_node ? graph_->nodes[box.index].group : box.index;
            const bool alone = is_node && !graph_->groups[group].folds();
            if (group == focus_group_ && !is_node)
                focus = b;
            if (group == focus_group_ ||
                (s.layer >= 0 && graph_->groups[group].layer == s.layer && (!is_node || alone)))
                if (!is_node || alone)
                    chosen.insert(b);
        }
        for (const GraphGroup& group : graph_->groups) // of layers that are folded into blocks
            if (s.layer >= 0 && group.layer == s.layer)
                if (const std::size_t b = scene.box_of_node[group.members.front()];
                    b != no_box && scene.boxes[b].kind == GraphBox::Kind::Group)
                    chosen.insert(b);
        if (focus == no_box && !chosen.empty())
            focus = *chosen.begin();
    }
    canvas_->setMarks(std::move(chosen), focus);
    light();
    if (bring_into_view && focus != no_box)
        canvas_->reveal(focus);
}

void GraphView::tellDetails() {
    if (!isVisible() || !drawn() || !sources().current)
        return;
    const QString topic = QStringLiteral("graph details");
    sources().current->cancel(this, topic); // what was asked is of another box
    const std::size_t focus = canvas_->marks().focus;
    const Selection s = selection() != nullptr ? selection()->current() : Selection{};
    const auto node = focus_node_ != no_box ? std::optional(focus_node_) : graph_->nodeOf(s.operation);
    if (!node) {
        const GraphBox* box = focus == no_box ? nullptr : &canvas_->scene().boxes[focus];
        if (box != nullptr && box->kind != GraphBox::Kind::Node)
            return Q_EMIT detailsChanged(groupDetails(*graph_, box->index, base_.get()));
        if (box == nullptr)
            return Q_EMIT detailsChanged(graphDetails(*graph_, base_.get()));
    }
    const std::size_t wanted = node ? *node : canvas_->scene().boxes[focus].index;
    sources().current->ask<QString>(
        this, topic,
        [graph = graph_, base = base_, wanted](const profile::Profile& file) {
            return nodeDetails(file, *graph, wanted, base.get());
        },
        [this](const Result<QString>& html) {
            if (html && isVisible())
                Q_EMIT detailsChanged(*html);
        });
}

void GraphView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    bringSelection();
}

QJsonObject GraphView::saveState() const {
    QJsonArray groups;
    for (const QString& key : choice_.unfolded)
        groups.append(key);
    QJsonArray hidden;
    for (const profile::Phase phase : choice_.hidden)
        hidden.append(phaseName(phase));
    return {{QStringLiteral("unfolded"), groups},
            {QStringLiteral("hidden"), hidden},
            {QStringLiteral("colours"), coloring_->currentIndex()}};
}

void GraphView::restoreState(const QJsonObject& state) {
    std::set<QString> groups;
    for (const auto key : state.value(QStringLiteral("unfolded")).toArray())
        groups.insert(key.toString());
    std::set<profile::Phase> hidden;
    for (const auto& [phase, action] : phase_actions_)
        if (state.value(QStringLiteral("hidden")).toArray().contains(phaseName(phase)))
            hidden.insert(phase);
    choice_.unfolded = std::move(groups);
    colorBy(static_cast<GraphColoring>(
        std::clamp(state.value(QStringLiteral("colours")).toInt(), 0, graph_colorings - 1)));
    hidePhases(std::move(hidden));
}

void GraphView::search(const QString& text) {
    hits_ = graph_ ? graph_->find(text) : std::vector<std::size_t>{};
    hit_ = -1;
    tellNews(*found_, text.trimmed().isEmpty() ? QString()
                      : hits_.empty()          ? tr("nothing found")
                                               : formatCounted(hits_.size(), tr("hit"), tr("hits")));
    showHits();
}

void GraphView::showHits() {
    std::set<std::size_t> boxes;
    for (const std::size_t node : hits_)
        if (node < canvas_->scene().box_of_node.size() && canvas_->scene().box_of_node[node] != no_box)
            boxes.insert(canvas_->scene().box_of_node[node]);
    canvas_->setHits(std::move(boxes));
}

void GraphView::goToHit(std::ptrdiff_t index) {
    if (hits_.empty() || !drawn() || canvas_->scene().boxes.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(hits_.size());
    hit_ = (index % count + count) % count;
    tellNews(*found_, tr("%1 of %2").arg(hit_ + 1).arg(count));
    const std::size_t node = hits_[static_cast<std::size_t>(hit_)];
    focus_node_ = node;
    focus_group_ = no_box;
    Selection s = selection() != nullptr ? selection()->current() : Selection{};
    s.program = s.variable = -1;
    s.layer = graph_->nodes[node].layer;
    s.operation = graph_->nodes[node].kind == GraphNode::Kind::Operation ? graph_->nodes[node].id : -1;
    choosing_ = true;
    if (selection() != nullptr)
        selection()->set(s);
    choosing_ = false;
    reveal_when_shown_ = true;
    bringSelection();
}

void GraphView::frameSelection() {
    QRectF rect;
    for (const std::size_t box : canvas_->marks().chosen)
        rect |= canvas_->scene().boxes[box].rect;
    canvas_->frame(rect.isEmpty() ? canvas_->scene().bounds : rect);
}

QImage GraphView::picture() const {
    return graph_ ? graphImage(*graph_, canvas_->scene(), Theme::of(this), font(), canvas_->shades())
                  : QImage();
}

void GraphView::exportDialog() {
    if (!graph_)
        return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export graph"), sources().current->stem() + QStringLiteral(".svg"),
        tr("SVG (*.svg);;PNG (*.png);;Operations as CSV (*.csv);;Graphviz (*.dot)"));
    if (!path.isEmpty())
        exportTo(path);
}

void GraphView::exportTo(const QString& path) {
    const auto tell = [this, path](const Result<void>& done) {
        Q_EMIT message(done ? tr("Saved %1").arg(path) : QString::fromStdString(done.error().line()));
    };
    if (path.endsWith(QLatin1String(".dot"), Qt::CaseInsensitive)) {
        sources().current->ask<void>(
            this, QStringLiteral("graph export"),
            [path](const profile::Profile& file) { return writeDot(file, path); }, tell);
        return;
    }
    if (graph_ && path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
        return tell(writeOperations(*graph_, base_.get(), path));
    if (graph_)
        tell(writePicture(*graph_, canvas_->scene(), Theme::of(this), font(), canvas_->shades(), path));
}

} // namespace tilescope::ui
