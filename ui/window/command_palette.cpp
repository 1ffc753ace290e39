// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_palette.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QTreeWidget>
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

CommandPalette::CommandPalette(QList<Command> commands, Places places, QWidget* parent)
    : QDialog(parent, Qt::Popup), commands_(std::move(commands)), places_(std::move(places)),
      input_(new QLineEdit(this)), list_(new QTreeWidget(this)), note_(new QLabel(this)) {
    setObjectName(QStringLiteral("palette"));
    input_->setPlaceholderText(
        tr("Type a command, or a place behind a colon: “:tile 45”, “:step 7614”, “:277 ms”"));
    input_->setAccessibleName(tr("Command"));
    input_->installEventFilter(this);
    list_->setProperty("list", true);
    list_->setColumnCount(2);
    list_->setHeaderHidden(true);
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAllColumnsShowFocus(true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    note_->setForegroundRole(QPalette::PlaceholderText);
    note_->setTextFormat(Qt::PlainText); // it repeats what is typed
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(input_);
    layout->addWidget(list_);
    layout->addWidget(note_);
    constexpr int letters = 90; // wide, whatever the size of the text
    constexpr int rows = 18;
    resize(letters * fontMetrics().averageCharWidth(), rows * (fontMetrics().height() + 8));
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(list_, &QTreeWidget::itemActivated, this, &CommandPalette::run);
    connect(list_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
        const int row = list_->indexOfTopLevelItem(item);
        if (row >= 0)
            note_->setText(listed_[row].reason.isEmpty() ? listed_[row].tip : listed_[row].reason);
    });
    list_->ensurePolished(); // rows are as tall as they stay
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
    if (text.startsWith(QLatin1Char(':'))) {
        list({}, tr("Looking for the place…"));
        return places_(text.mid(1).trimmed());
    }
    const QStringList used = QSettings().value(QLatin1String(used_key)).toStringList();
    struct Fit {
        qsizetype command = 0;
        std::tuple<bool, int, qsizetype> order; ///< of no use now, less well, used longer ago
    };
    std::vector<Fit> fits;
    for (qsizetype i = 0; i < commands_.size(); ++i) {
        const int score = fit(commands_[i].name, text);
        const qsizetype at = used.indexOf(commands_[i].name);
        if (score >= 0)
            fits.push_back({i, {!commands_[i].reason.isEmpty(), -score, at < 0 ? most_used : at}});
    }
    std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.order < b.order; });
    QList<Command> found;
    for (const Fit& each : fits)
        found << commands_[each.command];
    list(found, tr("Nothing matches “%1”.").arg(text));
}

void CommandPalette::showPlaces(const QString& typed, const QList<Command>& places, const QString& note) {
    if (input_->text().startsWith(QLatin1Char(':')) && input_->text().mid(1).trimmed() == typed)
        list(places, note);
}

/// `note`: what is said where there are none.
void CommandPalette::list(const QList<Command>& commands, const QString& note) {
    list_->clear();
    listed_ = commands;
    QList<QTreeWidgetItem*> items;
    for (const Command& command : commands) {
        auto* item = new QTreeWidgetItem({command.name, command.keys.toString(QKeySequence::NativeText)});
        item->setForeground(1, palette().placeholderText());
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(0, Qt::AccessibleDescriptionRole,
                      command.reason.isEmpty() ? command.tip : command.reason);
        if (!command.reason.isEmpty()) {
            item->setText(1, command.reason);
            item->setForeground(0, palette().placeholderText());
        }
        items << item;
    }
    list_->addTopLevelItems(items);
    if (items.isEmpty())
        note_->setText(note);
    else
        list_->setCurrentItem(items.front());
}

void CommandPalette::run() {
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    if (row < 0 || !listed_[row].reason.isEmpty())
        return;
    const Command command = listed_[row];
    if (!input_->text().startsWith(QLatin1Char(':'))) { // places are of one file
        QSettings settings;
        QStringList used = settings.value(QLatin1String(used_key)).toStringList();
        used.removeAll(command.name);
        used.prepend(command.name);
        settings.setValue(QLatin1String(used_key), used.mid(0, most_used));
    }
    accept();
    command.run();
}

} // namespace tilescope::ui
