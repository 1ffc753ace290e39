// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_view.h"

#include "phase_bar_delegate.h"
#include "step_details.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/theme/whole_figures.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/frozen_tree.h"
#include "ui/widgets/leave_field.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/nothing_yet.h"
#include "ui/widgets/path_delegate.h"
#include "ui/widgets/table_text.h"
#include "ui/widgets/told_news.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int quiet_ms = 150; ///< after the last letter, before the rows are filtered

/// "evaluation: sequential (2 of 4 programs)"; "" where the file has one.
QString programText(const ProgramTree& tree) {
    return tree.programs.size() < 2 ? QString()
                                    : ProgramView::tr("%1 (%2 of %3 programs)")
                                          .arg(text(tree.program.label()))
                                          .arg(tree.program.id + 1)
                                          .arg(tree.programs.size());
}

/// What a whole program did, above what its root shares with all steps.
void addProgram(DetailTable& table, const ProgramTree& tree) {
    table.row(ProgramView::tr("Program"), programText(tree));
    table.row(ProgramView::tr("Steps"), formatCount(tree.program.steps));
    if (!tree.program.ran)
        return;
    table.row(ProgramView::tr("Engine runs"), formatCount(tree.program.ran->executions));
    table.row(ProgramView::tr("Batches in them"), formatCount(tree.program.ran->steps));
}

/// What the rows add up to, and where they do not.
QString captionOf(const ProgramModel& model, bool other_base) {
    const ProgramTree& tree = model.tree();
    const auto time = [&](std::int64_t of_execution) {
        const double cycles = model.perBasis(of_execution);
        return formatTime(cycles, tree.clock_hz);
    };
    const QString per = QString::fromStdString(analyse::per(model.basis()));
    const QString program = programText(tree);
    QString text =
        (program.isEmpty() ? QString() : program + QStringLiteral(": ")) +
        (tree.executed ? ProgramView::tr("%1 elapsed %2") : ProgramView::tr("Never run: it would take %1 %2"))
            .arg(time(tree.cycles_per_execution), per);
    if (tree.launch_cycles > 0)
        text += ProgramView::tr(", %1 of it before the program begins").arg(time(tree.launch_cycles));
    const bool at_once = std::any_of(tree.steps.begin(), tree.steps.end(),
                                     [](const ProgramStep& step) { return step.time.at_once; });
    if (at_once)
        text += ProgramView::tr("; IPUs work at the same time, so rows need not add up");
    if (const auto gone = model.gone())
        text += ProgramView::tr("; the base has %1 not here, of %2")
                    .arg(formatCounted(gone->first, ProgramView::tr("step that is"),
                                       ProgramView::tr("steps that are")),
                         formatTime(gone->second, model.comparedClock()));
    if (!tree.bytes_known)
        text += ProgramView::tr("; what its exchanges move is not in files of this age");
    if (other_base)
        text += ProgramView::tr("; the base has no such program");
    return text + QLatin1Char('.');
}

} // namespace

ProgramView::ProgramView(QWidget* parent)
    : View(parent), model_(new ProgramModel(this)), stack_(new QStackedWidget(this)), empty_(new QLabel),
      view_(new FrozenTree), filter_(new QLineEdit(this)), caption_(new QLabel(this)),
      found_(new QLabel(this)), typed_(new QTimer(this)) {
    view_->setObjectName(QStringLiteral("programTree"));
    view_->setModel(model_);
    view_->viewport()->installEventFilter(this);
    view_->setUniformRowHeights(true);
    view_->setAllColumnsShowFocus(true);
    view_->setTextElideMode(Qt::ElideMiddle);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setItemDelegate(new PathDelegate(view_));
    view_->setItemDelegateForColumn(ProgramModel::Share, new PhaseBarDelegate(view_));
    view_->setExpandsOnDoubleClick(true);
    view_->header()->setStretchLastSection(false);
    view_->header()->setResizeContentsPrecision(200); // of thousands of rows; those with most come first
    view_->header()->setSortIndicator(-1, Qt::AscendingOrder);
    view_->header()->setSortIndicatorClearable(true);
    view_->setSortingEnabled(true);
    typed_->setSingleShot(true);
    typed_->setInterval(quiet_ms);
    filter_->setObjectName(QStringLiteral("programFilter"));
    filter_->setPlaceholderText(tr("Filter steps, layers, kinds  ( / )"));
    filter_->setAccessibleName(tr("Filter of the program"));
    view_->setAccessibleName(tr("Program steps"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    found_->setObjectName(QStringLiteral("programFound"));
    caption_->setObjectName(QStringLiteral("programCaption"));
    caption_->setForegroundRole(QPalette::PlaceholderText);
    caption_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setForegroundRole(QPalette::PlaceholderText);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 12, 6);
    head->setSpacing(14);
    head->addWidget(filter_, 1);
    head->addWidget(found_, 1);
    auto* phases = new Legend(phaseEntries, this);
    phases->controls(view_);
    connect(phases, &Legend::hiddenChanged, view_->viewport(), [this] { view_->viewport()->update(); });
    head->addWidget(phases);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    caption_->setContentsMargins(12, 8, 12, 0);
    layout->addWidget(caption_);
    layout->addLayout(head);
    layout->addWidget(stack_, 1);
    stack_->addWidget(empty_);
    stack_->addWidget(view_);
    empty_->setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(empty_);
    makeActions();
    makeMenu();
    connect(filter_, &QLineEdit::textChanged, typed_, qOverload<>(&QTimer::start));
    connect(filter_, &QLineEdit::returnPressed, this, [this] { goToHit(1); });
    leaveFieldBy({Qt::Key_Escape}, filter_, [this] { stack_->currentWidget()->setFocus(); });
    connect(typed_, &QTimer::timeout, this, &ProgramView::filter);
    connect(model_, &QAbstractItemModel::modelReset, this, &ProgramView::unfold);
    connect(view_, &QTreeView::expanded, this, [this](const QModelIndex& row) { rememberFold(row, true); });
    connect(view_, &QTreeView::collapsed, this, [this](const QModelIndex& row) { rememberFold(row, false); });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ProgramView::choose);
}

void ProgramView::makeActions() {
    addViewAction(this, tr("Expand all"), QStringLiteral("expand"),
                  QKeySequence(QStringLiteral("Ctrl+Shift+E")), tr("Show every step (Ctrl+Shift+E)"), [this] {
                      auto& unfolded = unfolded_[shown_];
                      for (const ProgramStep& step : model_->tree().steps)
                          if (!step.leaf())
                              unfolded.insert(step.key);
                      refold();
                  });
    addViewAction(this, tr("Collapse"), QStringLiteral("collapse"),
                  QKeySequence(QStringLiteral("Ctrl+Shift+L")), tr("Show the operations only (Ctrl+Shift+L)"),
                  [this] {
                      foldAtFirst();
                      refold();
                  });
    QAction* flat =
        addViewAction(this, tr("Flat"), QStringLiteral("list"), QKeySequence(QStringLiteral("Shift+F")),
                      tr("Operations beside each other, to sort them all (Shift+F)"), [] {});
    flat->setCheckable(true);
    connect(flat, &QAction::toggled, this, [this](bool on) { model_->setFlat(on); });
    addViewAction(this, tr("Filter"), QStringLiteral("search"), Qt::Key_Slash,
                  tr("Show the steps with a name (/)"), [this] {
                      filter_->setFocus();
                      filter_->selectAll();
                  });
    addViewAction(this, tr("Next hit"), QStringLiteral("down"), Qt::Key_N,
                  tr("Go to the next step that the filter found (N)"), [this] { goToHit(1); });
    addViewAction(this, tr("Previous hit"), QStringLiteral("up"), QKeySequence(QStringLiteral("Shift+N")),
                  tr("Go to the previous step that the filter found (Shift+N)"), [this] { goToHit(-1); });
    addViewAction(this, tr("Copy"), QStringLiteral("copy"), QKeySequence::Copy,
                  tr("Copy the rows that are shown (Ctrl+C)"),
                  [this] { QApplication::clipboard()->setText(toText(QLatin1Char('\t'))); });
    addViewAction(this, tr("Export as CSV…"), QStringLiteral("export"),
                  QKeySequence(QStringLiteral("Ctrl+E")), tr("Save the rows that are shown (Ctrl+E)"),
                  [this] { exportDialog(); })
        ->setShortcuts({Qt::CTRL | Qt::Key_E, csvKeys()});
    addPictureActions(view_, tr("Program"));
}

/// The one that is shown has the focus where the other had it: else a field would take it, and the letters of
/// shortcuts with it.
void ProgramView::showPage(QWidget* page) {
    const bool focused = stack_->currentWidget()->hasFocus();
    stack_->setCurrentWidget(page);
    setFocusProxy(page);
    if (focused)
        page->setFocus();
}

void ProgramView::startOver(bool /*another*/) {
    empty_->setText(sources().current ? tr("Reading the program …")
                                      : tr("Open a profile to see its program."));
    showPage(empty_);
    caption_->clear();
    model_->setTree({});
}

void ProgramView::refresh() {
    const ProgramTree& tree = model_->tree(); // once compiled, a program stays as it is
    if (tree.steps.empty() || (!deviceProgram().empty() && deviceProgram() != tree.program.key))
        ask();
}

void ProgramView::ask() {
    sources().current->ask<ProgramTree>(
        this, QStringLiteral("program"),
        [key = deviceProgram()](const profile::Profile& file) { return ProgramTree::read(file, key); },
        [this](Result<ProgramTree> tree) {
            if (!tree)
                return empty_->setText(text(tree.error().line()));
            showTree(std::move(*tree));
            askBase();
        });
}

void ProgramView::askBase() {
    other_base_ = false;
    if (!sources().base)
        return showBase(nullptr);
    sources().base->ask<ProgramTree>(
        this, QStringLiteral("program of base"),
        [now = model_->tree().parts, by_hand = sources().by_hand,
         key = model_->tree().program.id > 0 ? model_->tree().program.key : std::string()](
            const profile::Profile& file) { return ProgramTree::readBase(file, now, key, by_hand); },
        [this](Result<ProgramTree> tree) {
            if (!tree)
                return;
            const std::string& here = model_->tree().program.key;
            other_base_ = model_->tree().program.id > 0 && tree->program.key != here;
            showBase(other_base_ ? nullptr : &*tree);
            freeInBackground(std::move(*tree));
        });
}

void ProgramView::showBase(const ProgramTree* base) {
    model_->setBase(base);
    showBasis();
}

void ProgramView::programChosen() {
    if (sources().current)
        ask();
}

void ProgramView::basisChosen() {
    model_->setBasis(basis());
    showBasis();
}

/// What figures are per has changed.
void ProgramView::showBasis() {
    if (model_->tree().steps.empty())
        return;
    caption_->setText(keepFiguresWhole(captionOf(*model_, other_base_)));
    fitColumns();
    tellDetails();
}

void ProgramView::showTree(ProgramTree tree) {
    if (tree.steps.empty())
        return askNothingYet(*this, tr("The program has no steps."),
                             [this](const QString& why) { empty_->setText(why); });
    shown_ = sources().current->path() + QLatin1Char('\n') + text(tree.program.key);
    const bool first = !unfolded_.contains(shown_);
    model_->setTree(std::move(tree));
    caption_->setText(keepFiguresWhole(captionOf(*model_, other_base_)));
    if (first) {
        foldAtFirst();
        refold();
    }
    hit_ = no_row;
    showHitCount();
    followNow(); // first: a tree that gets the focus makes a row current where none is
    showPage(view_);
    if (sources().base) // else it is told at once that there is none, which fits them
        fitColumns();
    view_->scrollTo(view_->currentIndex());
}

/// Down to the operations, or the stages of a pipeline and the weight update as a whole; a small program
/// altogether.
void ProgramView::foldAtFirst() {
    constexpr std::size_t small = 60;
    auto& unfolded = unfolded_[shown_];
    unfolded.clear();
    const ProgramTree& tree = model_->tree();
    const auto holds = [&](const ProgramStep& step) { // operations or stages, being none itself
        return !step.ofOperation() && step.stage_ipu < 0 && step.part != profile::ProgramPart::Update &&
               std::any_of(step.children.begin(), step.children.end(),
                           [&](std::size_t child) { return !tree.steps[child].leaf(); });
    };
    for (const ProgramStep& step : tree.steps)
        if (!step.leaf() && (tree.steps.size() <= small || step.parent == no_row || holds(step)))
            unfolded.insert(step.key);
}

/// Unfolds what was unfolded, or what is above the hits, in rows that have just been set.
void ProgramView::unfold() {
    const QSignalBlocker not_by_hand(view_);
    const ProgramTree& tree = model_->tree();
    if (model_->filtered()) {
        for (const std::size_t step : model_->shownHits().unfolded)
            view_->expand(model_->indexOf(step));
    } else if (const auto unfolded = unfolded_.find(shown_); unfolded != unfolded_.end()) {
        for (std::size_t step = 0; step < tree.steps.size(); ++step)
            if (!tree.steps[step].leaf() && unfolded->second.contains(tree.steps[step].key))
                view_->expand(model_->indexOf(step));
    }
    if (selection() == nullptr)
        return;
    QModelIndex row = model_->indexOf(stepOf(selection()->current()));
    for (QModelIndex above = row.parent(); above.isValid(); above = above.parent())
        if (!view_->isExpanded(above))
            return; // to show it would unfold what is folded
    choosing_ = true;
    view_->setCurrentIndex(row);
    choosing_ = false;
}

void ProgramView::refold() {
    view_->reset();
    unfold();
}

void ProgramView::rememberFold(const QModelIndex& row, bool unfolded) {
    if (model_->filtered())
        return;
    const std::uint64_t key = model_->tree().steps[model_->stepAt(row)].key;
    if (unfolded)
        unfolded_[shown_].insert(key);
    else
        unfolded_[shown_].erase(key);
}

void ProgramView::fitColumns() {
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    QHeaderView* header = view_->header();
    const bool difference = sources().difference && model_->comparing();
    for (int c = ProgramModel::Runs; c < model_->columnCount(); ++c) {
        const bool of_base =
            c == ProgramModel::Base || c == ProgramModel::Difference || c == ProgramModel::Change;
        header->setSectionHidden(c, of_base ? !model_->comparing() : difference && c != ProgramModel::InAll);
    }
    for (int c = ProgramModel::Runs; c < model_->columnCount(); ++c) {
        view_->resizeColumnToContents(c);
        header->resizeSection(c, c == ProgramModel::Share ? digit * 24 : header->sectionSize(c) + digit);
    }
    fitNames();
}

/// Names get the room that the figures leave, but always enough to be read.
void ProgramView::fitNames() {
    QHeaderView* header = view_->header();
    const int figures = header->length() - header->sectionSize(ProgramModel::Step);
    const int least = fontMetrics().averageCharWidth() * 40;
    header->resizeSection(ProgramModel::Step, std::max(least, view_->viewport()->width() - figures));
}

bool ProgramView::eventFilter(QObject* of, QEvent* event) {
    if (event->type() == QEvent::Resize)
        fitNames();
    return View::eventFilter(of, event);
}

void ProgramView::filter() {
    typed_->stop();
    hit_ = no_row;
    model_->setFilter(filter_->text());
    const bool nothing = model_->filtered() && model_->hits().empty();
    if (nothing)
        empty_->setText(tr("Nothing matches “%1”.").arg(filter_->text()));
    if (!model_->tree().steps.empty())
        showPage(nothing ? static_cast<QWidget*>(empty_) : view_);
    showHitCount();
}

void ProgramView::showHitCount() {
    const std::size_t hits = model_->hits().size();
    const std::size_t shown = model_->shownHits().end - model_->shownHits().first;
    const auto count = [](std::size_t n) { return formatCount(static_cast<std::int64_t>(n)); };
    tellNews(*found_,
             !model_->filtered() ? QString()
             : hit_ != no_row    ? tr("%1 of %2").arg(count(hit_ + 1), count(hits))
             : shown < hits
                 ? tr("%1 hits, %2 shown; narrow the filter or step with N").arg(count(hits), count(shown))
                 : formatCounted(hits, tr("hit"), tr("hits")));
}

void ProgramView::goToHit(int step) {
    if (typed_->isActive())
        filter();
    const std::size_t hits = model_->hits().size();
    if (hits == 0)
        return;
    hit_ = hit_ == no_row ? (step > 0 ? 0 : hits - 1) : (hit_ + (step > 0 ? 1 : hits - 1)) % hits;
    if (hit_ < model_->shownHits().first || hit_ >= model_->shownHits().end)
        model_->showHitsFrom(hit_);
    showHitCount();
    view_->setCurrentIndex(model_->indexOf(model_->hits()[hit_]));
}

void ProgramView::choose(const QModelIndex& row) {
    if (choosing_ || !row.isValid() || selection() == nullptr)
        return;
    const ProgramStep& step = model_->tree().steps[model_->stepAt(row)];
    Selection s = selection()->current();
    s.program = step.stage_ipu < 0 ? step.id : -1;
    if (step.stage_ipu >= 0)
        s.lookAt(step.stage_ipu);
    s.operation = std::max<std::int64_t>(-1, step.operation);
    s.layer = step.layer;
    s.variable = -1;
    selection()->set(s);
}

std::size_t ProgramView::stepOf(const Selection& s) const {
    const ProgramTree& tree = model_->tree();
    if (const auto exact = tree.step_of_id.find(s.program);
        exact != tree.step_of_id.end() && tree.steps[exact->second].stage_ipu < 0)
        return exact->second;
    const std::size_t step = tree.stepOfOperation(s.operation);
    return step == no_row ? tree.stepOfLayer(s.layer) : step;
}

void ProgramView::follow(const Selection& s) {
    if (model_->tree().steps.empty())
        return;
    model_->setMarked(s.operation, s.layer);
    view_->viewport()->update();
    const std::size_t step = stepOf(s);
    const QModelIndex row = model_->indexOf(step);
    choosing_ = true;
    if (row.isValid() && row != view_->currentIndex().siblingAtColumn(0)) {
        view_->setCurrentIndex(row);
        view_->scrollTo(row);
    } else if (step == no_row) {
        view_->setCurrentIndex({});
        view_->clearSelection();
    }
    choosing_ = false;
    tellDetails();
}

void ProgramView::tellDetails() {
    if (!isVisible() || !sources().current || model_->tree().steps.empty())
        return;
    const QModelIndex row = view_->currentIndex();
    const ProgramTree& tree = model_->tree();
    const ProgramStep& step = // nothing is selected: the whole program
        tree.steps[row.isValid() ? model_->stepAt(row) : tree.roots.front()];
    const auto layer = tree.layers.find(step.layer);
    DetailTable table;
    if (step.parent == ProgramStep::none)
        addProgram(table, tree);
    sources().current->ask<QString>(
        this, QStringLiteral("program details"),
        [step, layer = layer == tree.layers.end() ? QString() : layer->second,
         measure = StepMeasure{tree.clock_hz, tree.ipus, model_->basis(), tree.loops},
         table](const profile::Profile& file) { return stepDetails(file, step, layer, measure, table); },
        [this](const Result<QString>& html) {
            if (html && isVisible())
                Q_EMIT detailsChanged(*html);
        });
}

void ProgramView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (view_->currentIndex().isValid())
        view_->scrollTo(view_->currentIndex());
}

QString ProgramView::toText(QChar separator) const {
    QStringList line;
    for (int c = 0; c < model_->columnCount(); ++c)
        if (!view_->isColumnHidden(c))
            line << model_->headerData(c, Qt::Horizontal, ProgramModel::ExactRole).toString();
    QString text = tableLine(line, separator);
    for (QModelIndex row = model_->index(0, 0); row.isValid(); row = view_->indexBelow(row)) {
        line.clear();
        for (int c = 0; c < model_->columnCount(); ++c)
            if (!view_->isColumnHidden(c))
                line << row.siblingAtColumn(c).data(ProgramModel::ExactRole).toString();
        for (QModelIndex above = row.parent(); above.isValid(); above = above.parent())
            line.first().prepend(QStringLiteral("  "));
        text += tableLine(line, separator);
    }
    return text;
}

void ProgramView::exportDialog() {
    if (!sources().current)
        return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export program"), sources().current->stem() + QStringLiteral("-program.csv"),
        tr("CSV (*.csv)"));
    if (path.isEmpty())
        return;
    const QByteArray csv = toText(QLatin1Char(',')).toUtf8();
    QSaveFile file(path);
    const bool saved = file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit();
    Q_EMIT message(saved ? tr("Saved %1").arg(path) : tr("%1: %2").arg(path, file.errorString()));
}

} // namespace tilescope::ui
