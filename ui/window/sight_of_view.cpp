// SPDX-License-Identifier: GPL-3.0-or-later
#include "sight_of_view.h"

#include "view_state.h"

#include <QAbstractScrollArea>
#include <QScrollBar>
#include <QTabWidget>

namespace tilescope::ui {

Sight sightOf(const QWidget& view) {
    Sight sight{{}, zoomsOf(view), {}};
    for (const auto* area : view.findChildren<QAbstractScrollArea*>())
        sight.scroll << QPoint(area->horizontalScrollBar()->value(), area->verticalScrollBar()->value());
    for (const auto* tabs : view.findChildren<QTabWidget*>())
        sight.tabs << tabs->currentIndex();
    return sight;
}

void setSight(QWidget& view, const Sight& sight) {
    const auto tabs = view.findChildren<QTabWidget*>();
    for (qsizetype i = 0; tabs.size() == sight.tabs.size() && i < tabs.size(); ++i)
        tabs[i]->setCurrentIndex(sight.tabs[i]);
    setZooms(view, sight.zooms);
    const auto areas = view.findChildren<QAbstractScrollArea*>();
    for (qsizetype i = 0; areas.size() == sight.scroll.size() && i < areas.size(); ++i) {
        areas[i]->horizontalScrollBar()->setValue(sight.scroll[i].x());
        areas[i]->verticalScrollBar()->setValue(sight.scroll[i].y());
    }
}

} // namespace tilescope::ui
