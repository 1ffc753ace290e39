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
    /// Rich text or a style sheet with its colours: "color:@muted" becomes "color:#697586".
    QString filled(QString html) const;
};

/// A colour by its role: what a widget keeps, so that it can follow the theme.
class ThemeColor {
  public:
    ThemeColor(QColor Theme::*role) : role_(role) {} // NOLINT(google-explicit-constructor): &Theme::muted
    static ThemeColor series(int index);
    QColor in(const Theme& theme) const;

  private:
    QColor Theme::*role_;
    int series_ = 0; ///< where role_ is null
};

enum class ThemeMode { Desktop, Light, Dark };

/// Sets style, palette, fonts and style sheet of the application; later changes of the mode repaint what is
/// shown, and leave everything else as it is.
void applyTheme(QApplication& application, ThemeMode mode);

/// A line icon of resources/icons, in the theme's colour at the time it is drawn; `on`: of a checked button.
QIcon themeIcon(const QString& name, ThemeColor color = &Theme::text);
QIcon themeIcon(const QString& name, ThemeColor off, ThemeColor on);

} // namespace tilescope::ui
