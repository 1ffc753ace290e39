// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/pipeline.h"

#include <QColor>
#include <QString>
#include <QWidget>

namespace tilescope::ui {

/// What time lines and graphs need beside the theme: hues for names, and mixtures.
struct TimelineStyle {
    explicit TimelineStyle(const QWidget* widget);

    bool dark = false;
    QColor background; ///< behind lanes and graphs
    QColor raised;     ///< headers, cards
    QColor line;       ///< grid and separators
    QColor text;
    QColor muted; ///< secondary text
    QColor accent;
    QColor compute;
    QColor exchange;
    QColor sync;
    QColor host;
    QColor inter_ipu;
    QColor forward;
    QColor recompute;
    QColor backward;
    QColor link_copy;
    QColor update;

    /// Of a pipeline's activity; that of waiting is the colour of its hatch. Idling leaves the background.
    QColor color(analyse::PipelineActivity activity) const;
    /// The same hue for the same name in every view and run.
    QColor hue(const QString& name) const;
    /// Text that can be read on `fill`.
    static QColor textOn(const QColor& fill);
    static QColor mixed(const QColor& a, const QColor& b, double share_of_b);
};

} // namespace tilescope::ui
