// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/application_font.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QHeaderView>
#include <QPointer>
#include <QSettings>
#include <QStyle>
#include <QToolButton>
#include <QWidget>
#include <algorithm>
#include <optional>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr const char* percent_key = "window/font";
constexpr const char* family_key = "window/fontFamily";
constexpr const char* motion_key = "window/reduceMotion";

/// At 100 percent, in the usual family.
const QFont& plainFont() {
    static const QFont plain = [] {
        constexpr double least_points = 9.5;
        QFont font = QApplication::font();
        if (QFontDatabase::hasFamily(QStringLiteral("Inter")))
            font.setFamily(QStringLiteral("Inter"));
        font.setPointSizeF(std::max(font.pointSizeF(), least_points));
        return font;
    }();
    return plain;
}

std::optional<bool> remembered_motion; ///< once it was asked

/// What of its font a widget has by itself: headings are larger, some texts are of a fixed pitch.
struct OwnFont {
    QPointer<QWidget> widget;
    double ratio = 0; ///< to the application's size; 0: it has that
    bool family = false;
};

std::vector<OwnFont> ownFonts() {
    const QFont common = QApplication::font();
    std::vector<OwnFont> own;
    for (QWidget* widget : QApplication::allWidgets()) {
        if (!widget->testAttribute(Qt::WA_SetFont))
            continue;
        const QFont font = widget->font();
        const bool sized = (font.resolveMask() & QFont::SizeResolved) != 0 && font.pointSizeF() > 0;
        const bool family = (font.resolveMask() & QFont::FamiliesResolved) != 0;
        if (sized || family)
            own.push_back({widget, sized ? font.pointSizeF() / common.pointSizeF() : 0,
                           family && font.family() != common.family()});
    }
    return own;
}

} // namespace

int rememberedFontPercent() {
    return std::clamp(QSettings().value(QLatin1String(percent_key), 100).toInt(), least_font_percent,
                      most_font_percent);
}

QString rememberedFontFamily() {
    return QSettings().value(QLatin1String(family_key)).toString();
}

void applyFont(QApplication& application, const QString& family, int percent) {
    const std::vector<OwnFont> own = ownFonts();
    QFont font = plainFont();
    if (!family.isEmpty() && QFontDatabase::hasFamily(family))
        font.setFamily(family);
    font.setPointSizeF(font.pointSizeF() * percent / 100);
    application.setFont(font);
    const QWidgetList all = QApplication::allWidgets(); // Qt tells them only while the event loop runs
    for (const QPointer<QWidget>& widget : QList<QPointer<QWidget>>(all.begin(), all.end()))
        if (widget != nullptr) {
            QEvent changed(QEvent::ApplicationFontChange);
            QCoreApplication::sendEvent(widget, &changed);
            // A style sheet keeps what so many heights of text are until its widget is polished again.
            if (qobject_cast<QHeaderView*>(widget) != nullptr ||
                qobject_cast<QToolButton*>(widget) != nullptr)
                widget->style()->polish(widget);
        }
    for (const OwnFont& each : own) {
        if (each.widget == nullptr)
            continue;
        QFont mine = each.widget->font();
        if (each.ratio > 0)
            mine.setPointSizeF(font.pointSizeF() * each.ratio);
        if (!each.family)
            mine.setFamilies(font.families());
        each.widget->setFont(mine);
    }
}

void rememberFont(QApplication& application, const QString& family, int percent) {
    QSettings settings;
    settings.setValue(QLatin1String(family_key), family);
    settings.setValue(QLatin1String(percent_key), percent);
    applyFont(application, family, percent);
}

void applyRememberedFont(QApplication& application) {
    applyFont(application, rememberedFontFamily(), rememberedFontPercent());
}

bool motionReduced() {
    if (!remembered_motion)
        remembered_motion = QSettings().value(QLatin1String(motion_key), false).toBool();
    return *remembered_motion;
}

void setMotionReduced(bool reduced) {
    remembered_motion = reduced;
    QSettings().setValue(QLatin1String(motion_key), reduced);
}

} // namespace tilescope::ui
