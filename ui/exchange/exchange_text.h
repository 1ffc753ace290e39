// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "ui/exchange/exchange_view.h"

#include <QString>

namespace tilescope::ui {

QString kindText(profile::ExchangeKind kind);             ///< "over links"
QString ipuText(const profile::ExchangeRecord& exchange); ///< "3", "3 → 4"

} // namespace tilescope::ui
