// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_widths.h"

#include <QFontInfo>
#include <QFontMetrics>
#include <QHash>
#include <algorithm>
#include <list>

namespace tilescope::ui {
namespace {

struct WidthsOfFont {
    QFont font;
    int pixel_size = 0; ///< of a picture that is saved, other than of the window
    QHash<QString, int> of;
};

/// The font that was asked for last stands first.
QHash<QString, int>& widthsOf(const QFont& font) {
    constexpr std::size_t most_fonts = 4;
    static std::list<WidthsOfFont> fonts;
    const int pixel_size = QFontInfo(font).pixelSize();
    const auto found = std::find_if(fonts.begin(), fonts.end(), [&](const WidthsOfFont& each) {
        return each.pixel_size == pixel_size && each.font == font;
    });
    if (found != fonts.end()) {
        fonts.splice(fonts.begin(), fonts, found);
    } else {
        fonts.push_front({font, pixel_size, {}});
        fonts.resize(std::min(fonts.size(), most_fonts));
    }
    return fonts.front().of;
}

} // namespace

int textWidth(const QFont& font, const QString& text) {
    constexpr qsizetype most_texts = 20'000;
    QHash<QString, int>& widths = widthsOf(font);
    if (const auto known = widths.constFind(text); known != widths.constEnd())
        return *known;
    if (widths.size() >= most_texts)
        widths.clear();
    return *widths.insert(text, QFontMetrics(font).horizontalAdvance(text));
}

bool textFits(const QFont& font, const QString& text, int room) {
    constexpr int narrowest = 4; // of an average character, the part that an "i" takes
    return text.size() * (QFontMetrics(font).averageCharWidth() / narrowest) <= room &&
           textWidth(font, text) <= room;
}

} // namespace tilescope::ui
