// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QFont>
#include <QList>
#include <QString>
#include <memory>

class QTextDocument;

namespace tilescope::ui {

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

/// How pages look.
struct PageStyle {
    Theme theme;
    QFont font;
    QString code_family; ///< of the fonts of code

    /// In that font, with the system's one for code.
    static PageStyle now(const Theme& theme, const QFont& font);
};

/// A document of Markdown: headings, code, tables with lines below their rows. On any thread, whose the
/// document then is.
std::unique_ptr<QTextDocument> typeset(const QString& markdown, const PageStyle& style);

} // namespace tilescope::ui
