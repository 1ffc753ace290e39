// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/records.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// How far to trust predicted figures, in words: what table `error_band` of a file says of each kind.
namespace tilescope::analyse {

using ErrorBands = std::vector<profile::ErrorBandRecord>;
using FigureKinds = std::vector<FigureKind>;

/// That of a kind; nullptr where the file has none, or nothing is predicted.
const profile::ErrorBandRecord* band_of(const ErrorBands& bands, FigureKind kind);

/// "cycles", "whole steps" or "bytes".
std::string figures_of(FigureKind kind);

/// "typical error ×1.2", of several kinds "typical error of cycles ×1.2, of bytes ×1.1"; "" where
/// none of them has one.
std::string typical_error(const ErrorBands& bands, const FigureKinds& kinds);

/// "predicted at 0.8 to 1.3 of what is published, on average a factor of 1.2 off".
std::string range_text(const profile::ErrorBandRecord& band);

/// "Figures of this kind (cycles) were predicted at 0.8 to 1.3 of what is published, on average a factor of
/// 1.2 off, over 4 rows: NAMES".
std::string error_text(const profile::ErrorBandRecord& band);

/// `accuracy` of the documents of reports and comparisons: an object by kind.
nlohmann::ordered_json document(const ErrorBands& bands);

} // namespace tilescope::analyse
