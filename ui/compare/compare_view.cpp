// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compare_view.h"

#include "analyse/tile_memory.h"
#include "base/try.h"
#include "base_offers.h"
#include "bridge_chart.h"
#include "match_panel.h"
#include "ui/compare/compare_tables.h"
#include "ui/session/format.h"
#include "ui/session/ipu_choices.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_figures.h"
#include "ui/tiles/tile_chart.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/data_table.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/joining_split.h"
#include "ui/widgets/view_action.h"
#include "ui/widgets/whole_text.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

/// Of which IPU the costs are where the selection is followed.
std::int64_t ipuOf(const Selection& s) {
    return s.ofOneIpu() ? s.ipu : analyse::every_ipu;
}

} // namespace

CompareView::CompareView(QWidget* parent)
    : View(parent), stack_(new QStackedWidget), heads_(new FlowLayout(6, 4)), answer_(new QLabel),
      differences_(new QLabel), headline_(new DataTable({}, figureColumns({}, {QString()}))),
      causes_(new DataTable({}, {{tr("Cause")},
                                 {tr("IPU time")},
                                 {tr("Fullest tile")},
                                 {tr("Share")},
                                 {tr("File")},
                                 {tr("Why"), false, true}})),
      layers_(new DataTable({}, costColumns(tr("Layer"), {}, {QString()}))),
      operations_(new DataTable({}, costColumns(tr("Operation"), {}, {QString()}))),
      plans_(new DataTable(
          tr("Plans"), {{tr("Product")}, {tr("IPU time")}, {tr("File")}, {tr("Another plan"), false, true}})),
      settings_(new DataTable(tr("Settings"),
                              {{tr("Setting")}, {tr("Base")}, {tr("New")}, {tr("File")}, {tr("Key")}})),
      matches_(new MatchPanel), bridge_(new BridgeChart), bridge_title_(new QLabel), upper_(new QWidget),
      tabs_(new QTabWidget), ipus_(new QComboBox), matched_(new QLabel), memory_title_(new QLabel),
      chart_(new TileChart) {
    heads_->setContentsMargins(16, 8, 16, 4);
    headline_->view()->setSortingEnabled(false); // its figures have units of their own
    connect(headline_->view()->horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column) {
        if (column >= 2) // a figure and its change for each file after the base
            makeBase((column - 2) / 2 + 1);
    });
    answer_->setObjectName(QStringLiteral("compareAnswer"));
    answer_->setContentsMargins(16, 4, 16, 4);
    differences_->setContentsMargins(16, 0, 16, 8);
    for (QLabel* label : {answer_, differences_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::RichText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    makeParts();
    constexpr int least_lines = 28; // below each other
    split_ = new JoiningSplit(Qt::Vertical, makeBridge(), JoiningSplit::Side::Before, tr("Bridge"), tabs_,
                              least_lines);
    connect(split_, &JoiningSplit::arranged, this, &CompareView::fitBridge);
    split_->setStretchFactor(1, 1);
    auto* page = new QWidget;
    auto* page_layout = new QVBoxLayout(page);
    page_layout->setContentsMargins(0, 0, 0, 0);
    page_layout->setSpacing(0);
    ipus_->setObjectName(QStringLiteral("compareIpus"));
    ipus_->setToolTip(tr("The IPUs whose layers, operations and tiles are compared"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 16, 0);
    head->addLayout(heads_, 1);
    matched_->setObjectName(QStringLiteral("compareMatched"));
    matched_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(matched_, &QLabel::linkActivated, this, [this] {
        tabs_->setCurrentWidget(matches_);
        matches_->setFocus();
    });
    head->setSpacing(12);
    head->addWidget(matched_);
    head->addWidget(ipus_);
    page_layout->addLayout(head);
    page_layout->addWidget(answer_);
    page_layout->addWidget(differences_);
    page_layout->addWidget(split_, 1);
    auto* empty = new QWidget;
    auto* empty_layout = new QVBoxLayout(empty);
    auto* invitation = new QLabel(tr("<h3>Nothing to compare with yet</h3>"
                                     "Choose the run that this one is measured against, or open both at "
                                     "once:<br><code>tilescope-gui --compare BASE NEW</code>"));
    invitation->setAlignment(Qt::AlignCenter);
    auto* choose_base = new QPushButton(tr("Choose the base…"));
    choose_base->setObjectName(QStringLiteral("chooseBase"));
    connect(choose_base, &QPushButton::clicked, this, &View::comparedFileWanted);
    empty_layout->addStretch();
    empty_layout->addWidget(invitation);
    empty_layout->addWidget(choose_base, 0, Qt::AlignHCenter);
    empty_layout->addWidget(makeOffers(), 0, Qt::AlignHCenter);
    empty_layout->addStretch();
    stack_->addWidget(empty);
    stack_->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    setFocusProxy(choose_base);
    connect(stack_, &QStackedWidget::currentChanged, this, [this, page, choose_base] {
        const bool compares = stack_->currentWidget() == page;
        const bool focused = isAncestorOf(QApplication::focusWidget());
        setFocusProxy(compares ? static_cast<QWidget*>(causes_->view()) : choose_base);
        if (focused)
            setFocus();
    });
    connect(causes_, &DataTable::keyActivated, this, &CompareView::goToCause);
    for (const DataTable* table : {layers_, operations_})
        connect(table, &DataTable::keyActivated, this,
                [this] { Q_EMIT viewRequested(QStringLiteral("operations")); });
    for (const DataTable* of_layers : {causes_, layers_})
        connect(of_layers, &DataTable::keyChosen, this, [this](std::int64_t layer) { choose(-1, layer); });
    connect(operations_, &DataTable::keyChosen, this, &CompareView::chooseOperation);
    connect(bridge_, &BridgeChart::layerChosen, this, [this](const QString& name) {
        const auto layer = layer_ids_.find(name.toStdString());
        choose(-1, layer == layer_ids_.end() ? -1 : layer->second);
    });
    offerPlaces();
    connect(matches_, &MatchPanel::matched, this, &View::matchesRequested);
    connect(matches_, &MatchPanel::partChosen, this, &CompareView::choosePart);
    connect(ipus_, &QComboBox::activated, this, [this] { chooseIpu(ipus_->currentData().toLongLong()); });
    connect(chart_, &TileChart::tilesSelected, this, [this](const std::vector<std::int64_t>& tiles) {
        if (selection() == nullptr)
            return;
        Selection s = selection()->current();
        s.lookAt(tiles_ipu_, tiles);
        followed_ipu_ = ipuOf(s);
        selection()->set(s);
    });
}

/// The elapsed time from base to new: as high as its bars need; where there is less room, it scrolls.
QWidget* CompareView::makeBridge() {
    bridge_title_->setObjectName(QStringLiteral("compareBridgeTitle"));
    bridge_title_->setContentsMargins(12, 6, 12, 0);
    bridge_title_->setToolTip(
        tr("Elapsed time, and what is added to it and taken from it; of several IPUs their mean"));
    auto* scrolled = new QScrollArea;
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidgetResizable(true);
    scrolled->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scrolled->setWidget(bridge_);
    auto* column = new QVBoxLayout(upper_);
    column->setContentsMargins({});
    column->setSpacing(0);
    column->addWidget(bridge_title_);
    column->addWidget(scrolled, 1);
    return upper_;
}

void CompareView::makeParts() {
    causes_->setObjectName(QStringLiteral("compareCauses"));
    constexpr int why = 5, another_plan = 3; // columns
    showWholeText(*causes_, why);
    causes_->wrapTexts();
    causes_->view()->setTextElideMode(Qt::ElideRight); // names are single words, and may be long
    showWholeText(*plans_, another_plan);
    operations_->setObjectName(QStringLiteral("compareOperations"));
    plans_->setObjectName(QStringLiteral("comparePlans"));
    settings_->setObjectName(QStringLiteral("compareSettings"));
    auto* memory = new QWidget;
    auto* memory_layout = new QVBoxLayout(memory);
    memory_layout->setContentsMargins(12, 8, 12, 8);
    memory_title_->setObjectName(QStringLiteral("compareMemoryTitle"));
    memory_title_->setWordWrap(true);
    memory_layout->addWidget(memory_title_);
    memory_layout->addWidget(chart_, 1);
    memory->setFocusProxy(chart_);
    tabs_->setObjectName(QStringLiteral("compareParts"));
    tabs_->setDocumentMode(true);
    tabs_->addTab(causes_, tr("Causes"));
    tabs_->addTab(headline_, tr("Figures"));
    tabs_->addTab(layers_, tr("Layers"));
    tabs_->addTab(operations_, tr("Operations"));
    tabs_->addTab(plans_, tr("Plans"));
    tabs_->addTab(memory, tr("Memory"));
    tabs_->addTab(settings_, tr("Settings"));
    tabs_->addTab(matches_, tr("Matches"));
    addTabKeys(this, tabs_);
    connect(plans_, &DataTable::keyChosen, this, &CompareView::chooseOperation);
    connect(plans_, &DataTable::keyActivated, this,
            [this] { Q_EMIT viewRequested(QStringLiteral("operations")); });
}

void CompareView::startOver(bool /*another*/) {
    ipu_ = analyse::every_ipu;
    busy_ = stale_ = false;
    told_.reset();
    bridge_at_.reset();
    stack_->setCurrentIndex(sources().base && sources().current ? 1 : 0);
    paths_.clear();
    names_.clear();
    front_ = 0;
    if (!sources().base || !sources().current)
        return;
    auto files = sources().compared;
    if (files.empty())
        files = {sources().base, sources().current};
    for (std::size_t i = 0; i < files.size(); ++i) {
        paths_ << files[i]->path();
        names_ << files[i]->name();
        if (files[i] == sources().current)
            front_ = i - 1; // the base is none of the runs
    }
    matches_->setPair(paths_.front(), sources().current->path());
    makeHeads();
}

/// A head for each file: a click makes it the base. They stay where they are of the same files in the same
/// order, as when one has grown.
void CompareView::makeHeads() {
    const auto wanted = std::tuple(paths_, names_, front_);
    if (std::exchange(headed_, wanted) == wanted)
        return;
    while (QLayoutItem* item = heads_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide(); // it is drawn until it goes
            item->widget()->deleteLater();
        }
        delete item;
    }
    const auto add = [this](const QString& words, const char* name, const QString& tip) {
        auto* button = new QToolButton;
        button->setText(words);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(tip);
        heads_->addWidget(button);
        return button;
    };
    for (int i = 0; i < paths_.size(); ++i) {
        const bool front = i == static_cast<int>(front_) + 1;
        QToolButton* head = add(i == 0  ? tr("%1 (base)").arg(names_[i])
                                : front ? tr("%1 (new)").arg(names_[i])
                                        : names_[i],
                                "compareHead",
                                i == 0 ? tr("%1\nAll others are compared with it").arg(paths_[i])
                                       : tr("%1\nClick to make it the base").arg(paths_[i]));
        head->setCheckable(true);
        head->setChecked(i == 0);
        connect(head, &QToolButton::clicked, this, [this, i, head] {
            head->setChecked(i == 0);
            makeBase(i);
        });
        if (i > 0 && paths_.size() > 2) {
            auto* out = new QAction(tr("Take it out of the comparison"), head);
            connect(out, &QAction::triggered, this, [this, i] {
                QStringList left = paths_;
                left.removeAt(i);
                Q_EMIT comparisonRequested(left);
            });
            head->addAction(out);
            offerActions(head);
        }
    }
    connect(add(tr("Swap"), "compareSwap", tr("The file in front becomes the base, the base comes in front")),
            &QToolButton::clicked, this, [this] { makeBase(static_cast<int>(front_) + 1); });
    connect(add(tr("+ Add a file"), "compareAdd", tr("Compare another file with the base, too")),
            &QToolButton::clicked, this, &View::comparedFileWanted);
}

/// The two change places; the other columns stay where they are.
void CompareView::makeBase(int file) {
    if (file < 1 || file >= paths_.size())
        return;
    QStringList others = paths_;
    others.swapItemsAt(0, file);
    Q_EMIT comparisonRequested(others);
}

void CompareView::basisChosen() {
    refresh();
}

/// The comparison needs both files: it opens the base beside the new one, on the new one's thread. While one
/// is under way the next waits, so that a file that grows does not keep it from ending.
void CompareView::refresh() {
    if (!sources().base || !sources().current)
        return offers_->look();
    stale_ = busy_;
    if (busy_)
        return;
    busy_ = true;
    sources().current->ask<Compared>(
        this, QStringLiteral("comparison"),
        [asked = question()](const profile::Profile& now) { return read(now, asked); },
        [this, asked = question()](Result<Compared> compared) {
            busy_ = false;
            if (!compared)
                Q_EMIT message(QString::fromStdString(compared.error().line()));
            else if (asked == question())
                showComparison(std::move(*compared));
            if (stale_)
                refresh();
        });
}

CompareView::Question CompareView::question() const {
    std::vector<analyse::HandMatches> by_hand = sources().compared_by_hand;
    by_hand.resize(static_cast<std::size_t>(paths_.size()) - 1);
    by_hand[front_] = sources().by_hand;
    std::vector<std::string> paths;
    for (const QString& path : paths_)
        paths.push_back(path.toStdString());
    return {std::move(paths), names_.mid(1), front_, ipu_, basis(), std::move(by_hand)};
}

void CompareView::chooseIpu(std::int64_t ipu) {
    if (selection() != nullptr && ipu != analyse::every_ipu) {
        Selection s = selection()->current();
        s.lookAt(ipu);
        followed_ipu_ = ipu;
        selection()->set(s);
    }
    showIpu(ipu);
}

void CompareView::showIpu(std::int64_t ipu) {
    if (ipu == ipu_)
        return;
    ipu_ = ipu;
    if (sources().base && sources().current)
        refresh();
}

void CompareView::follow(const Selection& s) {
    const bool only = ipus_->count() <= 1; // there is nothing but all of it
    if (const std::int64_t ipu = ipuOf(s); std::exchange(followed_ipu_, ipu) != ipu && !only)
        showIpu(ipu); // chosen in another view
    // Several causes may be of one layer, and some are of none: a row that is chosen stays so.
    const QVariant chosen = causes_->view()->currentIndex().data(DataTableModel::KeyRole);
    if (!chosen.isValid() || chosen.toLongLong() != s.layer)
        causes_->selectKey(s.layer);
    layers_->selectKey(s.layer);
    operations_->selectKey(s.operation);
    const auto name_of = [](const std::map<std::string, std::int64_t>& ids, std::int64_t id) {
        const auto found =
            std::find_if(ids.begin(), ids.end(), [id](const auto& each) { return each.second == id; });
        return found == ids.end() ? std::string() : found->first;
    };
    if (s.operation >= 0)
        matches_->selectPart(analyse::PartKind::Operation, name_of(operation_ids_, s.operation));
    else if (s.layer >= 0)
        matches_->selectPart(analyse::PartKind::Layer, name_of(layer_ids_, s.layer));
    chart_->setSelectedTiles(s.ipu == tiles_ipu_ ? s.tiles : std::vector<std::int64_t>());
    if (bridge_at_ != std::pair(s.operation, s.layer))
        bridge_at_.reset(); // others were selected since, and it is not told of when these are again
    tellDetails();
}

/// Selects what the new file has; a row of the base alone selects nothing.
void CompareView::choose(std::int64_t operation, std::int64_t layer) {
    if (selection() == nullptr)
        return;
    bridge_at_.reset();
    Selection s = selection()->current();
    s.operation = operation;
    s.layer = layer;
    s.program = s.variable = -1;
    if (s == selection()->current()) // what a part of the bridge is mostly made of
        return tellDetails();
    selection()->set(s);
}

void CompareView::showBridge(const analyse::Comparison& c) {
    const QString& base = names_.front();
    const QString& now = names_[static_cast<qsizetype>(front_) + 1];
    bridge_title_->setText(
        inHtml(tr("<b>What the difference is made of</b>, %1"), {text(analyse::per(c.basis))}));
    bridge_->setBridge(c.bridge, base, now,
                       !c.both_compiled()
                           ? tr("One of the two has no compilation.")
                           : tr("One of the two was never run on an IPU: its time is not known."));
    fitBridge();
}

/// Beside the tables it is no higher than its bars need; as one of their tabs it has the height that there
/// is.
void CompareView::fitBridge() {
    const int wanted = split_->joined() ? QWIDGETSIZE_MAX
                                        : bridge_title_->sizeHint().height() + bridge_->sizeHint().height();
    if (upper_->maximumHeight() == wanted)
        return; // it stays as it was dragged
    upper_->setMaximumHeight(wanted);
    if (split_->joined())
        return;
    constexpr double part = 0.45; // at most: in a small window it scrolls
    const int upper = std::min(wanted, static_cast<int>(part * split_->height()));
    split_->setSizes({upper, split_->height() - upper});
}

/// What follows from the comparison besides figures: other plans, other settings, and what is the same.
void CompareView::showParts(Compared& compared, const QString& scope) {
    const auto& runs = compared.runs;
    const QStringList names = names_.mid(1);
    const auto told = [](const QString& name, const std::vector<TableRow>& rows) {
        return rows.empty() ? name : QStringLiteral("%1 %2").arg(name, formatCount(std::ssize(rows)));
    };
    const auto show = [&](DataTable* table, std::vector<TableRow> rows, const QString& name,
                          int file_column) {
        tabs_->setTabText(tabs_->indexOf(table), told(name, rows));
        table->showColumn(file_column, runs.size() > 1);
        table->setRows(std::move(rows));
    };
    std::vector<TableRow>& plans = compared.plan_rows;
    plans_->setCaption(plans.empty()
                           ? tr("No other plan makes a difference.")
                           : tr("products of which another plan was chosen, IPU time %1").arg(scope));
    show(plans_, std::move(plans), tr("Plans"), 2);
    auto settings = settingRows(runs, names);
    settings_->setCaption(settings.empty() ? tr("Nothing differs in what was asked for.")
                                           : tr("what was asked for otherwise, what weighs most first"));
    show(settings_, std::move(settings), tr("Settings"), 3);
    const auto matched =
        std::count_if(compared.matches.begin(), compared.matches.end(),
                      [](const analyse::MatchedPart& part) { return part.ground.has_value(); });
    const bool compares = runs[front_].both_compiled();
    matched_->setVisible(compares);
    matched_->setText(inHtml(tr("Matched: %1 of %2 &nbsp; <a href='review'>Review</a>"),
                             {formatCount(matched), formatCount(std::ssize(compared.matches))}));
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
    offerIpus(*ipus_, tr("All IPUs"), ipus);
    ipus_->setCurrentIndex(std::max(0, ipus_->findData(QVariant::fromValue<qlonglong>(ipu_))));
    ipus_->setVisible(ipus.size() > 1);
}

void CompareView::showComparison(Compared compared) {
    const auto& runs = compared.runs;
    const analyse::Comparison& c = runs[front_];
    const QString& base = names_.front();
    const QStringList names = names_.mid(1);
    const bool several = runs.size() > 1;
    layer_of_operation_ = std::move(compared.layer_of_operation);
    layer_ids_ = std::move(compared.layers);
    operation_ids_ = std::move(compared.operations);
    showIpus(compared.ipus);
    answer_->setText(keepFiguresWholeInHtml(answersText(runs, base, names)));
    answer_->setVisible(!answer_->text().isEmpty());
    constexpr qsizetype longest = 40; // a list of stages would fill the page, and widen the window
    differences_->setText(keepFiguresWholeInHtml(differencesText(runs, base, names, longest)));
    differences_->setToolTip(differencesText(runs, base, names));
    showBridge(c);
    headline_->setColumns(figureColumns(base, names));
    headline_->setRows(figureRows(runs));
    headline_->setCaption(tr("of the whole runs"));
    const QString per = QString::fromStdString(analyse::per(c.basis));
    const QString scope =
        c.ipu == analyse::every_ipu ? tr("%1, one replica").arg(per) : tr("%1, IPU %2").arg(per).arg(c.ipu);
    const QString& front = names[static_cast<qsizetype>(front_)];
    const QString not_compared =
        c.both_compiled() ? QString()
                          : tr("not compared: %1 has no compilation").arg(c.base.compiled ? front : base);
    std::vector<TableRow>& causes = compared.cause_rows;
    constexpr int bytes_column = 2, file_column = 4;
    causes_->showColumn(bytes_column, std::any_of(runs.begin(), runs.end(), [](const auto& run) {
                            return !run.memory_causes.empty();
                        }));
    causes_->showColumn(file_column, several);
    causes_->setCaption(
        !not_compared.isEmpty() ? not_compared
        : causes.empty()        ? tr("The IPU time and the fullest tile are the same.")
        : several
            ? tr("IPU time %1, and the fullest tile with gaps; the causes of a file add up to its change")
                  .arg(scope)
            : tr("IPU time %1, and the fullest tile with gaps; the causes add up to the change").arg(scope));
    causes_->setRows(std::move(causes));
    layers_->setColumns(costColumns(tr("Layer"), base, names));
    layers_->setRows(std::move(compared.layer_rows));
    layers_->setCaption(not_compared.isEmpty() ? scope : not_compared);
    operations_->setColumns(costColumns(tr("Operation"), base, names));
    operations_->setRows(std::move(compared.operation_rows));
    operations_->setCaption(not_compared.isEmpty() ? tr("%1; %2 added, %3 removed")
                                                         .arg(scope)
                                                         .arg(c.added_operations.size())
                                                         .arg(c.removed_operations.size())
                                                   : not_compared);
    showParts(compared, scope);
    matches_->show(c.both_compiled() ? std::move(compared.matches) : std::vector<analyse::MatchedPart>(),
                   question().by_hand[front_], base, front);
    showMemory(compared.tiles, compared.base_tiles);
    clock_hz_ = compared.clock_hz;
    told_ = std::move(compared.runs[front_]);
    followNow();
}

} // namespace tilescope::ui
