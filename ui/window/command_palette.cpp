// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_palette.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr const char* used_key = "window/commands"; ///< names, the newest first
constexpr int most_used = 12;

bool beginsWord(const QString& name, qsizetype at) {
    return at == 0 || !name[at - 1].isLetterOrNumber();
}

/// Whether the letters stand in this order in `name`, each right behind the one before or at the beginning of
/// a word.
bool spelled(const QString& name, const QString& letters) {
    qsizetype at = -1;
    for (const QChar letter : letters) {
        if (letter.isSpace())
            continue;
        qsizetype next = at + 1;
        while (next < name.size() && !(name[next] == letter && (next == at + 1 || beginsWord(name, next))))
            ++next;
        if (next >= name.size())
            return false;
        at = next;
    }
    return true;
}

} // namespace

int fit(const QString& name, const QString& typed) {
    constexpr int all = 1000;
    const QString lower = name.toLower();
    const QString wanted = typed.toLower().trimmed();
    if (wanted.isEmpty())
        return 0;
    int score = lower.startsWith(wanted) ? all : 0;
    for (const QString& word : wanted.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const qsizetype within = lower.indexOf(word);
        if (within < 0)
            return spelled(lower, wanted) ? 1 : -1;
        bool begins = false;
        for (qsizetype at = within; at >= 0 && !begins; at = lower.indexOf(word, at + 1))
            begins = beginsWord(lower, at);
        score += begins ? 100 : 10;
    }
    return score;
}

CommandPalette::CommandPalette(QList<Command> commands, QWidget* parent)
    : QDialog(parent, Qt::Popup), commands_(std::move(commands)), input_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
    setObjectName(QStringLiteral("palette"));
    input_->setPlaceholderText(tr("Type a command"));
    input_->setAccessibleName(tr("Command"));
    input_->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(input_);
    layout->addWidget(list_);
    resize(560, 400);
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
    filter({});
    input_->setFocus();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event) {
    if (object == input_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_PageDown || key == Qt::Key_PageUp) {
            QCoreApplication::sendEvent(list_, event);
            return true;
        }
    }
    return QDialog::eventFilter(object, event);
}

void CommandPalette::filter(const QString& text) {
    const QStringList used = QSettings().value(QLatin1String(used_key)).toStringList();
    struct Fit {
        qsizetype command = 0;
        std::tuple<bool, int, qsizetype> order; ///< disabled, less well, used longer ago
    };
    std::vector<Fit> fits;
    for (qsizetype i = 0; i < commands_.size(); ++i) {
        const int score = fit(commands_[i].name, text);
        const qsizetype at = used.indexOf(commands_[i].name);
        if (score >= 0)
            fits.push_back({i, {!commands_[i].enabled, -score, at < 0 ? most_used : at}});
    }
    std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.order < b.order; });
    list_->clear();
    for (const Fit& each : fits) {
        const Command& command = commands_[each.command];
        const QString keys = command.keys.toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(
            keys.isEmpty() ? command.name : QStringLiteral("%1   (%2)").arg(command.name, keys), list_);
        item->setData(Qt::UserRole, static_cast<qlonglong>(each.command));
        item->setToolTip(command.tip);
        if (!command.enabled)
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    list_->setCurrentRow(0);
}

void CommandPalette::run() {
    const QListWidgetItem* item = list_->currentItem();
    if (item == nullptr || (item->flags() & Qt::ItemIsEnabled) == 0)
        return;
    const Command command = commands_[static_cast<qsizetype>(item->data(Qt::UserRole).toLongLong())];
    QSettings settings;
    QStringList used = settings.value(QLatin1String(used_key)).toStringList();
    used.removeAll(command.name);
    used.prepend(command.name);
    settings.setValue(QLatin1String(used_key), used.mid(0, most_used));
    accept();
    command.run();
}

} // namespace tilescope::ui
