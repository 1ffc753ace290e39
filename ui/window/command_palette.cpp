// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_palette.h"

#include <QAction>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace tilescope::ui {

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup), actions_(actions), input_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
    input_->setPlaceholderText(tr("Type a command"));
    input_->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(input_);
    layout->addWidget(list_);
    resize(460, 360);
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
    filter({});
    input_->setFocus();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event) {
    if (object == input_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            QCoreApplication::sendEvent(list_, event);
            return true;
        }
    }
    return QDialog::eventFilter(object, event);
}

void CommandPalette::filter(const QString& text) {
    list_->clear();
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < actions_.size(); ++i) {
        const QAction* action = actions_[i];
        QString name = action->text();
        name.remove(QLatin1Char('&'));
        const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return name.contains(word, Qt::CaseInsensitive);
        });
        if (!fits || !action->isEnabled())
            continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        auto* item =
            new QListWidgetItem(keys.isEmpty() ? name : QStringLiteral("%1   (%2)").arg(name, keys), list_);
        item->setData(Qt::UserRole, static_cast<qlonglong>(i));
        item->setToolTip(action->toolTip());
    }
    list_->setCurrentRow(0);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (item == nullptr)
        return;
    QAction* action = actions_[static_cast<qsizetype>(item->data(Qt::UserRole).toLongLong())];
    accept();
    action->trigger();
}

} // namespace tilescope::ui
