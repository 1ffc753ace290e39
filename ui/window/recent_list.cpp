// SPDX-License-Identifier: GPL-3.0-or-later
#include "recent_list.h"

#include "running_runs.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"
#include "ui/theme/theme.h"
#include "ui/widgets/run_status.h"
#include "ui/widgets/told_keys.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

namespace tilescope::ui {
namespace {

enum ListColumn { FileName, Target, Step, Fullest, Status, Columns };

QString dayOf(const QDateTime& opened) {
    const qint64 days = opened.date().daysTo(QDate::currentDate());
    return days <= 0   ? RecentList::tr("Today")
           : days == 1 ? RecentList::tr("Yesterday")
           : days < 7  ? RecentList::tr("The last week")
                       : RecentList::tr("Older");
}

QString stepText(const FileFigures& figures) {
    if (!figures.step_us)
        return QStringLiteral("–");
    return figures.clock_hz > 0 ? formatTime(*figures.step_us * 1e-6 * figures.clock_hz, figures.clock_hz)
                                : formatSeconds(*figures.step_us * 1e-6);
}

QString stateText(const FileFigures& figures) {
    QString status = figures.status == profile::RunStatus::Complete ? QString() : statusText(figures.status);
    if (!figures.estimate)
        return status;
    return status.isEmpty() ? RecentList::tr("estimate") : RecentList::tr("estimate, %1").arg(status);
}

} // namespace

RecentList::RecentList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(tr("Recent files"));
    setAccessibleName(tr("Recent files"));
    setProperty("list", true);
    setColumnCount(Columns);
    setHeaderLabels({QString(), tr("Runs on"), tr("Step"), tr("Fullest tile"), QString()});
    for (const int column : {Step, Fullest})
        headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    tellKeys(this, tr("Recent files"),
             {{tr("Return"), tr("opens; of two that are marked, compares")},
              {tr("Space"), tr("marks, for a comparison")},
              {tr("Del"), tr("takes the file out of the list")}});
    setTextElideMode(Qt::ElideMiddle);
    header()->setStretchLastSection(false);
    header()->setSectionsMovable(false);
    header()->setSectionsClickable(false);
    header()->setMinimumSectionSize(0);
    header()->setSectionResizeMode(FileName, QHeaderView::Stretch);
    connect(this, &QTreeWidget::itemActivated, this, &RecentList::choose);
}

QString RecentList::pathOf(const QTreeWidgetItem* item) {
    return item == nullptr ? QString() : item->data(FileName, Qt::UserRole).toString();
}

void RecentList::refresh() {
    files_ = recentFiles();
    fill();
    lookUp();
}

void RecentList::fill() {
    const QString current = pathOf(currentItem());
    clear();
    QString day;
    QTreeWidgetItem* chosen = nullptr;
    for (const RecentFile& file : files_) {
        if (!file.path.contains(filter_, Qt::CaseInsensitive))
            continue;
        if (const QString now = dayOf(file.opened); now != day) {
            day = now;
            auto* head = new QTreeWidgetItem(this, {day});
            head->setFlags(Qt::NoItemFlags);
            head->setFirstColumnSpanned(true);
        }
        addFile(file);
        if (chosen == nullptr || file.path == current)
            chosen = topLevelItem(topLevelItemCount() - 1);
    }
    setHeaderHidden(chosen == nullptr);
    setCurrentItem(chosen);
    fitColumns();
    Q_EMIT changed(note());
}

/// Qt leaves the padding of heads out of what they need.
void RecentList::fitColumns() {
    constexpr int around = 24;
    for (int column = FileName + 1; column < Columns; ++column) {
        const QString head = headerItem()->text(column);
        const int wide = head.isEmpty() ? 0 : header()->fontMetrics().horizontalAdvance(head) + around;
        setColumnWidth(column, std::max(wide, sizeHintForColumn(column)));
    }
}

void RecentList::addFile(const RecentFile& file) {
    const OnDisk disk = on_disk_.value(file.path);
    const bool marked = marked_.contains(file.path);
    const QString name = QFileInfo(file.path).completeBaseName();
    auto* item = new QTreeWidgetItem(this, {name});
    item->setData(FileName, Qt::UserRole, file.path);
    item->setToolTip(FileName, file.path);
    QString state = tr("gone");
    if (file.figures) {
        const FileFigures& figures = *file.figures;
        item->setText(Target, figures.target);
        item->setText(Step, stepText(figures));
        item->setText(Fullest, figures.fullest ? formatPercent(*figures.fullest) : QStringLiteral("–"));
        if (disk.there)
            state = disk.running || figures.status != profile::RunStatus::Running ? stateText(figures)
                                                                                  : tr("was running");
        item->setIcon(FileName, disk.there ? statusIcon(figures.status) : QIcon());
    } else if (disk.there) {
        state.clear();
    }
    if (marked)
        item->setIcon(FileName, themeIcon(QStringLiteral("mark"), &Theme::accent));
    item->setText(Status, state);
    item->setData(FileName, Qt::AccessibleTextRole,
                  marked ? tr("%1, marked").arg(name) : QStringLiteral("%1 %2").arg(name, state));
    for (const int column : {Step, Fullest})
        item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    for (const int column : {Target, Step, Fullest, Status})
        item->setForeground(column, palette().placeholderText());
    if (!disk.there)
        item->setForeground(FileName, palette().placeholderText());
    if (marked) {
        QFont bold = font();
        bold.setWeight(QFont::DemiBold);
        item->setFont(FileName, bold);
    }
}

void RecentList::lookUp() {
    QStringList paths;
    for (const RecentFile& file : files_)
        paths << file.path;
    inBackground(
        this,
        [paths] {
            QHash<QString, OnDisk> found;
            for (const QString& path : paths) {
                const QFileInfo file(path);
                found[path] = {file.exists(), isBeingWritten(path), file.lastModified()};
            }
            return found;
        },
        [this](QHash<QString, OnDisk> found) {
            on_disk_ = std::move(found);
            fill();
        });
}

void RecentList::setFilter(const QString& text) {
    filter_ = text.trimmed();
    fill();
}

void RecentList::choose() {
    if (marked_.size() == 2) { // the newer one against the older one
        const auto made = [this](const QString& path) { return on_disk_.value(path).modified; };
        QStringList both = std::exchange(marked_, {});
        if (made(both.front()) > made(both.back()))
            both.swapItemsAt(0, 1);
        fill();
        return Q_EMIT comparisonChosen(both.front(), both.back());
    }
    if (const QString path = pathOf(currentItem()); !path.isEmpty())
        Q_EMIT fileChosen(path);
}

void RecentList::mark(const QTreeWidgetItem* item) {
    const QString path = pathOf(item);
    if (path.isEmpty())
        return;
    if (!marked_.removeOne(path)) {
        if (marked_.size() == 2)
            marked_.removeFirst();
        marked_ << path;
    }
    fill();
}

void RecentList::takeOut(const QString& path) {
    const int row = indexOfTopLevelItem(currentItem());
    for (qsizetype i = 0; i < files_.size(); ++i)
        if (files_[i].path == path) {
            taken_out_.push_back({i, files_.takeAt(i)});
            marked_.removeOne(path);
            setRecentFiles(files_);
            fill();
            Q_EMIT made(
                tr("taking %1 out of the list").arg(QFileInfo(path).completeBaseName()),
                [this, path] { takeOut(path); }, [this, path] { putBack(path); });
            for (int near = std::min(row, topLevelItemCount() - 1); near >= 0; --near)
                if (!pathOf(topLevelItem(near)).isEmpty())
                    return setCurrentItem(topLevelItem(near));
            return;
        }
}

void RecentList::putBack(const QString& path) {
    const auto found = std::find_if(taken_out_.rbegin(), taken_out_.rend(),
                                    [&](const TakenOut& each) { return each.file.path == path; });
    if (found == taken_out_.rend())
        return;
    files_ = recentFiles(); // others may have been opened meanwhile
    const TakenOut last = std::move(*found);
    taken_out_.erase(std::next(found).base());
    files_.insert(std::min(last.place, files_.size()), last.file);
    setRecentFiles(files_);
    fill();
    for (int row = 0; row < topLevelItemCount(); ++row)
        if (pathOf(topLevelItem(row)) == last.file.path)
            setCurrentItem(topLevelItem(row));
}

QString RecentList::note() const {
    const auto name = [](const QString& path) { return QFileInfo(path).completeBaseName(); };
    if (files_.isEmpty() && taken_out_.empty())
        return tr("Nothing opened yet. A sample shows what a profile holds; a .tilescope file may also be "
                  "dropped here.");
    if (topLevelItemCount() == 0 && !filter_.isEmpty())
        return tr("Nothing matches “%1”.").arg(filter_);
    if (marked_.size() == 2)
        return tr("Enter compares %1 and %2, the newer against the older.")
            .arg(name(marked_.front()), name(marked_.back()));
    if (marked_.size() == 1)
        return tr("%1 is marked. Space on another, then Enter compares the two.").arg(name(marked_.front()));
    if (!taken_out_.empty())
        return tr("%1 is taken out of the list; Ctrl+Z brings it back.")
            .arg(name(taken_out_.back().file.path));
    return tr("Enter opens. Space marks: two that are marked are compared. Del takes out of the list.");
}

void RecentList::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space)
        return mark(currentItem());
    if (event->key() == Qt::Key_Delete)
        return takeOut(pathOf(currentItem()));
    QTreeWidget::keyPressEvent(event);
}

void RecentList::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ControlModifier) != 0)
        return mark(itemAt(event->pos()));
    QTreeWidget::mousePressEvent(event);
}

void RecentList::changeEvent(QEvent* event) {
    QTreeWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        fill();
}

} // namespace tilescope::ui
