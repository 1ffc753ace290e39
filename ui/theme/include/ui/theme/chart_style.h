// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace tilescope::ui {

struct Theme;

/// What charts, time lines and graphs need beside the theme: hues for names, and mixtures.
struct ChartStyle {
    explicit ChartStyle(const QWidget* widget);
    bool operator==(const ChartStyle&) const = default;

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
    QColor waiting;
    QColor forward;
    QColor recompute;
    QColor backward;
    QColor link_copy;
    QColor update;
    QStringList hidden; ///< kinds that hideKinds() hides on the widget: their colours are the background's

    /// The same hue for the same name in every view and run.
    QColor hue(const QString& name) const;
    /// Text that can be read on `fill`.
    static QColor textOn(const QColor& fill);
    static QColor mixed(const QColor& a, const QColor& b, double share_of_b);
};

/// Kinds of what a chart draws ("compute", "forward"), as its legend names them, that are not to be seen:
/// their places stay empty.
void hideKinds(QWidget* chart, const QStringList& kinds);
bool hidesKind(const QWidget* chart, const QString& kind);

/// Of bytes that are always live, and of those that are not: the same colour, hatched.
QBrush liveBrush(const Theme& theme, bool always);

} // namespace tilescope::ui
