// SPDX-License-Identifier: GPL-3.0-or-later
#include "base_offers.h"

#include "analyse/history.h"
#include "analyse/run_list.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"

#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <algorithm>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr int most_read = 24; ///< of the files of a folder, the newest
constexpr int most_runs = 6;  ///< that are offered of these

QString nameOf(const QString& path) {
    return QFileInfo(path).completeBaseName();
}

/// What the disk says of the bases that a file may have.
struct Found {
    QList<QStringList> before;           ///< comparisons whose files are all there
    std::vector<analyse::RunEntry> runs; ///< of the same workload
};

bool allThere(const QStringList& paths) {
    return std::all_of(paths.begin(), paths.end(),
                       [](const QString& path) { return QFileInfo::exists(path); });
}

/// Those of the workload of a file, in its folder, that can be read, the newest file first.
std::vector<analyse::RunEntry> newestOfWorkload(const QString& file) {
    const QFileInfo own(file);
    const std::string workload = analyse::read_run(file.toStdString()).workload;
    std::vector<analyse::RunEntry> found;
    int read = 0;
    for (const QFileInfo& other :
         own.dir().entryInfoList({QStringLiteral("*.tilescope")}, QDir::Files, QDir::Time)) {
        if (other == own)
            continue;
        if (++read > most_read || std::ssize(found) == most_runs)
            break;
        if (auto run = analyse::read_run(other.absoluteFilePath().toStdString());
            run.error.empty() && run.workload == workload)
            found.push_back(std::move(run));
    }
    return found;
}

} // namespace

BaseOffers::BaseOffers(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("baseOffers"));
    setAccessibleName(tr("Bases"));
    setProperty("list", true);
    setColumnCount(2);
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTextElideMode(Qt::ElideMiddle);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(this, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        Q_EMIT chosen(item->data(0, Qt::UserRole).toStringList());
    });
}

QSize BaseOffers::sizeHint() const {
    constexpr int letters = 120, rows = 8, space = 8; // of a row
    return {letters * fontMetrics().averageCharWidth(), rows * (fontMetrics().height() + space)};
}

void BaseOffers::add(const QString& name, const QString& remark, const QStringList& paths) {
    auto* item = new QTreeWidgetItem(this, {name, remark});
    item->setData(0, Qt::UserRole, paths);
    item->setForeground(1, palette().placeholderText());
    item->setToolTip(0, paths.join(QLatin1Char('\n')));
    offered_ << paths.front();
}

void BaseOffers::offer(const QString& file, const QStringList& open, const QList<QStringList>& comparisons) {
    clear();
    offered_.clear();
    looked_for_.clear();
    file_ = file;
    for (const QString& path : file.isEmpty() ? QStringList() : open)
        if (path != file)
            add(nameOf(path), tr("open"), {path, file});
    before_.clear();
    for (const QStringList& paths : comparisons)
        if (paths.size() > 1 && paths.mid(1).contains(file))
            before_ << paths;
    Q_EMIT changed();
}

void BaseOffers::look() {
    if (file_.isEmpty() || looked_for_ == file_)
        return;
    looked_for_ = file_;
    inBackground(
        this,
        [file = file_, before = before_] {
            Found found{before, newestOfWorkload(file)};
            found.before.removeIf([](const QStringList& paths) { return !allThere(paths); });
            return found;
        },
        [this, file = file_](const Found& found) {
            if (file != looked_for_) // another one is shown by now
                return;
            for (const QStringList& paths : found.before)
                if (!offered_.contains(paths.front()))
                    add(nameOf(paths.front()), tr("its base before"), paths);
            for (const analyse::RunEntry& run : found.runs)
                if (const QString path = text(run.path); !offered_.contains(path))
                    add(nameOf(path),
                        tr("of the same workload, %1 UTC").arg(text(analyse::date_text(run.started_unix_ms))),
                        {path, file});
            Q_EMIT changed();
        });
}

} // namespace tilescope::ui
