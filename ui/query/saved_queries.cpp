// SPDX-License-Identifier: GPL-3.0-or-later
#include "saved_queries.h"

#include "ui/query/sql_examples.h"
#include "ui/widgets/chart_actions.h"

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QVariantMap>

namespace tilescope::ui {
namespace {

const QString saved_key = QStringLiteral("queries");
const QString sql_key = QStringLiteral("sql");
const QString note_key = QStringLiteral("note");
constexpr int sql_role = Qt::UserRole;
constexpr int own_role = Qt::UserRole + 1;
constexpr int name_role = Qt::UserRole + 2;
constexpr int note_role = Qt::UserRole + 3;

} // namespace

SavedQueries::SavedQueries(QWidget* parent) : QListWidget(parent) {
    setObjectName(QStringLiteral("savedQueries"));
    setAccessibleName(tr("Saved and documented queries"));
    setWordWrap(true);
    setProperty("list", true);
    constexpr int side = 6;
    setViewportMargins(side, 0, side, 0); // a padding of its items would not count where their words break
    setResizeMode(QListView::Adjust);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QListWidget::itemActivated, this,
            [this](const QListWidgetItem* item) { Q_EMIT activated(item->data(sql_role).toString()); });
    connect(this, &QListWidget::itemClicked, this,
            [this](const QListWidgetItem* item) { Q_EMIT picked(item->data(sql_role).toString()); });
    const auto add = [this](const QString& name, const QKeySequence& key, auto done) {
        auto* action = new QAction(name, this);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, done);
        addAction(action);
    };
    add(tr("Name and note of the saved query…"), Qt::Key_F2, &SavedQueries::editChosen);
    add(tr("Remove the saved query"), QKeySequence::Delete, &SavedQueries::removeChosen);
    offerActions(this);
    fill();
}

void SavedQueries::fill() {
    clear();
    const QVariantMap kept = QSettings().value(saved_key).toMap();
    const auto add = [this](const Query& query, bool own) {
        auto* item = new QListWidgetItem(
            query.note.isEmpty() ? query.name : query.name + QLatin1Char('\n') + query.note, this);
        item->setData(sql_role, query.sql);
        item->setData(own_role, own);
        item->setData(name_role, query.name);
        item->setData(note_role, query.note);
        QStringList told{query.name, query.sql};
        if (!query.note.isEmpty())
            told.insert(1, query.note);
        item->setToolTip(told.join(QStringLiteral("\n\n")));
    };
    for (auto it = kept.begin(); it != kept.end(); ++it) {
        const QVariantMap parts = it.value().toMap(); // without a note it is the mere query
        add({it.key(), parts.isEmpty() ? it.value().toString() : parts[sql_key].toString(),
             parts[note_key].toString()},
            true);
    }
    for (const SqlExample& example : documentedExamples())
        add({example.question, example.sql, {}}, false);
}

void SavedQueries::addTo(QMenu& menu) {
    bool own = false;
    for (int i = 0; i < count(); ++i) {
        const QListWidgetItem& each = *item(i);
        if (i > 0 && own && !each.data(own_role).toBool())
            menu.addSeparator();
        own = each.data(own_role).toBool();
        const QString sql = each.data(sql_role).toString();
        QString name = each.data(name_role).toString();
        QAction* action = menu.addAction(name.replace(QLatin1Char('&'), QStringLiteral("&&")));
        action->setToolTip(each.toolTip());
        connect(action, &QAction::triggered, this, [this, sql] { Q_EMIT picked(sql); });
    }
}

SavedQueries::Query SavedQueries::queryOf(const QListWidgetItem& item) {
    return {item.data(name_role).toString(), item.data(sql_role).toString(), item.data(note_role).toString()};
}

void SavedQueries::keep(const Query& query) {
    QSettings settings;
    QVariantMap kept = settings.value(saved_key).toMap();
    kept[query.name] = query.note.isEmpty()
                           ? QVariant(query.sql)
                           : QVariant(QVariantMap{{sql_key, query.sql}, {note_key, query.note}});
    settings.setValue(saved_key, kept);
    fill();
}

void SavedQueries::forget(const QString& name) {
    QSettings settings;
    QVariantMap kept = settings.value(saved_key).toMap();
    kept.remove(name);
    settings.setValue(saved_key, kept);
    fill();
}

void SavedQueries::save(const QString& sql) {
    if (!sql.isEmpty())
        ask({{}, sql, {}});
}

void SavedQueries::ask(const Query& query) {
    auto* dialog = new QDialog(this);
    dialog->setObjectName(QStringLiteral("saveQuery"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save the query"));
    auto* name = new QLineEdit(query.name);
    auto* note = new QPlainTextEdit(query.note);
    note->setPlaceholderText(tr("What it answers, and how to read it"));
    note->setTabChangesFocus(true);
    constexpr int lines = 4;
    note->setFixedHeight(fontMetrics().lineSpacing() * lines);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    auto* form = new QFormLayout(dialog);
    form->addRow(tr("Name"), name);
    form->addRow(tr("Note"), note);
    form->addRow(buttons);
    QPushButton* save = buttons->button(QDialogButtonBox::Save);
    const auto check = [name, save] { save->setEnabled(!name->text().trimmed().isEmpty()); };
    connect(name, &QLineEdit::textChanged, save, check);
    check();
    connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    connect(dialog, &QDialog::accepted, this, [this, query, name, note] {
        const QString called = name->text().trimmed();
        if (called.isEmpty())
            return;
        if (!query.name.isEmpty() && called != query.name)
            forget(query.name);
        keep({called, query.sql, note->toPlainText().simplified()});
    });
    dialog->open();
}

const QListWidgetItem* SavedQueries::own() {
    const QListWidgetItem* item = currentItem();
    if (item != nullptr && item->data(own_role).toBool())
        return item;
    Q_EMIT message(tr("Only queries that you saved can be changed or removed."));
    return nullptr;
}

void SavedQueries::editChosen() {
    if (const QListWidgetItem* item = own())
        ask(queryOf(*item));
}

void SavedQueries::removeChosen() {
    const QListWidgetItem* item = own();
    if (item == nullptr)
        return;
    const Query query = queryOf(*item);
    forget(query.name);
    Q_EMIT made(
        tr("removing the query “%1”").arg(query.name), [this, query] { forget(query.name); },
        [this, query] { keep(query); });
}

} // namespace tilescope::ui
