// SPDX-License-Identifier: GPL-3.0-or-later
#include "start_page.h"

#include "recent_list.h"
#include "ui/live/samples.h"
#include "ui/session/in_background.h"
#include "ui/widgets/card.h"
#include "ui/window/sample_list.h"

#include <QCompleter>
#include <QDir>
#include <QFileInfo>
#include <QFileSystemModel>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

namespace tilescope::ui {
namespace {

constexpr int look_ms = 2000; ///< between looks for runs

/// Rows of a name and a remark.
QTreeWidget* makeList(const QString& name) {
    auto* list = new QTreeWidget;
    list->setObjectName(name);
    list->setAccessibleName(name);
    list->setProperty("list", true);
    list->setColumnCount(2);
    list->setHeaderHidden(true);
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setAllColumnsShowFocus(true);
    list->setTextElideMode(Qt::ElideMiddle);
    list->header()->setStretchLastSection(false);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    return list;
}

QTreeWidgetItem* addRow(QTreeWidget& list, const QString& name, const QString& remark,
                        const QStringList& paths) {
    auto* item = new QTreeWidgetItem(&list, {name, remark});
    item->setData(0, Qt::UserRole, paths);
    item->setForeground(1, list.palette().placeholderText());
    item->setToolTip(0, paths.join(QLatin1Char('\n')));
    return item;
}

QStringList pathsOf(const QTreeWidgetItem* item) {
    return item->data(0, Qt::UserRole).toStringList();
}

/// A sentence in the grey of what is less important.
QLabel* makeNote(const QString& text = {}) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText); // it repeats what is typed
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    return label;
}

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), nothing_there_(makeNote()), files_(new RecentList), filter_(new QLineEdit),
      note_(makeNote()), comparisons_(makeList(tr("Recent comparisons"))), no_comparisons_(makeNote()),
      running_(makeList(tr("Running now"))), samples_(new SampleList(sampleFiles())),
      running_card_(makeRunning()) {
    setObjectName(QStringLiteral("start"));
    auto* right = new QVBoxLayout;
    right->setSpacing(14);
    right->addWidget(running_card_);
    right->addWidget(makeComparisons(), 2);
    right->addWidget(makeSamples(), 5);
    auto* lists = new QHBoxLayout;
    lists->setSpacing(14);
    lists->addWidget(makeFiles(), 4);
    lists->addLayout(right, 3);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 20, 28, 24);
    layout->setSpacing(16);
    layout->addWidget(makeHead());
    layout->addLayout(lists, 1);
    setFocusProxy(files_);
    look_.setInterval(look_ms);
    connect(&look_, &QTimer::timeout, this, &StartPage::lookForRuns);
    refresh();
}

QWidget* StartPage::makeHead() {
    auto* head = new QWidget;
    auto* title = new QLabel(QStringLiteral("Tilescope"));
    QFont big = title->font();
    big.setPointSizeF(big.pointSizeF() * 1.8);
    big.setWeight(QFont::DemiBold);
    title->setFont(big);
    auto* path = new QLineEdit;
    path->setObjectName(QStringLiteral("startPath"));
    path->setPlaceholderText(tr("Path of a profile, a folder of profiles or a workload"));
    path->setAccessibleName(path->placeholderText());
    auto* completer = new QCompleter(path);
    auto* folders = new QFileSystemModel(completer);
    folders->setNameFilters(
        {QStringLiteral("*.tilescope"), QStringLiteral("*.tilescope-compare"), QStringLiteral("*.json")});
    folders->setNameFilterDisables(false);
    folders->setFilter(QDir::AllDirs | QDir::Files | QDir::NoDotAndDotDot);
    folders->setRootPath(QDir::rootPath());
    completer->setModel(folders);
    path->setCompleter(completer);
    auto* open = new QPushButton(tr("Open…  Ctrl+O"));
    open->setDefault(true);
    auto* run = new QPushButton(tr("Start a run…  Ctrl+R"));
    auto* all = new QVBoxLayout(head);
    auto* row = new QHBoxLayout;
    all->setContentsMargins(0, 0, 0, 0);
    all->addLayout(row);
    all->addWidget(nothing_there_);
    nothing_there_->setObjectName(QStringLiteral("startPathNote"));
    nothing_there_->hide();
    row->setSpacing(10);
    row->addWidget(title);
    row->addSpacing(20);
    row->addWidget(path, 1);
    row->addWidget(run);
    row->addWidget(open);
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(run, &QPushButton::clicked, this, [this] { Q_EMIT runRequested({}); });
    connect(path, &QLineEdit::returnPressed, this, [this, path] { openTyped(path->text().trimmed()); });
    connect(path, &QLineEdit::textChanged, nothing_there_, &QWidget::hide);
    return head;
}

void StartPage::openTyped(const QString& path) {
    if (path.isEmpty())
        return;
    const bool at_home = path == QLatin1String("~") || path.startsWith(QLatin1String("~/"));
    const QString whole = QFileInfo(at_home ? QDir::homePath() + path.mid(1) : path).absoluteFilePath();
    inBackground(
        this,
        [whole] { // the folder above it that is there, or itself
            QString there = whole;
            while (!QFileInfo::exists(there) && there != QFileInfo(there).path())
                there = QFileInfo(there).path();
            return there;
        },
        [this, whole](const QString& there) {
            if (there == whole)
                return Q_EMIT fileChosen(whole);
            nothing_there_->setText(tr("There is no %1. Nothing of that name is in %2.").arg(whole, there));
            nothing_there_->show();
        });
}

Card* StartPage::makeFiles() {
    auto* card = new Card({});
    auto* title = new QLabel(tr("Recent files"));
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(tr("Filter of the recent files"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(200);
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addStretch();
    head->addWidget(filter_);
    card->body()->addLayout(head);
    card->body()->addWidget(note_);
    card->body()->addWidget(files_, 1);
    connect(filter_, &QLineEdit::textChanged, files_, &RecentList::setFilter);
    connect(filter_, &QLineEdit::returnPressed, files_, qOverload<>(&QWidget::setFocus));
    connect(files_, &RecentList::changed, this, [this](const QString& note) {
        note_->setText(note);
        filter_->setVisible(!files_->isEmpty());
    });
    connect(files_, &RecentList::fileChosen, this, &StartPage::fileChosen);
    connect(files_, &RecentList::made, this, &StartPage::made);
    connect(files_, &RecentList::comparisonChosen, this, [this](const QString& base, const QString& now) {
        Q_EMIT comparisonChosen({base, now});
    });
    return card;
}

Card* StartPage::makeComparisons() {
    auto* card = new Card(tr("Recent comparisons"));
    no_comparisons_->setText(
        tr("Nothing compared yet. Mark two recent files with Space, or open two and choose a base."));
    card->body()->addWidget(no_comparisons_);
    card->body()->addWidget(comparisons_, 1);
    card->body()->addStretch();
    connect(comparisons_, &QTreeWidget::itemActivated, this,
            [this](const QTreeWidgetItem* item) { Q_EMIT comparisonChosen(pathsOf(item)); });
    return card;
}

Card* StartPage::makeRunning() {
    auto* card = new Card(tr("Running now: Enter follows"));
    card->body()->addWidget(running_);
    running_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    running_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    card->hide();
    connect(running_, &QTreeWidget::itemActivated, this,
            [this](const QTreeWidgetItem* item) { Q_EMIT fileChosen(pathsOf(item).front()); });
    return card;
}

Card* StartPage::makeSamples() {
    auto* card = new Card(tr("Samples: Enter sets up a run"));
    card->body()->addWidget(samples_);
    connect(samples_, &SampleList::sampleChosen, this, &StartPage::runRequested);
    return card;
}

void StartPage::refresh() {
    files_->refresh();
    showComparisons();
    lookForRuns();
}

void StartPage::showComparisons() {
    const auto name = [](const QString& path) { return QFileInfo(path).completeBaseName(); };
    comparisons_->clear();
    for (const QStringList& paths : recentComparisons()) {
        QStringList runs;
        for (const QString& path : paths.mid(1))
            runs << name(path);
        if (runs.isEmpty())
            addRow(*comparisons_, name(paths.front()), tr("saved"), paths);
        else
            addRow(*comparisons_, runs.join(QStringLiteral(", ")), tr("against %1").arg(name(paths.front())),
                   paths);
    }
    const bool none = comparisons_->topLevelItemCount() == 0;
    no_comparisons_->setVisible(none);
    comparisons_->setVisible(!none);
}

/// In the folders of the recent files.
void StartPage::lookForRuns() {
    if (looking_)
        return;
    looking_ = true;
    QStringList folders;
    for (const RecentFile& file : recentFiles())
        if (const QString folder = QFileInfo(file.path).path(); !folders.contains(folder))
            folders << folder;
    inBackground(
        this, [folders] { return runningRuns(folders); },
        [this](const QList<RunningRun>& runs) {
            looking_ = false;
            if (runs != runs_)
                showRuns(runs);
        });
}

void StartPage::showRuns(const QList<RunningRun>& runs) {
    const bool same = std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(),
                                 [](const RunningRun& a, const RunningRun& b) { return a.path == b.path; });
    runs_ = runs;
    if (!same)
        running_->clear();
    for (int i = 0; i < runs.size(); ++i) {
        QTreeWidgetItem* item =
            same ? running_->topLevelItem(i) : addRow(*running_, runs[i].name, {}, {runs[i].path});
        item->setText(1, runs[i].activity);
    }
    constexpr int most_rows = 4;
    const int rows = std::min(static_cast<int>(runs.size()), most_rows);
    running_->setFixedHeight(rows * std::max(running_->sizeHintForRow(0), 1) + 2);
    running_card_->setVisible(!runs.isEmpty());
}

void StartPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    look_.start();
}

void StartPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    look_.stop();
}

} // namespace tilescope::ui
