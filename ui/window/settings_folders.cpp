// SPDX-License-Identifier: GPL-3.0-or-later
// Where runs take data from and keep executables, and where notes lie.
#include "folder_field.h"
#include "kept_executables.h"
#include "settings_dialog.h"
#include "ui/session/folders.h"
#include "ui/session/format.h"
#include "ui/session/in_background.h"

#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace tilescope::ui {

void SettingsDialog::makeFolders() {
    Group& group = addGroup(tr("Folders"), [this] {
        data_->setFolder({});
        executables_->setFolder({});
        notes_->setCurrentIndex(0);
        applyFolders();
    });
    data_ = new FolderField("settingData", tr("that of TILESCOPE_DATA"));
    data_->setToolTip(tr("Where runs look for data sets, unless their form names a folder (--data)"));
    executables_ = new FolderField("settingExecutables", tr("they are not kept"));
    executables_->setToolTip(
        tr("Where runs keep what they have compiled, so that the same is not compiled again (--cache)"));
    notes_ = choice("settingNotes", {tr("beside each profile"), tr("in a folder of your own")});
    notes_->setToolTip(
        tr("Marks and notes of a profile; beside one that cannot be written they are in your folder, %1")
            .arg(QDir::toNativeSeparators(ownNotesFolder())));
    addRow(group, tr("Data sets"), data_);
    addRow(group, tr("Executables"), executables_);
    auto* kept = new QWidget;
    kept_ = new QLabel;
    kept_->setObjectName(QStringLiteral("keptExecutables"));
    kept_->setWordWrap(true);
    empty_ = new QPushButton(tr("Empty it"));
    empty_->setObjectName(QStringLiteral("emptyExecutables"));
    empty_->setToolTip(tr("Remove the executables of the folder; what needs them is compiled again"));
    empty_->setAutoDefault(false);
    auto* row = new QHBoxLayout(kept);
    row->setContentsMargins({});
    row->addWidget(kept_, 1);
    row->addWidget(empty_);
    addRow(group, tr("Kept there"), kept);
    addRow(group, tr("Marks and notes"), notes_);
    folders_note_ = new QLabel;
    folders_note_->setObjectName(QStringLiteral("foldersNote"));
    folders_note_->setWordWrap(true);
    folders_note_->hide();
    static_cast<QVBoxLayout*>(group.box->layout())->addWidget(folders_note_);
    for (FolderField* field : {data_, executables_})
        connect(field, &FolderField::chosen, this, &SettingsDialog::applyFolders);
    connect(empty_, &QPushButton::clicked, this, [this] { countExecutables(true); });
}

void SettingsDialog::showFolders() {
    data_->setFolder(dataFolder());
    executables_->setFolder(executableFolder());
    notes_->setCurrentIndex(notesBeside() ? 0 : 1);
    countExecutables(false);
}

/// A folder that is none is said, and not taken.
void SettingsDialog::applyFolders() {
    if (showing_)
        return;
    QStringList wrong;
    const auto take = [&](const FolderField& field, const QString& before, auto set) {
        const QFileInfo folder(field.folder());
        if (field.folder().isEmpty() || folder.isDir() || (&field == executables_ && !folder.exists()))
            return field.folder() != before ? set(field.folder()) : void();
        wrong << tr("There is no folder %1.").arg(QDir::toNativeSeparators(field.folder()));
    };
    take(*data_, dataFolder(), setDataFolder);
    take(*executables_, executableFolder(), setExecutableFolder);
    folders_note_->setText(wrong.join(QLatin1Char('\n')));
    folders_note_->setVisible(!wrong.isEmpty());
    countExecutables(false);
}

/// Off the window's thread: a folder may be far away.
void SettingsDialog::countExecutables(bool remove) {
    const QString folder = executableFolder();
    empty_->setEnabled(false);
    inBackground(
        this, [folder, remove] { return remove ? removeExecutables(folder) : keptExecutables(folder); },
        [this, folder](const KeptExecutables& kept) {
            if (folder != executableFolder())
                return;
            kept_->setText(kept.count == 0
                               ? tr("none")
                               : tr("%1, %2").arg(formatCounted(static_cast<std::size_t>(kept.count),
                                                                tr("executable"), tr("executables")),
                                                  formatBytes(kept.bytes)));
            empty_->setEnabled(kept.count > 0);
        });
}

} // namespace tilescope::ui
