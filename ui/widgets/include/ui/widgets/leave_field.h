// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>
#include <functional>
#include <initializer_list>

class QWidget;

namespace tilescope::ui {

/// Calls `leave` for those keys while the field has the focus, also where they are keys of what it is in.
void leaveFieldBy(std::initializer_list<Qt::Key> keys, QWidget* field, std::function<void()> leave);

} // namespace tilescope::ui
