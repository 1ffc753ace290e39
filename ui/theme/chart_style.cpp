// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/chart_style.h"

#include "base/hash.h"
#include "ui/theme/theme.h"

#include <QImage>
#include <cmath>

namespace tilescope::ui {
namespace {

constexpr const char* hidden_kinds = "hiddenKinds";

} // namespace

void hideKinds(QWidget* chart, const QStringList& kinds) {
    chart->setProperty(hidden_kinds, kinds);
    chart->update();
}

bool hidesKind(const QWidget* chart, const QString& kind) {
    return chart->property(hidden_kinds).toStringList().contains(kind);
}

ChartStyle::ChartStyle(const QWidget* widget) {
    const Theme& theme = Theme::of(widget);
    dark = theme.dark;
    background = theme.panel;
    text = theme.text;
    raised = mixed(background, text, dark ? 0.06 : 0.035);
    line = theme.border;
    muted = theme.muted;
    accent = theme.accent;
    compute = theme.compute;
    exchange = theme.exchange;
    sync = theme.sync;
    host = theme.host;
    inter_ipu = theme.inter_ipu;
    waiting = theme.waiting;
    forward = theme.forward;
    recompute = theme.recompute;
    backward = theme.backward;
    link_copy = theme.link_copy;
    update = theme.update;
    hidden = widget->property(hidden_kinds).toStringList();
    const auto hide = [this](const char* kind, QColor& color) {
        if (hidden.contains(QLatin1String(kind)))
            color = background;
    };
    hide("compute", compute);
    hide("exchange", exchange);
    hide("sync", sync);
    hide("host", host);
    hide("inter-IPU", inter_ipu);
    hide("waiting", waiting);
    hide("forward", forward);
    hide("recompute", recompute);
    hide("backward", backward);
    hide("update", update);
    hide("copy", link_copy);
}

QColor ChartStyle::hue(const QString& name) const {
    std::uint32_t hash = fnv1a_32(name.toStdString()); // qHash may differ from one run to the next
    hash ^= hash >> 15;
    // Steps of the golden angle keep near hashes apart; two tones tell neighbours of one hue apart.
    const int degrees = static_cast<int>((hash % 24U) * 15U);
    const bool second = ((hash >> 8) & 1U) != 0;
    return dark ? QColor::fromHsl(degrees, second ? 95 : 120, second ? 112 : 96)
                : QColor::fromHsl(degrees, second ? 120 : 140, second ? 176 : 196);
}

/// Whichever has the higher contrast (WCAG 2.1, relative luminance and contrast ratio).
QColor ChartStyle::textOn(const QColor& fill) {
    const auto luminance = [](const QColor& color) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
               0.0722 * linear(color.blueF());
    };
    const QColor dark_text(0x16191d);
    const QColor white(Qt::white);
    const double of_fill = luminance(fill);
    const double with_dark = (of_fill + 0.05) / (luminance(dark_text) + 0.05);
    const double with_white = (luminance(white) + 0.05) / (of_fill + 0.05);
    return with_dark >= with_white ? dark_text : white;
}

QColor ChartStyle::mixed(const QColor& a, const QColor& b, double share) {
    const double rest = 1 - share;
    return QColor::fromRgbF(static_cast<float>(a.redF() * rest + b.redF() * share),
                            static_cast<float>(a.greenF() * rest + b.greenF() * share),
                            static_cast<float>(a.blueF() * rest + b.blueF() * share));
}

QBrush liveBrush(const Theme& theme, bool always) {
    const QColor color = theme.categories[0];
    if (always)
        return color;
    constexpr int every = 6;
    const QColor pale = ChartStyle::mixed(theme.panel, color, 0.35);
    const QColor line = ChartStyle::mixed(color, theme.text, 0.25);
    QImage hatch(every, every, QImage::Format_RGB32);
    for (int y = 0; y < every; ++y)
        for (int x = 0; x < every; ++x)
            hatch.setPixelColor(x, y, (x + y) % every < 2 ? line : pale);
    return QBrush(hatch);
}

} // namespace tilescope::ui
