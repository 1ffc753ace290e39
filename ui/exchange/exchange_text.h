// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"
#include "ui/exchange/exchange_view.h"

#include <QString>
#include <cstdint>
#include <limits>

namespace tilescope::ui {

/// Of the row of all exchanges that have not changed. Other keys are ids of exchanges of the new run; those
/// that only the base has are counted downwards from -2.
constexpr std::int64_t unchanged_key = std::numeric_limits<std::int64_t>::min();

QString kindText(profile::ExchangeKind kind); ///< "over links"
/// Why it is not known which tile sends to which; "" where it is.
QString noteOf(analyse::TileMoves::Known known, profile::ExchangeKind kind);
QString ipuText(const profile::ExchangeRecord& exchange); ///< "3", "3 → 4"
/// What the matrix of one has: "Bytes from tiles of IPU 3 (rows) to tiles of IPU 4 (columns)".
QString matrixText(const profile::ExchangeRecord& exchange);

} // namespace tilescope::ui
