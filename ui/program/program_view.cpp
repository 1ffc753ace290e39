// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/program/program_view.h"

#include "ui/program/phase_bar_delegate.h"
#include "ui/session/format.h"
#include "ui/widgets/detail_table.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/table_text.h"
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
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

/// All that the panel at the side says of a step; what it shares with the graph is that view's.
Result<QString> stepDetails(const profile::Profile& file, const ProgramStep& step, const QString& layer,
                            double clock_hz) {
    const auto vertices = file.vertices(step.compute_set);
    if (!vertices)
        return Failure(vertices.error());
    DetailTable table;
    table.row(ProgramView::tr("Kind"), stepKindName(step.kind));
    table.row(ProgramView::tr("Layer"), layer);
    table.row(ProgramView::tr("Repeats"), step.repeats > 1 ? formatCount(step.repeats) : QString());
    table.row(ProgramView::tr("Runs"), ProgramView::tr("%1 in one execution").arg(formatCount(step.runs)));
    const auto cycles = [&](const QString& name, std::int64_t value) {
        if (value > 0)
            table.row(name, clock_hz > 0 ? QStringLiteral("%1 (%2)").arg(formatCycles(value),
                                                                         formatTime(value, clock_hz))
                                         : formatCycles(value));
    };
    cycles(ProgramView::tr("Each run"), step.cycles.total());
    cycles(ProgramView::tr("Compute"), step.cycles.compute);
    cycles(ProgramView::tr("Exchange"), step.cycles.exchange);
    cycles(ProgramView::tr("Inter-IPU"), step.cycles.inter_ipu);
    cycles(ProgramView::tr("Sync"), step.cycles.sync);
    cycles(ProgramView::tr("Host"), step.cycles.host);
    table.row(ProgramView::tr("Share"), formatPercent(step.share));
    table.row(ProgramView::tr("Moved"),
              step.bytes > 0 ? formatBytes(static_cast<double>(step.bytes)) : QString());
    if (step.balance >= 0) {
        table.row(ProgramView::tr("Balance"), formatPercent(step.balance));
        QStringList lines;
        for (const profile::VertexRecord& vertex : *vertices)
            lines << ProgramView::tr("%1 × %2 on %3 tiles")
                         .arg(formatCount(vertex.count), QString::fromStdString(vertex.codelet),
                              formatCount(vertex.tiles));
        table.row(ProgramView::tr("Vertices"), lines.join(QLatin1Char('\n')));
    }
    return table.html(step.name);
}

} // namespace

ProgramView::ProgramView(QWidget* parent)
    : View(parent), model_(new ProgramModel(this)), proxy_(new QSortFilterProxyModel(this)),
      stack_(new QStackedWidget(this)), empty_(new QLabel), view_(new QTreeView),
      filter_(new QLineEdit(this)), caption_(new QLabel(this)) {
    proxy_->setSourceModel(model_);
    proxy_->setFilterRole(ProgramModel::SearchRole);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    proxy_->setRecursiveFilteringEnabled(true);
    proxy_->setAutoAcceptChildRows(true); // what is found keeps its parts
    view_->setObjectName(QStringLiteral("programTree"));
    view_->setModel(proxy_);
    view_->setUniformRowHeights(true);
    view_->setAllColumnsShowFocus(true);
    view_->setTextElideMode(Qt::ElideMiddle);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setItemDelegateForColumn(ProgramModel::Share, new PhaseBarDelegate(view_));
    view_->setExpandsOnDoubleClick(true);
    view_->header()->setStretchLastSection(false);
    filter_->setObjectName(QStringLiteral("programFilter"));
    filter_->setPlaceholderText(tr("Filter steps, layers, kinds  ( / )"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    caption_->setObjectName(QStringLiteral("programCaption"));
    caption_->setForegroundRole(QPalette::PlaceholderText);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setForegroundRole(QPalette::PlaceholderText);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 12, 6);
    head->setSpacing(14);
    head->addWidget(filter_, 1);
    head->addWidget(caption_, 1);
    head->addWidget(new Legend(phaseEntries, this));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(stack_, 1);
    stack_->addWidget(empty_);
    stack_->addWidget(view_);
    setFocusProxy(view_);
    makeActions();
    connect(filter_, &QLineEdit::textChanged, this, &ProgramView::filter);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ProgramView::choose);
}

void ProgramView::makeActions() {
    addViewAction(this, tr("Expand all"), QStringLiteral("expand"),
                  QKeySequence(QStringLiteral("Ctrl+Shift+E")), tr("Show every step (Ctrl+Shift+E)"),
                  [this] { view_->expandAll(); });
    addViewAction(this, tr("Collapse"), QStringLiteral("collapse"),
                  QKeySequence(QStringLiteral("Ctrl+Shift+L")), tr("Show the operations only (Ctrl+Shift+L)"),
                  [this] {
                      view_->collapseAll();
                      unfoldFirst();
                  });
    addViewAction(this, tr("Filter"), QStringLiteral("search"), Qt::Key_Slash,
                  tr("Show the steps with a name (/)"),
                  [this] {
                      filter_->setFocus();
                      filter_->selectAll();
                  })
        ->setShortcuts({QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)});
    addViewAction(this, tr("Copy"), QStringLiteral("copy"), QKeySequence::Copy,
                  tr("Copy the rows that are shown (Ctrl+C)"),
                  [this] { QApplication::clipboard()->setText(toText(QLatin1Char('\t'))); });
    addViewAction(this, tr("Export as CSV…"), QStringLiteral("export"),
                  QKeySequence(QStringLiteral("Ctrl+E")), tr("Save the rows that are shown (Ctrl+E)"),
                  [this] { exportDialog(); });
}

void ProgramView::setSources(const Sources& sources) {
    if (sources_.current)
        sources_.current->disconnect(this);
    sources_ = sources;
    model_->setTheme(Theme::of(this));
    empty_->setText(sources.current ? tr("Reading the program …") : tr("Open a profile to see its program."));
    stack_->setCurrentWidget(empty_);
    caption_->clear();
    if (!sources_.current)
        return model_->setTree({});
    connect(sources_.current.get(), &ProfileSource::changed, this, [this] {
        if (model_->tree().steps.empty()) // once compiled, a program stays as it is
            ask();
    });
    ask();
}

void ProgramView::ask() {
    sources_.current->ask<ProgramTree>(this, QStringLiteral("program"), &ProgramTree::read,
                                       [this](Result<ProgramTree> tree) {
                                           if (tree)
                                               return showTree(std::move(*tree));
                                           empty_->setText(QString::fromStdString(tree.error().line()));
                                       });
    if (!sources_.base)
        return model_->setBase({});
    sources_.base->ask<ProgramTree>(this, QStringLiteral("program of base"), &ProgramTree::read,
                                    [this](const Result<ProgramTree>& tree) {
                                        if (!tree)
                                            return;
                                        model_->setBase(*tree);
                                        unfoldFirst();
                                        if (selection_ != nullptr)
                                            follow(selection_->current());
                                    });
}

void ProgramView::showTree(ProgramTree tree) {
    if (tree.steps.empty()) {
        empty_->setText(tr("The program appears here once it is compiled."));
        return;
    }
    std::int64_t leaves = 0;
    for (const ProgramStep& step : tree.steps)
        leaves += step.leaf() ? 1 : 0;
    StepCycles whole;
    for (const std::size_t root : tree.roots)
        whole += tree.steps[root].cycles;
    caption_->setText(tr("%1 steps  ·  %2 in one execution")
                          .arg(formatCount(leaves), tree.clock_hz > 0
                                                        ? formatTime(whole.total(), tree.clock_hz)
                                                        : formatCycles(whole.total())));
    choosing_ = true;
    model_->setTree(std::move(tree));
    choosing_ = false;
    stack_->setCurrentWidget(view_);
    unfoldFirst();
    if (selection_ != nullptr)
        follow(selection_->current());
}

/// Down to the operations; a small program altogether.
void ProgramView::unfoldFirst() {
    constexpr std::size_t small = 60;
    if (model_->tree().steps.size() <= small)
        view_->expandAll();
    else
        view_->expandToDepth(1);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    QHeaderView* header = view_->header();
    for (int c = ProgramModel::Cycles; c < model_->columnCount(); ++c) {
        view_->resizeColumnToContents(c);
        header->resizeSection(c, c == ProgramModel::Share ? digit * 24 : header->sectionSize(c) + digit);
    }
    for (const int c : {ProgramModel::Base, ProgramModel::Change})
        header->setSectionHidden(c, !model_->comparing());
    fitNames();
}

/// Names get the room that the figures leave, but always enough to be read.
void ProgramView::fitNames() {
    QHeaderView* header = view_->header();
    const int figures = header->length() - header->sectionSize(ProgramModel::Step);
    const int least = fontMetrics().averageCharWidth() * 40;
    header->resizeSection(ProgramModel::Step, std::max(least, view_->viewport()->width() - figures));
}

void ProgramView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitNames();
}

void ProgramView::filter(const QString& text) {
    proxy_->setFilterFixedString(text);
    if (text.isEmpty()) {
        view_->collapseAll();
        unfoldFirst();
        if (selection_ != nullptr)
            follow(selection_->current());
    } else {
        view_->expandAll();
    }
}

void ProgramView::setSelection(SelectionModel* selection) {
    if (selection_ != nullptr)
        disconnect(selection_, nullptr, this, nullptr);
    selection_ = selection;
    if (selection_ == nullptr)
        return;
    connect(selection_, &SelectionModel::changed, this, &ProgramView::follow);
    follow(selection_->current());
}

void ProgramView::choose(const QModelIndex& row) {
    if (choosing_ || !row.isValid() || selection_ == nullptr)
        return;
    const ProgramStep& step = model_->tree().steps[model_->stepAt(proxy_->mapToSource(row))];
    Selection s = selection_->current();
    s.program = step.id;
    s.operation = step.operation;
    s.layer = step.layer;
    s.variable = -1;
    selection_->set(s);
}

void ProgramView::follow(const Selection& s) {
    if (model_->tree().steps.empty())
        return;
    model_->setMarked(s.operation, s.layer);
    const ProgramTree& tree = model_->tree();
    const auto exact = tree.step_of_id.find(s.program);
    std::size_t step = exact != tree.step_of_id.end() ? exact->second : tree.stepOfOperation(s.operation);
    if (step == ProgramStep::none)
        step = tree.stepOfLayer(s.layer);
    const QModelIndex row = proxy_->mapFromSource(model_->indexOf(step));
    choosing_ = true;
    if (row.isValid() && row != view_->currentIndex().siblingAtColumn(0)) {
        view_->setCurrentIndex(row);
        view_->scrollTo(row);
    } else if (step == ProgramStep::none) {
        view_->setCurrentIndex({});
        view_->clearSelection();
    }
    choosing_ = false;
    showDetails();
}

void ProgramView::showDetails() {
    if (!isVisible() || !sources_.current || model_->tree().steps.empty())
        return;
    const QModelIndex row = view_->currentIndex();
    const ProgramTree& tree = model_->tree();
    const ProgramStep& step = // nothing is selected: the whole program
        tree.steps[row.isValid() ? model_->stepAt(proxy_->mapToSource(row)) : tree.roots.front()];
    const auto layer = tree.layers.find(step.layer);
    sources_.current->ask<QString>(
        this, QStringLiteral("program details"),
        [step, layer = layer == tree.layers.end() ? QString() : layer->second, clock_hz = tree.clock_hz](
            const profile::Profile& file) { return stepDetails(file, step, layer, clock_hz); },
        [this](const Result<QString>& html) {
            if (html && isVisible())
                Q_EMIT detailsChanged(*html);
        });
}

void ProgramView::showEvent(QShowEvent* event) {
    View::showEvent(event);
    if (view_->currentIndex().isValid())
        view_->scrollTo(view_->currentIndex());
    showDetails();
}

QString ProgramView::toText(QChar separator) const {
    QStringList line;
    for (int c = 0; c < proxy_->columnCount(); ++c)
        if (!view_->isColumnHidden(c))
            line << proxy_->headerData(c, Qt::Horizontal).toString();
    QString text = tableLine(line, separator);
    for (QModelIndex row = proxy_->index(0, 0); row.isValid(); row = view_->indexBelow(row)) {
        line.clear();
        for (int c = 0; c < proxy_->columnCount(); ++c)
            if (!view_->isColumnHidden(c))
                line << row.siblingAtColumn(c).data().toString();
        for (QModelIndex above = row.parent(); above.isValid(); above = above.parent())
            line.first().prepend(QStringLiteral("  "));
        text += tableLine(line, separator);
    }
    return text;
}

void ProgramView::exportDialog() {
    if (!sources_.current)
        return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export program"), sources_.current->name() + QStringLiteral("-program.csv"),
        tr("CSV (*.csv)"));
    if (path.isEmpty())
        return;
    const QByteArray csv = toText(QLatin1Char(',')).toUtf8();
    QSaveFile file(path);
    const bool saved = file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit();
    Q_EMIT message(saved ? tr("Saved %1").arg(path) : tr("%1: %2").arg(path, file.errorString()));
}

} // namespace tilescope::ui
