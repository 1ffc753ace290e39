// SPDX-License-Identifier: GPL-3.0-or-later
#include "text_widths.h"

#include <QFontMetrics>
#include <algorithm>

namespace tilescope::ui {

std::list<TextWidths::OfFont>& TextWidths::all() {
    static std::list<OfFont> fonts;
    return fonts;
}

int TextWidths::of(const QFont& font, const QString& text) {
    constexpr qsizetype most_texts = 20'000;
    constexpr std::size_t most_fonts = 4;
    std::list<OfFont>& fonts = all();
    const auto found =
        std::find_if(fonts.begin(), fonts.end(), [&](const OfFont& each) { return each.font == font; });
    if (found == fonts.end()) {
        fonts.push_front({font, {}});
        if (fonts.size() > most_fonts)
            fonts.pop_back();
    } else if (found != fonts.begin()) {
        fonts.splice(fonts.begin(), fonts, found);
    }
    QHash<QString, int>& widths = fonts.front().widths;
    if (const auto known = widths.constFind(text); known != widths.constEnd())
        return *known;
    if (widths.size() >= most_texts)
        widths.clear();
    return *widths.insert(text, QFontMetrics(font).horizontalAdvance(text));
}

bool TextWidths::fits(const QFont& font, const QString& text, int room) {
    constexpr int narrowest = 4; // of an average character, the part that an "i" takes
    return text.size() * (QFontMetrics(font).averageCharWidth() / narrowest) <= room &&
           of(font, text) <= room;
}

} // namespace tilescope::ui
