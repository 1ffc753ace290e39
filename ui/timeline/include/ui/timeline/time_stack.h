// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/time_line.h"

#include <QColor>
#include <QImage>
#include <array>
#include <vector>

namespace tilescope::ui {

/// Columns of pixels as stacks of what they are spent on: the height of a part is its share of the time, and
/// what whole pixels cannot show is carried to the next column that has the same part, so that over a picture
/// each part has its share of the area.
class TimeStack {
  public:
    static constexpr std::size_t parts = std::tuple_size_v<analyse::TimeColumns::Column>;
    /// Where it does not show kinds of time, what is none of its other parts, and in passes of a pipeline
    /// what the host has of them.
    static constexpr auto rest = static_cast<std::size_t>(analyse::TimeKind::Waiting);
    static constexpr std::size_t host = parts - 1;
    using Heights = std::array<int, parts>; ///< pixels, from below; what is missing is empty

    /// `full`: cycles of a column that is covered whole.
    static std::vector<Heights> heights(const std::vector<analyse::TimeColumns::Column>& columns, double full,
                                        int height);

    struct Colors {
        std::array<QColor, parts> part;
        QColor hatch; ///< lines on `rest`; invalid: none
        bool operator==(const Colors&) const = default;
    };
    /// How the colours of a column are changed: `toned` towards the background by a share.
    using Tone = double;
    /// Transparent where nothing is. `tones` by column; empty: none is changed.
    static QImage image(const std::vector<Heights>& columns, int height, const Colors& colors,
                        const QColor& background, const std::vector<Tone>& tones);
    /// The two of them.
    static QImage picture(const std::vector<analyse::TimeColumns::Column>& columns, double full, int height,
                          const Colors& colors, const QColor& background,
                          const std::vector<Tone>& tones = {}) {
        return image(heights(columns, full, height), height, colors, background, tones);
    }
};

} // namespace tilescope::ui
