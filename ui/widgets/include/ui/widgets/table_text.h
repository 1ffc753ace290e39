// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <QFontMetrics>
#include <QString>
#include <QStringList>

namespace tilescope::ui {

/// One line of a table as text: cells parted by `separator`, quoted where they hold it and it is a comma
/// (CSV).
QString tableLine(const QStringList& cells, QChar separator);

/// Whether a cell with `text` needs a wider column, as near as can be told without its font: of texts of
/// about as many letters those that they are made of decide.
bool widerText(const QString& text, const QString& than);

/// The most pixels of what no line of a column's texts is broken within: words, and parts of paths.
int widestPart(const QAbstractItemModel& rows, int column, const QFontMetrics& letters);

} // namespace tilescope::ui
