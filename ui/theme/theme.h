// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>
#include <QVector>

class QApplication;
class QWidget;

namespace tilescope::ui {

/// The colours of the window, all in one place. Which set a widget uses follows from its palette.
struct Theme {
    bool dark = false;
    QColor window, panel, raised, border, grid, text, muted, accent, accent_soft, good, warning, bad;
    QColor compute, exchange, sync, host, inter_ipu, waiting; ///< as IPU users know them
    QColor forward, recompute, backward, link_copy, update;   ///< told apart by colour-blind readers too
    QVector<QColor> series;                                   ///< for categories and curves, in order

    static const Theme& of(const QWidget* widget);
    static const Theme& current(); ///< that of the application, for what paints without a widget
    static const Theme& light();
    static const Theme& night();
    QColor seriesColor(int index) const { return series[index % series.size()]; }
};

enum class ThemeMode { Desktop, Light, Dark };

/// Sets style, palette, fonts and style sheet of the application.
void applyTheme(QApplication& application, ThemeMode mode);

/// A line icon of resources/icons, drawn in `color`.
QIcon themeIcon(const QString& name, const QColor& color);

} // namespace tilescope::ui
