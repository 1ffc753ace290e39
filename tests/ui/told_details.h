// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/view.h"

#include <QObject>
#include <QString>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextTable>

namespace tilescope::tests {

/// What a view tells the panel at the side from now on: the last of it.
class ToldDetails {
  public:
    explicit ToldDetails(ui::View& view) {
        QObject::connect(&view, &ui::View::detailsChanged, &here_, [this](const QString& html) {
            html_ = html;
            document_.setHtml(html);
        });
    }
    const QString& html() const { return html_; }
    QString plain() const { return QTextDocumentFragment::fromHtml(html_).toPlainText(); }
    QString title() const { return document_.firstBlock().text(); }
    /// Of the row of that name, its lines parted by line feeds; "": there is none.
    QString value(const char* name) const {
        for (const QTextFrame* frame : document_.rootFrame()->childFrames())
            if (const auto* table = qobject_cast<const QTextTable*>(frame))
                for (int row = 0; row < table->rows(); ++row)
                    if (textOf(*table, row, 0) == QLatin1String(name))
                        return textOf(*table, row, 1);
        return {};
    }

  private:
    static QString textOf(const QTextTable& table, int row, int column) {
        const QTextTableCell cell = table.cellAt(row, column);
        QTextCursor all = cell.firstCursorPosition();
        all.setPosition(cell.lastPosition(), QTextCursor::KeepAnchor);
        return all.selectedText().replace(QChar::LineSeparator, u'\n').replace(QChar::Nbsp, u' ');
    }

    QObject here_;
    QString html_;
    QTextDocument document_;
};

} // namespace tilescope::tests
