// SPDX-License-Identifier: GPL-3.0-or-later
#include "ipu/error_bands.h"

#include <algorithm>
#include <cmath>

namespace tilescope::ipu {
namespace {

bool is_rate(const std::string& unit) {
    return unit.ends_with("/s");
}

} // namespace

const std::vector<FidelityRow>& fidelity_rows() {
    static const std::vector<FidelityRow> rows = {
#include "fidelity_rows.inc"
    };
    return rows;
}

std::optional<FigureKind> kind_of_unit(const std::string& unit) {
    if (unit == "cycles" || is_rate(unit)) // rates are of models and products whose host time is small
        return FigureKind::Compute;
    if (unit == "us")
        return FigureKind::Host;
    if (unit == "bytes")
        return FigureKind::Memory;
    return std::nullopt;
}

std::vector<ErrorBand> error_bands(const std::vector<FidelityRow>& rows) {
    std::vector<ErrorBand> bands;
    for (const FigureKind kind : {FigureKind::Compute, FigureKind::Host, FigureKind::Memory}) {
        ErrorBand band;
        band.kind = kind;
        double sum = 0;
        for (const FidelityRow& row : rows) {
            if (kind_of_unit(row.unit) != kind)
                continue;
            const double ratio = is_rate(row.unit) ? 1 / row.ratio : row.ratio;
            sum += std::abs(std::log(ratio));
            band.lowest = band.rows == 0 ? ratio : std::min(band.lowest, ratio);
            band.highest = band.rows == 0 ? ratio : std::max(band.highest, ratio);
            band.source += (band.rows == 0 ? "" : ", ") + row.name;
            ++band.rows;
        }
        if (band.rows == 0)
            continue;
        band.typical = std::exp(sum / static_cast<double>(band.rows));
        bands.push_back(std::move(band));
    }
    return bands;
}

} // namespace tilescope::ipu
