// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QTest>
#include <QTextDocumentFragment>

namespace tilescope::tests {

inline QStringList words(std::initializer_list<const char*> all) {
    QStringList list;
    for (const char* each : all)
        list << QString::fromUtf8(each);
    return list;
}

/// Without what keeps figures and options in one line: a person does not read that.
inline QString as_read(QString text) {
    constexpr QChar joiner(0x2060);
    return text.remove(joiner).replace(QChar(QChar::Nbsp), QLatin1Char(' '));
}

/// What a person reads in the labels of `widget`, without mark-up.
inline QStringList shown_texts(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisible() && !label->text().isEmpty())
            texts << as_read(label->textFormat() == Qt::RichText || Qt::mightBeRichText(label->text())
                                 ? QTextDocumentFragment::fromHtml(label->text()).toPlainText()
                                 : label->text());
    return texts;
}

/// What a person reads in a table: a line of heads and one of each row, cells parted by `separator`.
inline QString shown_rows(const QTableView& table, QChar separator) {
    const QAbstractItemModel& model = *table.model();
    QString text;
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            if (!table.isColumnHidden(column))
                cells << (row < 0 ? model.headerData(column, Qt::Horizontal)
                                  : model.index(row, column).data())
                             .toString();
        text += cells.join(separator) + QLatin1Char('\n');
    }
    return text;
}

/// Whether one of the labels holds `text`.
inline bool shows(const QWidget& widget, const QString& text) {
    const QStringList texts = shown_texts(widget);
    return std::any_of(texts.begin(), texts.end(), [&](const QString& t) { return t.contains(text); });
}

/// Waits until one does.
inline bool comes_to_show(const QWidget& widget, const QString& text, int patience_ms = 60000) {
    return QTest::qWaitFor([&] { return shows(widget, text); }, patience_ms);
}

} // namespace tilescope::tests
