// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/summary.h"

#include <QString>
#include <QStringList>
#include <array>
#include <string>

namespace tilescope::ui {

/// Figures of a target that *What if* changes, as a person writes them: rates of links and of the host are of
/// bytes per second, so that they stay what they are at another clock.
enum class TargetFigure { Tiles, TileMemory, Clock, Exchange, Links, Host };
inline constexpr std::array target_figures = {TargetFigure::Tiles, TargetFigure::TileMemory,
                                              TargetFigure::Clock, TargetFigure::Exchange,
                                              TargetFigure::Links, TargetFigure::Host};
using TargetFigures = std::array<double, target_figures.size()>; ///< in their units

QString targetFigureName(TargetFigure figure); ///< "tiles of an IPU"
QString targetFigureUnit(TargetFigure figure); ///< "KiB"
QString targetFigureTip(TargetFigure figure);

/// What a run was compiled for.
class RunTarget {
  public:
    /// Of a run whose file holds its workload. Errors: BadInput, where it has no target or no workload.
    static Result<RunTarget> of(const analyse::Summary& summary);
    double own(TargetFigure figure) const { return own_[static_cast<std::size_t>(figure)]; }
    const TargetFigures& all() const { return own_; }
    /// That of a slider, so many sixteenths of a doubling from its own; rounded as its unit wants, and no
    /// less or more than a workload may say.
    double at(TargetFigure figure, int sixteenths) const;
    /// Where the slider of a value stands.
    static int sixteenths(double value, double own);
    /// The settings that make it a target with these figures, as `--set` takes them; none for its own.
    QStringList changes(const TargetFigures& wanted) const;

  private:
    TargetFigures own_{};
    double interleaved_bytes_ = 0;   ///< of a tile
    double streaming_per_cycle_ = 0; ///< bytes
    double links_per_cycle_ = 0, host_per_cycle_ = 0;
};

/// A number as it is typed: "1,472", "1.33", also with its unit behind it; nullopt: it is none.
std::optional<double> typedNumber(const QString& text, const QString& unit);

} // namespace tilescope::ui
