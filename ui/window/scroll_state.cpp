// SPDX-License-Identifier: GPL-3.0-or-later
#include "scroll_state.h"

#include <QAbstractScrollArea>
#include <QScrollBar>

namespace tilescope::ui {

ScrollState scrollOf(const QWidget& view) {
    ScrollState state;
    for (const auto* area : view.findChildren<QAbstractScrollArea*>())
        state << QPoint(area->horizontalScrollBar()->value(), area->verticalScrollBar()->value());
    return state;
}

void setScroll(const QWidget& view, const ScrollState& state) {
    const auto areas = view.findChildren<QAbstractScrollArea*>();
    if (areas.size() != state.size()) // the view has other parts now
        return;
    for (qsizetype i = 0; i < areas.size(); ++i) {
        areas[i]->horizontalScrollBar()->setValue(state[i].x());
        areas[i]->verticalScrollBar()->setValue(state[i].y());
    }
}

} // namespace tilescope::ui
