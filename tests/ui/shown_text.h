// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTest>
#include <QTextDocumentFragment>

namespace tilescope::tests {

inline QStringList words(std::initializer_list<const char*> all) {
    QStringList list;
    for (const char* each : all)
        list << QString::fromUtf8(each);
    return list;
}

/// What a person reads in the labels of `widget`, without mark-up.
inline QStringList shown_texts(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (label->isVisible() && !label->text().isEmpty())
            texts << (Qt::mightBeRichText(label->text())
                          ? QTextDocumentFragment::fromHtml(label->text()).toPlainText()
                          : label->text());
    return texts;
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
