// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kinds.h"

#include <QColor>
#include <QIcon>
#include <QString>
#include <QStringList>
#include <QVector>
#include <array>
#include <span>

class QApplication;
class QWidget;

namespace tilescope::ui {

/// Which colours stand for what takes time; those of high contrast are the colour-blind reader's, with text
/// of 7:1 and edges of 4.5:1 at least.
enum class ThemeColours { Standard, ColourBlind, HighContrast };
inline constexpr std::array theme_colours{ThemeColours::Standard, ThemeColours::ColourBlind,
                                          ThemeColours::HighContrast};

/// The colours of the window, all in one place. Which set a widget uses follows from its palette.
struct Theme {
    bool dark = false;
    ThemeColours colours = ThemeColours::Standard;
    QColor window, panel, raised, border, grid, text, muted, accent, accent_soft, good, warning, bad;
    QColor compute, exchange, sync, host, inter_ipu, waiting; ///< as IPU users know them
    QColor forward, recompute, backward, link_copy, update;   ///< told apart by colour-blind readers too
    QVector<QColor> series;                                   ///< for curves, in order
    QVector<QColor> categories; ///< of tile memory, in the order of memoryCategories()
    QVector<QColor> fullness;   ///< from nothing to all of something, at equal distances
    QVector<QColor> overflow;   ///< of what is more than all: at 100, 150 and 200 %
    QVector<QColor> difference; ///< from much less than the base through the same to much more
    QColor less() const { return difference.front(); }
    QColor more() const { return difference.back(); }

    static const Theme& of(const QWidget* widget);
    static const Theme& current(); ///< that of the application, for what paints without a widget
    static const Theme& get(bool dark, ThemeColours colours);
    static const Theme& light(); ///< with the standard colours
    static const Theme& night();
    QColor seriesColor(int index) const { return series[index % series.size()]; }
    /// Rich text or a style sheet with its colours: "color:@muted" becomes "color:#697586"; "@series0" is the
    /// first colour of curves.
    QString filled(QString html) const;
};

/// A colour by its role: what a widget keeps, so that it can follow the theme.
class ThemeColor {
  public:
    ThemeColor(QColor Theme::*role) : role_(role) {} // NOLINT(google-explicit-constructor): &Theme::muted
    static ThemeColor series(int index);
    static ThemeColor category(MemoryCategory category); ///< of tile memory
    QColor in(const Theme& theme) const;

  private:
    QColor Theme::*role_;
    QVector<QColor> Theme::*list_ = nullptr; ///< where role_ is null
    qsizetype index_ = 0;
};

enum class ThemeMode { Desktop, Light, Dark };

/// What was chosen last, of the application's settings.
ThemeMode rememberedTheme();
ThemeColours rememberedColours();

/// Of a main window: whether edges and rings of the focus are twice as wide, as high contrast has them. Set
/// at each change of the theme; a window that comes later takes it from the theme that there is.
inline constexpr const char* contrast_property = "contrast";

/// Sets style, palette, remembered font and style sheet of the application; later changes of the mode repaint
/// what is shown, and leave everything else as it is.
void applyTheme(QApplication& application, ThemeMode mode, ThemeColours colours = ThemeColours::Standard);

/// While it lives the application has no style sheet. With one, each widget that is put into another is
/// polished with all that is in it: a window of many views takes several times as long to make.
class StyleSheetPause {
  public:
    StyleSheetPause();
    ~StyleSheetPause();
    StyleSheetPause(const StyleSheetPause&) = delete;
    StyleSheetPause& operator=(const StyleSheetPause&) = delete;

  private:
    QString sheet_;
};

/// Categories of tile memory, from the bottom of a bar to its top: data, what vertices need, code.
std::span<const MemoryCategory> memoryCategories();

/// A line icon of resources/icons, in the theme's colour at the time it is drawn; `on`: of a checked button.
QIcon themeIcon(const QString& name, ThemeColor color = &Theme::text);
QIcon themeIcon(const QString& name, ThemeColor off, ThemeColor on);

} // namespace tilescope::ui
