// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilescope::ui {

/// A change as its reader should take it, with or without colours: "▲ +9.9 % worse". `better`: 1 better, -1
/// worse, 0 neither, and then it stays as it is.
QString judgedText(const QString& change, int better);
/// With another word: "▼ −9.4 % faster".
QString judgedText(const QString& change, const QString& word);
/// Its role of colour: that of less in differences for what is better, of more for what is worse; for readers
/// of any sight these two differ, as green and red do not.
QString judgedColor(int better);
/// Both, as rich text for a ThemedLabel.
QString judgedHtml(const QString& change, int better);

} // namespace tilescope::ui
