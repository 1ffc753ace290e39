// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/theme/sight.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QTest>
#include <QWidget>
#include <gtest/gtest.h>
#include <vector>

namespace tilescope::ui {
namespace {

using tests::all_sights;
using tests::contrast;
using tests::difference;
using tests::difference_of_lab;
using tests::seen;
using tests::Sight;

std::vector<const Theme*> themes() {
    std::vector<const Theme*> all;
    for (const bool dark : {false, true})
        for (const auto colours : theme_colours)
            all.push_back(&Theme::get(dark, colours));
    return all;
}

std::string name(const Theme& theme) {
    return std::string(theme.dark ? "dark" : "light") +
           (theme.colours == ThemeColours::ColourBlind    ? ", colour-blind"
            : theme.colours == ThemeColours::HighContrast ? ", high contrast"
                                                          : "");
}

/// The two that are nearest to each other for a reader of any of `sights`.
template<class Sights>
double nearest(const std::vector<QColor>& colors, const Sights& sights) {
    double least = 1e9;
    for (const Sight sight : sights)
        for (std::size_t i = 0; i < colors.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                least = std::min(least, difference(seen(colors[i], sight), seen(colors[k], sight)));
    return least;
}

std::vector<QColor> of_time(const Theme& t) {
    return {t.compute, t.exchange, t.sync, t.inter_ipu, t.host, t.waiting};
}
std::vector<QColor> of_activity(const Theme& t) {
    return {t.forward, t.recompute, t.backward, t.update, t.link_copy};
}

} // namespace

// White and the dark text meet where both have 4.2.
TEST(Palette, TextOnAFillIsWhicheverContrastsMore) {
    constexpr int greys = 256;
    std::vector<QColor> fills;
    fills.reserve(greys);
    for (int grey = 0; grey < greys; ++grey)
        fills.emplace_back(grey, grey, grey);
    for (const Theme* theme : themes())
        for (const auto& colors : {of_time(*theme), of_activity(*theme)})
            fills.insert(fills.end(), colors.begin(), colors.end());
    for (const QColor& fill : fills) {
        const double here = contrast(ChartStyle::textOn(fill), fill);
        EXPECT_GE(here, contrast(Qt::white, fill)) << fill.name().toStdString();
        EXPECT_GE(here, contrast(QColor(0x16191d), fill)) << fill.name().toStdString();
        EXPECT_GE(here, 4.19) << fill.name().toStdString();
    }
}

// Pairs of the formula's own test data (table 1 of its paper).
TEST(Sight, DifferencesAreThoseOfThePaper) {
    EXPECT_NEAR(difference_of_lab({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
    EXPECT_NEAR(difference_of_lab({50, -1.3802, -84.2814}, {50, 0, -82.7485}), 1.0000, 1e-4);
    EXPECT_NEAR(difference_of_lab({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
    EXPECT_NEAR(difference_of_lab({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
    EXPECT_NEAR(difference_of_lab({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}), 0.9082, 1e-4);
}

TEST(Sight, ContrastIsThatOfWcag) {
    EXPECT_NEAR(contrast(Qt::black, Qt::white), 21, 1e-6);
    EXPECT_NEAR(contrast(QColor(0x777777), Qt::white), 4.48, 0.005);
}

TEST(Palette, KindsOfTimeAreToldApartByReadersOfAnySight) {
    for (const Theme* theme : themes()) {
        const bool standard_dark = theme->dark && theme->colours == ThemeColours::Standard;
        EXPECT_GE(nearest(of_time(*theme), std::array{Sight::Normal}), 14) << name(*theme);
        // In the dark, compute and host are near for protan readers: for them are the other colours.
        EXPECT_GE(nearest(of_time(*theme), all_sights), standard_dark ? 9 : 14) << name(*theme);
    }
}

TEST(Palette, ActivitiesAreToldApartByReadersOfAnySight) {
    for (const Theme* theme : themes()) {
        const bool for_all = theme->dark || theme->colours != ThemeColours::Standard;
        EXPECT_GE(nearest(of_activity(*theme), std::array{Sight::Normal}), 14) << name(*theme);
        EXPECT_GE(nearest(of_activity(*theme), all_sights), for_all ? 12 : 9) << name(*theme);
    }
}

TEST(Palette, CategoriesOfMemoryAreToldApart) {
    for (const Theme* theme : themes()) {
        const std::vector<QColor> colors(theme->categories.begin(), theme->categories.end());
        ASSERT_EQ(theme->categories.size(), memoryCategories().size());
        EXPECT_GE(nearest(colors, std::array{Sight::Normal}), 18) << name(*theme);
        EXPECT_GE(nearest(colors, all_sights), 9) << name(*theme);
    }
}

TEST(Palette, TextIsReadable) {
    for (const Theme* theme : themes())
        for (const QColor& ground : {theme->panel, theme->window, theme->raised})
            for (const QColor& text : {theme->text, theme->muted, theme->accent, theme->good, theme->warning,
                                       theme->bad, theme->less(), theme->more()})
                EXPECT_GE(contrast(text, ground), 4.5) << name(*theme) << " " << text.name().toStdString();
}

/// Level AAA of WCAG 2.1 for text, and more than the 3:1 that it asks of edges.
TEST(Palette, InHighContrastTextAndEdgesStandOut) {
    for (const bool dark : {false, true}) {
        const Theme& theme = Theme::get(dark, ThemeColours::HighContrast);
        for (const QColor& ground : {theme.panel, theme.window, theme.raised, theme.accent_soft}) {
            for (const QColor& text : {theme.text, theme.muted, theme.accent, theme.good, theme.warning,
                                       theme.bad, theme.less(), theme.more()})
                EXPECT_GE(contrast(text, ground), 7) << name(theme) << " " << text.name().toStdString()
                                                     << " on " << ground.name().toStdString();
            EXPECT_GE(contrast(theme.border, ground), 4.5) << name(theme);
        }
    }
}

TEST(Palette, WidgetsFollowTheColoursThatAreChosen) {
    QWidget widget;
    for (const auto mode : {ThemeMode::Light, ThemeMode::Dark})
        for (const auto colours : theme_colours) {
            applyTheme(*qApp, mode, colours);
            const Theme& theme = Theme::get(mode == ThemeMode::Dark, colours);
            // It is not in sight, and so among those that follow later.
            EXPECT_TRUE(QTest::qWaitFor([&] { return &Theme::of(&widget) == &theme; }, 5000)) << name(theme);
            EXPECT_EQ(&Theme::current(), &Theme::of(&widget));
        }
    applyTheme(*qApp, ThemeMode::Light);
}

} // namespace tilescope::ui
