// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace tilescope::ui {

/// What page "Figures" of the help says of a figure.
struct FigureDefinition {
    QString per;  ///< "step"; "": of the whole run or of a moment
    QString text; ///< one sentence
};
/// By the figure's name, as analyse::figures() has it; nullopt: the page has none of that name.
std::optional<FigureDefinition> definitionOf(const QString& figure);

} // namespace tilescope::ui
