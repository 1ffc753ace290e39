// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QWidget>
#include <initializer_list>

class QSplitter;

namespace tilescope::ui {

/// The page of a view: `head` (heading, figures, legend) one below the other, and under it two parts with a
/// handle between them that take the rest in the ratio `upper_share` : `lower_share`. Where the upper one
/// has more, the lower one yields (YieldingSplit). More may be added to its layout.
QWidget* headedPage(std::initializer_list<QWidget*> head, QWidget* upper, QWidget* lower, int upper_share,
                    int lower_share);

/// The same over parts that have their splitter.
QWidget* headedPage(std::initializer_list<QWidget*> head, QSplitter* parts);

/// A heading with choosers at its right; below it where they would leave it too little room.
QWidget* headRow(QWidget* heading, const QList<QWidget*>& choosers);

/// Fills `view` with a page that scrolls where it is higher.
void fillScrolling(QWidget* view, QWidget* page);

} // namespace tilescope::ui
