// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

class QTextDocument;

namespace tilescope::ui {

struct Theme;

/// One page of the documentation.
struct HelpPage {
    QString name; ///< of its file, without ".md"
    QString title;
    QString chapter; ///< heading of the index under which it is listed; "" for the index itself
    QString markdown;
};
/// What a reader sees of a page, to be searched.
QString plainText(const HelpPage& page);

/// The pages of a folder in the order in which its index.md links to them, the index first; then what the
/// index does not name.
QList<HelpPage> readHelp(const QString& folder);

/// Fills a document with Markdown, set in the theme's colours: headings, code, tables with lines below their
/// rows.
void typeset(QTextDocument& document, const QString& markdown, const Theme& theme);

} // namespace tilescope::ui
