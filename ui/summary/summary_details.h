// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <QString>
#include <optional>

namespace tilescope::ui {

/// What a card of Summary is about.
enum class CardFigure { None, StepTime, Throughput, FullestTile, Rate };

/// Microseconds of a step, samples per second, bytes or FLOP per second; nullopt: the file has no such
/// figure.
std::optional<double> valueOf(const analyse::Summary& s, CardFigure figure);
/// Why it has none.
QString whyAbsent(const analyse::Summary& s, CardFigure figure);
/// In whole, with its unit, as rich text: "<b>2,776,184.000 cycles</b>"; "": it is absent.
QString exactHtml(const analyse::Summary& s, CardFigure figure);
FigureKind kindOf(CardFigure figure);
/// How far figures of a kind were off what is published; "": the file does not say, or nothing is predicted.
QString bandText(const analyse::Summary& s, FigureKind kind);

/// What the panel at the side says of a card: its figure in whole, what it is defined as, how far to trust
/// it. `base`: null where there is none.
QString detailsOf(const analyse::Summary& s, const analyse::Summary* base, CardFigure figure);
/// What all figures rest on: engine runs and programs, the basis, error bands, and what is absent.
QString detailsOfAll(const analyse::Summary& s);

} // namespace tilescope::ui
