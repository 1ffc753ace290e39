// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <array>

/// How colours look, and how far apart: for tests of palettes.
namespace tilescope::tests {

enum class Sight { Normal, Protan, Deutan, Tritan };
inline constexpr std::array all_sights{Sight::Normal, Sight::Protan, Sight::Deutan, Sight::Tritan};

/// What a reader of this sight sees. Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for
/// Simulation of Color Vision Deficiency" (2009), severity 1.0, on linear RGB.
QColor seen(const QColor& color, Sight sight);

/// CIEDE2000 of two sRGB colours under D65: 1 is just noticeable. Source: Sharma, Wu, Dalal, "The CIEDE2000
/// Color-Difference Formula" (2005).
double difference(const QColor& a, const QColor& b);

/// Of CIE Lab colours {L, a, b}.
double difference_of_lab(const std::array<double, 3>& a, const std::array<double, 3>& b);

/// Contrast ratio of WCAG 2: 1 to 21.
double contrast(const QColor& a, const QColor& b);

} // namespace tilescope::tests
