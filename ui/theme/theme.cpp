// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "focus_ring.h"
#include "theme_style.h"
#include "ui/theme/application_font.h"
#include "ui/theme/chart_style.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPalette>
#include <QPointer>
#include <QSettings>
#include <QStyle>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <array>

namespace tilescope::ui {
namespace {

Theme makeLight() {
    Theme t;
    t.dark = false;
    t.window = QColor(0xF5F6F8);
    t.panel = QColor(0xFFFFFF);
    t.raised = QColor(0xFFFFFF);
    t.border = QColor(0xDFE3E8);
    t.grid = QColor(0xECEFF3);
    t.text = QColor(0x1B2430);
    t.muted = QColor(0x5B6778);
    t.accent = QColor(0x2459C9);
    t.accent_soft = QColor(0xE3ECFD);
    t.good = QColor(0x177A4B);
    t.warning = QColor(0x8F5B0B);
    t.bad = QColor(0xB42B2B);
    t.compute = QColor(0xD9485F);
    t.exchange = QColor(0x3B7DD8);
    t.sync = QColor(0xE5B233);
    t.host = QColor(0x8A95A3);
    t.inter_ipu = QColor(0x1E3A8A);
    t.waiting = QColor(0xE4E8ED);
    t.forward = QColor(0x25A091);
    t.recompute = QColor(0xABE0D8);
    t.backward = QColor(0x8B3A97);
    t.link_copy = QColor(0x454A50);
    t.update = QColor(0xB06A08);
    t.series = {QColor(0x3B7DD8), QColor(0x2F9E8F), QColor(0xE09F3E), QColor(0x8A63D2), QColor(0xD9485F),
                QColor(0x5B8C5A), QColor(0xC06C9B), QColor(0x4FA3C7), QColor(0xA1795B), QColor(0x7D8896)};
    t.categories = {QColor(0x88A5F6), QColor(0x056898), QColor(0xE5C9FF), QColor(0x3297AA),
                    QColor(0x64505B), QColor(0x9D948F), QColor(0x9A3426), QColor(0xC78021),
                    QColor(0x42D6C4), QColor(0xBED45D), QColor(0x6D8C5F)};
    t.fullness = {QColor(0xEAF2FB), QColor(0xC3DBF2), QColor(0x8FBDE6),
                  QColor(0x5599D3), QColor(0x2C72B4), QColor(0x154C86)};
    t.overflow = {QColor(0xE08F4A), QColor(0xB4540A), QColor(0x7A2E06)};
    t.difference = {QColor(0x1B6CA8), QColor(0x6FA8D0), QColor(0xBFD9EA), QColor(0xF3F4F5),
                    QColor(0xF3CFB0), QColor(0xE08F4A), QColor(0xB4540A)};
    return t;
}

Theme makeNight() {
    Theme t;
    t.dark = true;
    t.window = QColor(0x14181E);
    t.panel = QColor(0x1B2028);
    t.raised = QColor(0x232A34);
    t.border = QColor(0x303946);
    t.grid = QColor(0x28303B);
    t.text = QColor(0xE4E9F0);
    t.muted = QColor(0x9AA6B5);
    t.accent = QColor(0x7FACFF);
    t.accent_soft = QColor(0x24344F);
    t.good = QColor(0x4CC38A);
    t.warning = QColor(0xE0B04C);
    t.bad = QColor(0xF28B82);
    t.compute = QColor(0xE5677B);
    t.exchange = QColor(0x4A8BE0);
    t.sync = QColor(0xE8C154);
    t.host = QColor(0x76828F);
    t.inter_ipu = QColor(0xB9D4FF);
    t.waiting = QColor(0x2A323D);
    t.forward = QColor(0x2E9DB8);
    t.recompute = QColor(0x1F5563);
    t.backward = QColor(0xE0C2F7);
    t.link_copy = QColor(0x7A7F76);
    t.update = QColor(0xF0A63C);
    t.series = {QColor(0x5C9CEF), QColor(0x46BDAD), QColor(0xECB45E), QColor(0xA987EE), QColor(0xE5677B),
                QColor(0x7FB77E), QColor(0xDA8DB8), QColor(0x6CBEE0), QColor(0xBF9676), QColor(0x98A4B3)};
    t.categories = {QColor(0x5B80CE), QColor(0xBEDBFB), QColor(0x614E9B), QColor(0x2AAFC7),
                    QColor(0x97395F), QColor(0x9D9C9F), QColor(0xCA5F53), QColor(0xFDBD5C),
                    QColor(0x3EE9CC), QColor(0x5B631B), QColor(0x9AB583)};
    t.fullness = {QColor(0x1D2B3A), QColor(0x1F4468), QColor(0x245F97),
                  QColor(0x3C80C2), QColor(0x6FA9E2), QColor(0xB5D7F7)};
    t.overflow = {QColor(0xE08F4A), QColor(0xB4540A), QColor(0x7A2E06)};
    t.difference = {QColor(0x7CC0F2), QColor(0x3F86BC), QColor(0x254C6B), QColor(0x2A323D),
                    QColor(0x6B4524), QColor(0xC0722A), QColor(0xF5AE66)};
    return t;
}

/// What takes time, in colours that readers of any sight tell apart; in the dark, activities are so already.
Theme colourBlind(Theme t) {
    t.colours = ThemeColours::ColourBlind;
    t.compute = QColor(t.dark ? 0xE8702A : 0xC4450A);
    t.exchange = QColor(t.dark ? 0x3F86CC : 0x3D8FD1);
    t.sync = QColor(t.dark ? 0xF5DC5A : 0xF2CE3A);
    t.inter_ipu = QColor(t.dark ? 0xC4DAFF : 0x1B3A6B);
    t.host = QColor(t.dark ? 0x7A7F86 : 0x8C949C);
    if (!t.dark) {
        t.forward = QColor(0x2F9FC0);
        t.recompute = QColor(0xA9DCEC);
        t.backward = QColor(0x4A1F5E);
        t.update = QColor(0xE08A1E);
        t.link_copy = QColor(0x8A8F88);
    }
    return t;
}

/// For readers of poor sight, as contrast is measured for the web (WCAG 2.1, level AAA for text).
Theme highContrast(Theme t) {
    t = colourBlind(std::move(t));
    t.colours = ThemeColours::HighContrast;
    const auto of = [&t](QRgb light, QRgb dark) { return QColor(t.dark ? dark : light); };
    t.window = t.panel = of(0xFFFFFF, 0x000000);
    t.raised = of(0xFFFFFF, 0x222B36);
    t.text = of(0x000000, 0xFFFFFF);
    t.muted = of(0x3A424D, 0xD0D8E2);
    t.border = of(0x4A525E, 0xAEB8C4);
    t.grid = of(0xB4BCC6, 0x4A5563);
    t.accent = of(0x0A3C9E, 0xB5D0FF);
    t.accent_soft = of(0xE0EAFF, 0x1A3156);
    t.good = of(0x0A5230, 0x6FE0A8);
    t.warning = of(0x633D00, 0xF5CC6B);
    t.bad = of(0x8F1414, 0xFFB3AC);
    t.difference.front() = of(0x0B4A7A, 0x9FD4FF);
    t.difference.back() = of(0x7A3803, 0xFFC48A);
    return t;
}

/// The role of the palette that says which colours are chosen: of links that cannot be used there are none.
constexpr std::pair chosen_colours{QPalette::Disabled, QPalette::Link};

QColor markOf(ThemeColours colours) {
    return {0, 0, static_cast<int>(colours)};
}

QPalette paletteOf(const Theme& t) {
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.panel);
    p.setColor(QPalette::AlternateBase, t.window);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::Button, t.raised);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.muted);
    p.setColor(QPalette::ToolTipBase, t.raised);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::PlaceholderText, t.muted);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, ChartStyle::textOn(t.accent));
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent_soft);
    p.setColor(QPalette::Shadow, t.bad);
    p.setColor(QPalette::Mid, t.border);
    p.setColor(QPalette::Midlight, t.grid);
    p.setColor(QPalette::Dark, t.border);
    p.setColor(QPalette::Light, t.raised);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, t.muted);
    p.setColor(chosen_colours.first, chosen_colours.second, markOf(t.colours));
    return p;
}

const Theme& themeOf(const QPalette& palette) {
    const bool dark = palette.color(QPalette::Window).lightness() < 128;
    const QColor mark = palette.color(chosen_colours.first, chosen_colours.second);
    const auto* chosen =
        std::ranges::find_if(theme_colours, [&](ThemeColours colours) { return markOf(colours) == mark; });
    return Theme::get(dark, chosen == theme_colours.end() ? ThemeColours::Standard : *chosen);
}

/// The sheet names roles of the palette, so that a theme is a palette alone. Roles that the style leaves
/// alone stand for colours that a palette does not have: bright text is muted, visited links are a soft
/// accent, the shadow is bad.
QString styleSheet() {
    QString sheet = QStringLiteral(R"(
        QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: 4px 6px; }
        QMainWindow::separator { width: 1px; height: 1px; background: @border; }
        QMenuBar { background: @panel; border-bottom: 1px solid @border; padding: 2px; }
        QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
        QMenuBar::item:selected { background: @accentsoft; }
        QMenu { background: @raised; border: 1px solid @border; padding: 4px; }
        QMenu::item { padding: 5px 26px 5px 12px; border-radius: 4px; }
        QMenu::item:selected { background: @accentsoft; color: @text; }
        QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
        QToolBar { background: @panel; border: none; border-bottom: 1px solid @border; spacing: 4px; padding: 1px 8px; }
        QToolButton { border: 2px solid transparent; border-radius: 5px; padding: 2px 6px; color: @text; }
        QToolButton[popupMode="2"] { padding-right: 1em; } /* its arrow */
        QToolButton::menu-indicator, QPushButton::menu-indicator { subcontrol-origin: padding; subcontrol-position: center right; right: 4px; }
        QToolButton:focus { border-color: @accent; }
        QToolButton:disabled { color: @muted; }
        QToolButton:hover { background: @accentsoft; }
        QToolButton:checked { background: @accentsoft; color: @accent; }
        QScrollArea#rail { background: @panel; border: none; border-right: 1px solid @border; }
        QWidget#railList { background: @panel; }
        QScrollArea#rail QToolButton { padding: 0 2px; min-width: 24px; color: @text; }
        QScrollArea#rail QToolButton:checked { color: @accent; }
        QScrollArea#rail QToolButton:disabled { color: @muted; }
        QToolButton#qt_toolbar_ext_button { border: none; padding: 0; } /* what the bar has no room for */
        QTabBar QToolButton { border: none; padding: 0; } /* arrows of tabs that do not fit */
        QToolButton[chip="true"] { background: @accentsoft; padding: 0 5px; }
        QToolButton[close="true"] { padding: 0; }
        QTabBar#files::tab { background: transparent; color: @muted; padding: 5px 6px 5px 8px; border-radius: 5px; margin-right: 3px; }
        QTabBar#files::tab:selected { background: @accentsoft; color: @text; }
        QTabBar#files::tab:hover { color: @text; }
        QTabBar#files::tab:selected:focus { border: 2px solid @accent; padding: 3px 4px 3px 6px; }
        QListWidget#contents::item { padding: 5px 10px; border-radius: 5px; }
        QListWidget#contents::item:selected { background: @accentsoft; color: @accent; }
        QWidget#side { background: @panel; }
        QStatusBar { background: @panel; border-top: 1px solid @border; color: @muted; }
        QStatusBar::item { border: none; }
        QDockWidget { titlebar-close-icon: none; color: @muted; }
        QDockWidget::title { background: @panel; padding: 7px 10px; border-bottom: 1px solid @border; }
        QLineEdit { background: @panel; border: 1px solid @border; border-radius: 5px; padding: 4px 8px; selection-background-color: @accent; }
        QLineEdit:focus { border: 2px solid @accent; padding: 3px 7px; }
        QPushButton { background: @raised; border: 1px solid @border; border-radius: 5px; padding: 5px 14px; }
        QPushButton:hover { border-color: @accent; }
        QPushButton:focus { border: 2px solid @accent; padding: 4px 13px; }
        QSlider { border: 2px solid transparent; border-radius: 5px; }
        QSlider:focus { border-color: @accent; }
        QPushButton:default { background: @accent; border-color: @accent; color: @onaccent; }
        QPushButton:default:focus { border-color: @text; }
        QPushButton:disabled, QPushButton:default:disabled { background: @window; border-color: @border; color: @muted; }
        QTableView, QTreeView, QListView { background: @panel; alternate-background-color: @window; border: none; gridline-color: @grid; selection-background-color: @accentsoft; selection-color: @text; outline: none; }
        QTableView::item { border: none; padding: 3px 5px; }
        QTreeView::item { padding: 3px 6px; }
        QDialog#palette, QDialog#search { background: @raised; border: 1px solid @border; }
        QAbstractItemView[list="true"]::item { border: none; padding: 3px 6px; }
        QListWidget#savedQueries::item { padding: 3px 0px; }
        QAbstractItemView[list="true"]::item:hover { background: @window; }
        QAbstractItemView[list="true"]::item:selected { background: @accentsoft; }
        QHeaderView { background: @panel; }
        QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @border; padding: 6px 1px 6px 8px; font-weight: 500; }
        QHeaderView::up-arrow, QHeaderView::down-arrow { width: .55em; height: .55em; subcontrol-origin: border; subcontrol-position: center right; }
        QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
        QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
        QScrollBar::handle { background: @border; border-radius: 4px; min-height: 30px; min-width: 30px; margin: 2px; }
        QScrollBar::handle:hover { background: @muted; }
        QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
        QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
        QAbstractScrollArea::corner { background: transparent; border: none; }
        QSplitter::handle { background: @border; }
        QProgressBar { background: @grid; border: none; border-radius: 4px; text-align: center; max-height: 8px; }
        QProgressBar::chunk { background: @accent; border-radius: 4px; }
        QTextBrowser { border: none; background: @panel; }
        QScrollArea { border: none; background: transparent; }
        QLabel[error="text"] { color: @bad; }
        QLabel[error="box"] { color: @bad; border: 1px solid @bad; border-radius: 6px; }
        QFrame#banner { background: @raised; border: none; border-left: 4px solid @accent; border-bottom: 1px solid @border; }
        QFrame#banner[bad="true"] { border-left-color: @bad; }
        QFrame[card="true"] { background: @panel; border: 1px solid @border; border-radius: 8px; }
        QFrame[card="true"]:focus { border: 2px solid @accent; }
    )");
    sheet += QStringLiteral(R"(
        @contrast QLineEdit, @contrast QPushButton { border: 2px solid @border; }
        @contrast QLineEdit { padding: 3px 7px; }
        @contrast QPushButton { padding: 4px 13px; }
        @contrast QPushButton:default { border-color: @accent; }
        @contrast QLineEdit:focus, @contrast QPushButton:focus { border: 2px solid @accent; }
        @contrast QPushButton:default:focus { border: 2px solid @text; }
        @contrast QFrame[card="true"] { border: 2px solid @border; }
        @contrast QFrame[card="true"]:focus { border: 3px solid @accent; }
        @contrast QMenu, @contrast QDialog#palette, @contrast QDialog#search { border: 2px solid @border; }
        @contrast QMenuBar, @contrast QToolBar, @contrast QHeaderView::section, @contrast QFrame#banner { border-bottom: 2px solid @border; }
        @contrast QStatusBar { border-top: 2px solid @border; }
        @contrast QScrollArea#rail { border-right: 2px solid @border; }
        @contrast QMainWindow::separator { width: 2px; height: 2px; }
        @contrast QSplitter::handle:horizontal { width: 2px; }
        @contrast QSplitter::handle:vertical { height: 2px; }
        @contrast QMenu::item:selected, @contrast QTabBar#files::tab:selected, @contrast QToolButton:checked { border: 2px solid @accent; }
    )");
    sheet.replace(QStringLiteral("@contrast QMainWindow"), QStringLiteral("QMainWindow[contrast=\"true\"]"));
    sheet.replace(QStringLiteral("@contrast"), QStringLiteral("QMainWindow[contrast=\"true\"]"));
    const std::pair<const char*, const char*> roles[] = {
        {"@accentsoft", "link-visited"}, {"@accent", "highlight"},  {"@onaccent", "highlighted-text"},
        {"@raised", "button"},           {"@border", "mid"},        {"@panel", "base"},
        {"@window", "window"},           {"@muted", "bright-text"}, {"@bad", "shadow"},
        {"@text", "window-text"},        {"@grid", "midlight"}};
    for (const auto& [name, role] : roles)
        sheet.replace(QLatin1String(name), QStringLiteral("palette(%1)").arg(QLatin1String(role)));
    return sheet;
}

using WidgetList = QList<QPointer<QWidget>>;

void polish(const QPointer<QWidget>& widget) {
    if (widget != nullptr) // a view may make parts of itself anew
        widget->style()->polish(widget);
}

/// What nobody sees, the most of a window of many views, is polished a few milliseconds at a time.
void polishLater(WidgetList widgets) {
    static QPointer<QTimer> former; // what it had left is among these
    delete former;
    former = new QTimer(qApp);
    QObject::connect(former, &QTimer::timeout, former, [left = std::move(widgets)]() mutable {
        constexpr qint64 slice_ms = 8;
        QElapsedTimer slice;
        for (slice.start(); !left.isEmpty() && slice.elapsed() < slice_ms; left.removeLast())
            polish(left.last());
        if (left.isEmpty())
            former->deleteLater();
    });
    former->start(0);
}

} // namespace

const Theme& Theme::get(bool dark, ThemeColours colours) {
    static const std::array<std::array<Theme, theme_colours.size()>, 2> themes{
        {{makeLight(), colourBlind(makeLight()), highContrast(makeLight())},
         {makeNight(), colourBlind(makeNight()), highContrast(makeNight())}}};
    return themes[dark ? 1 : 0][static_cast<std::size_t>(colours)];
}

const Theme& Theme::light() {
    return get(false, ThemeColours::Standard);
}

const Theme& Theme::night() {
    return get(true, ThemeColours::Standard);
}

const Theme& Theme::of(const QWidget* widget) {
    return themeOf(widget->palette());
}

const Theme& Theme::current() {
    return themeOf(QGuiApplication::palette());
}

QString Theme::filled(QString html) const {
    const std::pair<const char*, QColor Theme::*> roles[] = {
        {"@muted", &Theme::muted}, {"@accent", &Theme::accent},   {"@text", &Theme::text},
        {"@good", &Theme::good},   {"@warning", &Theme::warning}, {"@bad", &Theme::bad}};
    for (const auto& [name, role] : roles)
        html.replace(QStringLiteral("color:") + QLatin1String(name),
                     QStringLiteral("color:") + (this->*role).name());
    html.replace(QStringLiteral("color:@better"), QStringLiteral("color:") + less().name());
    html.replace(QStringLiteral("color:@worse"), QStringLiteral("color:") + more().name());
    for (qsizetype i = series.size(); i-- > 0;) // of two digits first
        html.replace(QStringLiteral("color:@series%1").arg(i), QStringLiteral("color:") + series[i].name());
    return html;
}

ThemeColor ThemeColor::series(int index) {
    ThemeColor color(nullptr);
    color.list_ = &Theme::series;
    color.index_ = index % Theme::light().series.size();
    return color;
}

ThemeColor ThemeColor::category(MemoryCategory category) {
    ThemeColor color(nullptr);
    color.list_ = &Theme::categories;
    color.index_ = std::ranges::find(memoryCategories(), category) - memoryCategories().begin();
    return color;
}

QColor ThemeColor::in(const Theme& theme) const {
    return role_ == nullptr ? (theme.*list_)[index_] : theme.*role_;
}

std::span<const MemoryCategory> memoryCategories() {
    using enum MemoryCategory;
    static constexpr std::array all{
        Variables,  Constants,   RearrangementBuffers, MessageBuffers,   VertexInstanceState, Stack,
        VertexCode, ControlCode, InternalExchangeCode, HostExchangeCode, GlobalExchangeCode};
    static_assert(all.size() == spelling(MemoryCategory{}).values.size());
    return all;
}

ThemeMode rememberedTheme() {
    return static_cast<ThemeMode>(QSettings().value(QStringLiteral("window/theme"), 0).toInt());
}

ThemeColours rememberedColours() {
    const int kept = QSettings().value(QStringLiteral("window/colours"), 0).toInt();
    return kept > 0 && kept < std::ssize(theme_colours) ? theme_colours[static_cast<std::size_t>(kept)]
                                                        : ThemeColours::Standard;
}

void applyTheme(QApplication& application, ThemeMode mode, ThemeColours colours) {
    static const bool desktop_is_dark =
        QApplication::style()->standardPalette().color(QPalette::Window).lightness() < 128;
    const bool dark = mode == ThemeMode::Dark || (mode == ThemeMode::Desktop && desktop_is_dark);
    const QPalette palette = paletteOf(Theme::get(dark, colours));
    const QWidgetList windows = QApplication::topLevelWidgets();
    for (QWidget* window : windows)
        window->setProperty(contrast_property, colours == ThemeColours::HighContrast);
    if (!application.styleSheet().isEmpty()) {
        application.setPalette(palette);
        // A style sheet keeps the colours that it has resolved until its widget is polished again. (To set
        // it again would polish every widget once for each widget above it.)
        const QWidgetList all = QApplication::allWidgets();
        WidgetList in_sight;
        WidgetList out_of_sight;
        for (QWidget* widget : all)
            (widget->isVisible() ? in_sight : out_of_sight).append(widget);
        for (const QPointer<QWidget>& widget : in_sight)
            polish(widget);
        polishLater(std::move(out_of_sight));
        return;
    }
    application.setStyle(new ThemeStyle);
    application.setPalette(palette);
    application.setStyleSheet(styleSheet());
    ringFocus(application);
    applyRememberedFont(application);
}

StyleSheetPause::StyleSheetPause() : sheet_(qApp->styleSheet()) {
    qApp->setStyleSheet({});
}

StyleSheetPause::~StyleSheetPause() {
    qApp->setStyleSheet(sheet_);
}

} // namespace tilescope::ui
