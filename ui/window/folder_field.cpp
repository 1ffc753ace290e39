// SPDX-License-Identifier: GPL-3.0-or-later
#include "folder_field.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <utility>

namespace tilescope::ui {

FolderField::FolderField(const char* name, const QString& none, QWidget* parent)
    : QWidget(parent), line_(new QLineEdit) {
    line_->setObjectName(QLatin1String(name));
    line_->setPlaceholderText(none);
    line_->setClearButtonEnabled(true);
    auto* choose = new QPushButton(tr("Choose…"));
    choose->setAutoDefault(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins({});
    row->addWidget(line_, 1);
    row->addWidget(choose);
    setFocusProxy(line_);
    connect(line_, &QLineEdit::editingFinished, this, &FolderField::tell);
    connect(line_, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty()) // the cross at its end is no key
            tell();
    });
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, accessibleName(), line_->text());
        if (folder.isEmpty())
            return;
        line_->setText(QDir::toNativeSeparators(folder));
        tell();
    });
}

/// A widget that goes gives up the focus, and its proxy would tell of it what has gone already.
FolderField::~FolderField() {
    line_->disconnect(this);
}

QString FolderField::folder() const {
    const QString text = line_->text().trimmed();
    return text.isEmpty() ? QString()
                          : QDir::cleanPath(QFileInfo(QDir::fromNativeSeparators(text)).absoluteFilePath());
}

void FolderField::setFolder(const QString& folder) {
    told_ = folder;
    line_->setText(QDir::toNativeSeparators(folder));
}

void FolderField::tell() {
    if (std::exchange(told_, folder()) != folder())
        Q_EMIT chosen();
}

} // namespace tilescope::ui
