// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/history.h"

#include <QJsonArray>
#include <QJsonObject>

class QWidget;

namespace tilescope::ui {

/// How the parts of a view are arranged: the tabs that are chosen, the sizes of what is beside each other,
/// the columns that tables are sorted by. Of parts that a view does not have any more, nothing is taken.
QJsonObject arrangementOf(const QWidget& view);
void setArrangement(QWidget& view, const QJsonObject& arrangement);

/// What is in sight of the parts of a view that zoom (those with a property "zoom"). Empty: of each, all.
QJsonArray zoomsOf(const QWidget& view);
void setZooms(QWidget& view, const QJsonArray& zooms);

/// Where one is in a file, without what is remembered of all files alike (basis, device program).
QJsonObject placeToJson(const Place& place);
Place placeFromJson(const QJsonObject& object);

} // namespace tilescope::ui
