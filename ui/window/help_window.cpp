// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/help_window.h"

#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace tilescope::ui {

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), pages_(new QListWidget), text_(new QTextBrowser) {
    setWindowTitle(tr("Help"));
    resize(960, 680);
    const QDir docs(QStringLiteral(":/docs"));
    for (const QString& file : docs.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
        pages_->addItem(file.chopped(3));
    auto* split = new QSplitter;
    split->addWidget(pages_);
    split->addWidget(text_);
    split->setSizes({180, 780});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
    text_->setOpenExternalLinks(false);
    connect(pages_, &QListWidget::currentTextChanged, this, &HelpWindow::showPage);
    pages_->setCurrentRow(0);
}

void HelpWindow::showPage(const QString& name) {
    QFile file(QStringLiteral(":/docs/%1.md").arg(name));
    if (file.open(QIODevice::ReadOnly))
        text_->setMarkdown(QString::fromUtf8(file.readAll()));
}

} // namespace tilescope::ui
