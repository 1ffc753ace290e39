// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/sql_editor.h"

#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringListModel>
#include <algorithm>

namespace tilescope::ui {
namespace {

constexpr int first_letters = 2; ///< typed before anything is proposed unasked

const QStringList& keywords() {
    static const QStringList words{
        QStringLiteral("SELECT"),      QStringLiteral("FROM"),      QStringLiteral("WHERE"),
        QStringLiteral("GROUP BY"),    QStringLiteral("ORDER BY"),  QStringLiteral("LIMIT"),
        QStringLiteral("JOIN"),        QStringLiteral("LEFT JOIN"), QStringLiteral("ON"),
        QStringLiteral("AND"),         QStringLiteral("OR"),        QStringLiteral("NOT"),
        QStringLiteral("AS"),          QStringLiteral("DESC"),      QStringLiteral("HAVING"),
        QStringLiteral("DISTINCT"),    QStringLiteral("BETWEEN"),   QStringLiteral("LIKE"),
        QStringLiteral("IN"),          QStringLiteral("WITH"),      QStringLiteral("CASE"),
        QStringLiteral("count("),      QStringLiteral("sum("),      QStringLiteral("max("),
        QStringLiteral("min("),        QStringLiteral("avg("),      QStringLiteral("round("),
        QStringLiteral("tile_values(")};
    return words;
}

bool ofWord(QChar c) {
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

} // namespace

SqlEditor::SqlEditor(QWidget* parent)
    : QPlainTextEdit(parent), completer_(new QCompleter(this)), words_(new QStringListModel(this)) {
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF()); // as large as other text
    setFont(fixed);
    setTabChangesFocus(true);
    setPlaceholderText(tr("SELECT name, bytes FROM variable ORDER BY bytes DESC LIMIT 10"));
    setAccessibleName(tr("SQL"));
    connect(this, &QPlainTextEdit::textChanged, this, [this] { markError({}); });
    completer_->setModel(words_);
    completer_->setWidget(this);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->setCompletionMode(QCompleter::PopupCompletion);
    connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &SqlEditor::insert);
}

void SqlEditor::setTables(Columns columns) {
    columns_ = std::move(columns);
}

void SqlEditor::markError(std::optional<qsizetype> at) {
    const QString sql = toPlainText();
    QList<QTextEdit::ExtraSelection> places;
    if (at && !sql.isEmpty()) {
        const qsizetype from = std::clamp<qsizetype>(*at, 0, sql.size() - 1); // at the end: the last letter
        qsizetype to = from;
        while (to < sql.size() && ofWord(sql[to]))
            ++to;
        QTextEdit::ExtraSelection wrong;
        wrong.cursor = QTextCursor(document());
        wrong.cursor.setPosition(static_cast<int>(from));
        wrong.cursor.setPosition(static_cast<int>(std::max(to, from + 1)), QTextCursor::KeepAnchor);
        wrong.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        wrong.format.setUnderlineColor(Theme::of(this).bad);
        places << wrong;
    }
    setExtraSelections(places);
}

QString SqlEditor::wordBefore() const {
    const QString text = toPlainText().left(textCursor().position());
    qsizetype from = text.size();
    while (from > 0 && ofWord(text[from - 1]))
        --from;
    return text.mid(from);
}

QString SqlEditor::tableBefore() const {
    QString text = toPlainText().left(textCursor().position());
    text.chop(wordBefore().size());
    if (!text.endsWith(QLatin1Char('.')))
        return {};
    text.chop(1);
    qsizetype from = text.size();
    while (from > 0 && ofWord(text[from - 1]))
        --from;
    QString name = text.mid(from);
    if (columns_.contains(name))
        return name;
    const QRegularExpression alias(
        QStringLiteral("\\b(\\w+)(?:\\s+AS)?\\s+%1\\b").arg(QRegularExpression::escape(name)),
        QRegularExpression::CaseInsensitiveOption);
    for (auto it = alias.globalMatch(toPlainText()); it.hasNext();) {
        QString table = it.next().captured(1);
        if (columns_.contains(table))
            return table;
    }
    return {};
}

QStringList SqlEditor::completions() const {
    QStringList all;
    if (const QString table = tableBefore(); !table.isEmpty()) {
        all = columns_.at(table);
    } else {
        all = keywords();
        const QString sql = toPlainText();
        const auto named = [&](const auto& each) { return sql.contains(each.first); };
        const bool any = std::any_of(columns_.begin(), columns_.end(), named);
        for (const auto& each : columns_) {
            all << each.first;
            if (!any || named(each)) // once some are named, only their columns are at hand
                all << each.second;
        }
    }
    all.removeDuplicates();
    all.sort(Qt::CaseInsensitive);
    const QString begun = wordBefore();
    QStringList fitting;
    for (const QString& word : all)
        if (word.startsWith(begun, Qt::CaseInsensitive) && word.compare(begun, Qt::CaseInsensitive) != 0)
            fitting << word;
    return fitting;
}

void SqlEditor::complete(bool asked) {
    const bool column = !tableBefore().isEmpty();
    const QStringList words = completions();
    if (words.isEmpty() || (!asked && !column && wordBefore().size() < first_letters))
        return completer_->popup()->hide();
    words_->setStringList(words);
    completer_->setCompletionPrefix(wordBefore());
    QRect at = cursorRect();
    at.setWidth(completer_->popup()->sizeHintForColumn(0) +
                completer_->popup()->verticalScrollBar()->sizeHint().width() + 24);
    completer_->complete(at);
    completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
}

void SqlEditor::insert(const QString& completion) {
    QTextCursor cursor = textCursor();
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(wordBefore().size()));
    cursor.insertText(completion);
    setTextCursor(cursor);
}

void SqlEditor::keyPressEvent(QKeyEvent* event) {
    const bool open = completer_->popup()->isVisible();
    if (open && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                 event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape))
        return event->ignore(); // the popup takes it
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
        event->modifiers() == Qt::ControlModifier)
        return Q_EMIT runRequested();
    if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier)
        return complete(true);
    QPlainTextEdit::keyPressEvent(event);
    if (!event->text().isEmpty() && event->text().at(0).isPrint())
        complete(false);
    else
        completer_->popup()->hide();
}

} // namespace tilescope::ui
