// SPDX-License-Identifier: GPL-3.0-or-later
#include "file_tabs.h"

#include "base/try.h"
#include "recent_files.h"
#include "ui/session/format.h"
#include "ui/session/profile_source.h"
#include "ui/theme/theme.h"
#include "ui/widgets/run_status.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QMenu>
#include <QToolButton>
#include <QUrl>

namespace tilescope::ui {
namespace {

/// What a tab says of its file.
struct Head {
    profile::RunStatus status = profile::RunStatus::Running;
    QString what; ///< workload and target
};

Result<Head> headOf(const profile::Profile& file) {
    TRY(const auto run, file.run());
    TRY(const auto target, file.target());
    QString what = text(run.name);
    if (target.tiles_per_ipu > 0)
        what += FileTabs::tr(", %1 × %2").arg(target.ipus).arg(text(target.generation));
    if (run.estimate)
        what += FileTabs::tr(", estimate");
    return Head{run.status, what};
}

} // namespace

FileTabs::FileTabs(QWidget* parent) : QTabBar(parent) {
    setObjectName(QStringLiteral("files"));
    setAccessibleName(tr("Open files"));
    setExpanding(false);
    setDrawBase(false);
    setElideMode(Qt::ElideMiddle);
    setUsesScrollButtons(true);
    setDocumentMode(true);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void FileTabs::addFile(const std::shared_ptr<ProfileSource>& source) {
    files_ << source;
    const int index = addTab(source->name());
    setTabData(index, static_cast<int>(profile::RunStatus::Running));
    setTabToolTip(index, source->path());
    auto* close = new QToolButton;
    close->setIcon(themeIcon(QStringLiteral("clear"), &Theme::muted));
    constexpr int side = 12;
    close->setIconSize({side, side});
    close->setProperty("close", true);
    close->setFocusPolicy(Qt::NoFocus); // Ctrl+W closes, too
    close->setToolTip(tr("Close (Ctrl+W)"));
    setTabButton(index, QTabBar::RightSide, close);
    connect(close, &QToolButton::clicked, this, [this, close] {
        for (int i = 0; i < count(); ++i)
            if (tabButton(i, QTabBar::RightSide) == close)
                return Q_EMIT closeRequested(i);
    });
    connect(source.get(), &ProfileSource::changed, this, [this, raw = source.get()] { ask(raw); });
    ask(source.get());
}

void FileTabs::removeFile(int index) {
    files_[index]->disconnect(this);
    files_[index]->forget(this);
    figures_of_.remove(files_[index]->path());
    files_.removeAt(index);
    removeTab(index);
}

void FileTabs::ask(const ProfileSource* source) {
    for (const auto& file : files_)
        if (file.get() == source)
            file->ask<Head>(this, QStringLiteral("tab"), headOf,
                            [this, path = file->path()](const Result<Head>& head) {
                                if (head)
                                    showState(path, head->status, head->what);
                            });
}

/// Behind what the views have asked for, and again when the run has ended.
void FileTabs::askFigures(int index) {
    const QString path = files_[index]->path();
    const int status = tabData(index).toInt();
    if (figures_of_.value(path, -1) == status)
        return;
    figures_of_[path] = status;
    files_[index]->ask<FileFigures>(this, QStringLiteral("figures"), readFigures,
                                    [path](const Result<FileFigures>& figures) {
                                        if (figures)
                                            rememberFigures(path, *figures);
                                    });
}

void FileTabs::showState(const QString& path, profile::RunStatus status, const QString& what) {
    for (int i = 0; i < files_.size(); ++i) {
        if (files_[i]->path() != path)
            continue;
        setTabData(i, static_cast<int>(status));
        setTabToolTip(i, QStringLiteral("%1\n%2\n%3").arg(path, what, statusText(status)));
        setAccessibleTabName(i, QStringLiteral("%1, %2").arg(files_[i]->name(), statusText(status)));
        askFigures(i);
    }
    drawDots();
}

void FileTabs::drawDots() {
    for (int i = 0; i < count(); ++i)
        setTabIcon(i, statusIcon(static_cast<profile::RunStatus>(tabData(i).toInt())));
}

void FileTabs::changeEvent(QEvent* event) {
    QTabBar::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        drawDots();
}

void FileTabs::mouseReleaseEvent(QMouseEvent* event) {
    const int index = tabAt(event->position().toPoint());
    if (event->button() == Qt::MiddleButton && index >= 0)
        return Q_EMIT closeRequested(index);
    QTabBar::mouseReleaseEvent(event);
}

void FileTabs::contextMenuEvent(QContextMenuEvent* event) {
    const int index = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : tabAt(event->pos());
    if (index < 0)
        return;
    const QString path = files_[index]->path();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& name, auto done) {
        QAction* action = menu->addAction(name);
        connect(action, &QAction::triggered, this, done);
        return action;
    };
    add(tr("Compare the shown file with this"), [this, index] {
        Q_EMIT baseRequested(index);
    })->setEnabled(index != currentIndex());
    add(tr("Reload"), [this, index] { Q_EMIT reloadRequested(index); });
    menu->addSeparator();
    add(tr("Copy path"), [path] { QApplication::clipboard()->setText(path); });
    add(tr("Show in folder"),
        [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
    menu->addSeparator();
    add(tr("Close"), [this, index] { Q_EMIT closeRequested(index); });
    add(tr("Close others"), [this, index] { Q_EMIT closeOthersRequested(index); })->setEnabled(count() > 1);
    menu->popup(event->globalPos());
}

} // namespace tilescope::ui
