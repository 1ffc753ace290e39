// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QGuiApplication;

namespace tilescope::ui {

/// "--estimate" so that no line ends behind its dashes: an invisible joiner (U+2060) stands behind them.
QString keepOptionsWhole(QString text);
/// What is copied has none of these joiners: a command line does not know them.
QString withoutJoiners(QString text);
/// Does so for whatever the application copies.
void copyWithoutJoiners(QGuiApplication& application);

} // namespace tilescope::ui
