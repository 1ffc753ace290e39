// SPDX-License-Identifier: GPL-3.0-or-later
#include "start_page.h"

#include "ui/theme/theme.h"
#include "ui/widgets/card.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

constexpr const char* files_key = "recent";
constexpr const char* remarks_key = "window/remarks";         ///< by path
constexpr const char* comparisons_key = "window/comparisons"; ///< base and new in turn, the newest first
constexpr int most_comparisons = 16;

QTreeWidget* makeList(const QString& name) {
    auto* list = new QTreeWidget;
    list->setObjectName(name);
    list->setAccessibleName(name);
    list->setColumnCount(2);
    list->setHeaderHidden(true);
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setTextElideMode(Qt::ElideMiddle);
    list->header()->setStretchLastSection(false);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    return list;
}

void addRow(QTreeWidget& list, const QString& name, const QString& remark, const QStringList& paths) {
    auto* item = new QTreeWidgetItem(&list, {name, remark});
    item->setData(0, Qt::UserRole, paths);
    item->setForeground(1, list.palette().placeholderText());
    item->setToolTip(0, paths.join(QLatin1Char('\n')));
}

/// Where the samples are: beside the program as it is installed, or in the tree that it was built in.
QDir samplesFolder() {
    const QDir program(QCoreApplication::applicationDirPath());
    for (const char* folder : {"../share/tilescope/samples", "../../../samples"})
        if (const QDir samples(program.filePath(QLatin1String(folder))); samples.exists())
            return samples;
    return QDir(program.filePath(QStringLiteral("samples")));
}

QString baseName(const QString& path) {
    return QFileInfo(path).completeBaseName();
}

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), files_(makeList(tr("Recent files"))), comparisons_(makeList(tr("Recent comparisons"))),
      samples_(makeList(tr("Samples"))) {
    setObjectName(QStringLiteral("start"));
    auto* title = new QLabel(QStringLiteral("Tilescope"));
    QFont big = title->font();
    big.setPointSizeF(big.pointSizeF() * 1.8);
    big.setWeight(QFont::DemiBold);
    title->setFont(big);
    auto* open = new QPushButton(tr("Open…  Ctrl+O"));
    open->setDefault(true);
    auto* run = new QPushButton(tr("Start a run…  Ctrl+R"));
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(run, &QPushButton::clicked, this, [this] { Q_EMIT runRequested({}); });
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addStretch();
    head->addWidget(run);
    head->addWidget(open);
    const auto card = [](const QString& name, QTreeWidget* list) {
        auto* frame = new Card(name);
        frame->body()->addWidget(list);
        return frame;
    };
    auto* right = new QVBoxLayout;
    right->setSpacing(14);
    right->addWidget(card(tr("Recent comparisons"), comparisons_), 2);
    right->addWidget(card(tr("Samples: workloads to run"), samples_), 3);
    auto* lists = new QHBoxLayout;
    lists->setSpacing(14);
    lists->addWidget(card(tr("Recent files: Enter opens, Del forgets"), files_), 3);
    lists->addLayout(right, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(28, 24, 28, 28);
    layout->setSpacing(18);
    layout->addLayout(head);
    layout->addLayout(lists, 1);
    setFocusProxy(files_);
    files_->installEventFilter(this);
    const auto paths = [](const QTreeWidgetItem* item) { return item->data(0, Qt::UserRole).toStringList(); };
    connect(files_, &QTreeWidget::itemActivated, this, [this, paths](const QTreeWidgetItem* item) {
        if (!paths(item).isEmpty())
            Q_EMIT fileChosen(paths(item).front());
    });
    connect(comparisons_, &QTreeWidget::itemActivated, this, [this, paths](const QTreeWidgetItem* item) {
        if (paths(item).size() == 2)
            Q_EMIT comparisonChosen(paths(item).front(), paths(item).back());
    });
    connect(samples_, &QTreeWidget::itemActivated, this,
            [this, paths](const QTreeWidgetItem* item) { Q_EMIT runRequested(paths(item).front()); });
    refresh();
}

void StartPage::refresh() {
    for (QTreeWidget* list : {files_, comparisons_, samples_})
        list->clear();
    addFiles();
    addComparisons();
    addSamples();
}

void StartPage::addFiles() {
    const QSettings settings;
    const QVariantMap remarks = settings.value(QLatin1String(remarks_key)).toMap();
    for (const QString& path : settings.value(QLatin1String(files_key)).toStringList())
        addRow(*files_, baseName(path), remarks.value(path).toString(), {path});
    if (files_->topLevelItemCount() == 0)
        addRow(*files_, tr("Nothing opened yet: drop a .tilescope file here, or run a sample."), {}, {});
    else
        files_->setCurrentItem(files_->topLevelItem(0));
}

void StartPage::addComparisons() {
    const QStringList pairs = QSettings().value(QLatin1String(comparisons_key)).toStringList();
    for (qsizetype i = 0; i + 1 < pairs.size(); i += 2)
        addRow(*comparisons_, baseName(pairs[i + 1]), tr("against %1").arg(baseName(pairs[i])),
               {pairs[i], pairs[i + 1]});
}

void StartPage::addSamples() {
    const QDir folder = samplesFolder();
    for (const QString& name : folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QJsonObject workload = QJsonDocument::fromJson(file.readAll()).object();
        if (!workload.contains(QStringLiteral("model"))) // budgets and the like lie there, too
            continue;
        addRow(*samples_, baseName(name), {}, {QDir::cleanPath(folder.absoluteFilePath(name))});
        auto* item = samples_->topLevelItem(samples_->topLevelItemCount() - 1);
        item->setToolTip(0, workload[QStringLiteral("description")].toString());
    }
}

bool StartPage::eventFilter(QObject* object, QEvent* event) {
    const auto* item = files_->currentItem();
    if (object != files_ || event->type() != QEvent::KeyPress || item == nullptr ||
        static_cast<QKeyEvent*>(event)->key() != Qt::Key_Delete)
        return QWidget::eventFilter(object, event);
    QSettings settings;
    QStringList recent = settings.value(QLatin1String(files_key)).toStringList();
    for (const QString& path : item->data(0, Qt::UserRole).toStringList())
        recent.removeAll(path);
    settings.setValue(QLatin1String(files_key), recent);
    refresh();
    return true;
}

void StartPage::rememberFile(const QString& path, const QString& remark) {
    QSettings settings;
    const QStringList recent = settings.value(QLatin1String(files_key)).toStringList();
    QVariantMap remarks = settings.value(QLatin1String(remarks_key)).toMap();
    remarks.insert(path, remark);
    for (const QString& known : remarks.keys())
        if (!recent.contains(known))
            remarks.remove(known);
    settings.setValue(QLatin1String(remarks_key), remarks);
}

void StartPage::rememberComparison(const QString& base, const QString& now) {
    QSettings settings;
    const QStringList before = settings.value(QLatin1String(comparisons_key)).toStringList();
    QStringList pairs{base, now};
    for (qsizetype i = 0; i + 1 < before.size() && pairs.size() < 2 * most_comparisons; i += 2)
        if (before[i] != base || before[i + 1] != now)
            pairs << before[i] << before[i + 1];
    settings.setValue(QLatin1String(comparisons_key), pairs);
}

} // namespace tilescope::ui
