// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyse/accuracy.h"

#include "base/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tilescope::analyse {

const profile::ErrorBandRecord* band_of(const ErrorBands& bands, FigureKind kind) {
    const auto found =
        std::find_if(bands.begin(), bands.end(), [kind](const auto& band) { return band.kind == kind; });
    return found == bands.end() ? nullptr : &*found;
}

std::string figures_of(FigureKind kind) {
    switch (kind) {
    case FigureKind::Compute:
        return "cycles";
    case FigureKind::Host:
        return "whole steps";
    case FigureKind::Memory:
        return "bytes";
    }
    return {};
}

std::string typical_error(const ErrorBands& bands, const FigureKinds& kinds) {
    std::string text;
    for (const FigureKind kind : kinds)
        if (const auto* band = band_of(bands, kind)) {
            text += text.empty() ? "typical error" : ",";
            if (kinds.size() > 1)
                text += " of " + figures_of(kind);
            text += " ×" + amount_text(band->typical);
        }
    return text;
}

std::string range_text(const profile::ErrorBandRecord& band) {
    return "predicted at " + amount_text(band.lowest) + " to " + amount_text(band.highest) +
           " of what is published, on average a factor of " + amount_text(band.typical) + " off";
}

std::string error_text(const profile::ErrorBandRecord& band) {
    return "Figures of this kind (" + figures_of(band.kind) + ") were " + range_text(band) + ", over " +
           counted_text(band.rows, "row") + ": " + band.source;
}

nlohmann::ordered_json document(const ErrorBands& bands) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
    for (const profile::ErrorBandRecord& band : bands)
        kinds[to_string(band.kind)] = {{"rows", band.rows},
                                       {"typical", band.typical},
                                       {"lowest", band.lowest},
                                       {"highest", band.highest},
                                       {"source", band.source}};
    return kinds;
}

} // namespace tilescope::analyse
