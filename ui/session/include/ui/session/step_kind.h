// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <QString>

namespace tilescope::ui {

QString stepKindName(profile::StepKind kind); ///< "compute set" for Execute, and so on, for people

} // namespace tilescope::ui
