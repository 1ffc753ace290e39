// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

class QWidget;

namespace tilescope::ui {

/// Keys that a part takes by itself while it has the focus, and what they do.
struct ToldKeys {
    QString keys; ///< "Left, Right"
    QString does; ///< "to the tile before or behind; with Shift the tiles between are chosen, too"
};

/// For what is no action: the overview of keys lists them under `name`, once for all parts of that name.
void tellKeys(QWidget* part, const QString& name, const QList<ToldKeys>& keys);

/// What a part was told with, or nothing.
struct KeysOfPart {
    QString name;
    QList<ToldKeys> keys;
};
KeysOfPart toldKeys(const QWidget& part);

} // namespace tilescope::ui
