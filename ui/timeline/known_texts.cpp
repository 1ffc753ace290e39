// SPDX-License-Identifier: GPL-3.0-or-later
#include "known_texts.h"

#include <QFontInfo>
#include <QFontMetrics>
#include <QHash>
#include <QPainter>
#include <QStaticText>
#include <algorithm>
#include <list>
#include <optional>

namespace tilescope::ui {
namespace {

struct Known {
    int width = -1; ///< -1: not measured
    std::optional<QStaticText> shaped;
};

struct TextsOfFont {
    QFont font;
    int pixel_size = 0; ///< of a picture that is saved, other than of the window
    QHash<QString, Known> of;
};

/// The font that was asked for last stands first.
QHash<QString, Known>& textsOf(const QFont& font) {
    constexpr std::size_t most_fonts = 4;
    static std::list<TextsOfFont> fonts;
    const int pixel_size = QFontInfo(font).pixelSize();
    const auto found = std::find_if(fonts.begin(), fonts.end(), [&](const TextsOfFont& each) {
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

Known& knownOf(const QFont& font, const QString& text) {
    constexpr qsizetype most_texts = 20'000;
    QHash<QString, Known>& texts = textsOf(font);
    if (const auto known = texts.find(text); known != texts.end())
        return *known;
    if (texts.size() >= most_texts)
        texts.clear();
    return *texts.insert(text, {});
}

} // namespace

int textWidth(const QFont& font, const QString& text) {
    Known& known = knownOf(font, text);
    if (known.width < 0)
        known.width = QFontMetrics(font).horizontalAdvance(text);
    return known.width;
}

bool textFits(const QFont& font, const QString& text, int room) {
    constexpr int narrowest = 4; // of an average character, the part that an "i" takes
    return text.size() * (QFontMetrics(font).averageCharWidth() / narrowest) <= room &&
           textWidth(font, text) <= room;
}

void drawKnownText(QPainter& painter, const QRectF& rect, Qt::Alignment where, const QString& text) {
    auto& shaped = knownOf(painter.font(), text).shaped;
    if (!shaped) {
        shaped.emplace(text);
        shaped->setTextFormat(Qt::PlainText);
        shaped->prepare({}, painter.font());
    }
    const QSizeF size = shaped->size();
    if (size.width() > rect.width() || size.height() > rect.height())
        return painter.drawText(rect, static_cast<int>(where), text); // which cuts it
    const double right = rect.width() - size.width();
    const double below = rect.height() - size.height();
    const double x = where & Qt::AlignRight ? right : where & Qt::AlignHCenter ? right / 2 : 0;
    const double y = where & Qt::AlignBottom ? below : where & Qt::AlignVCenter ? below / 2 : 0;
    painter.drawStaticText(rect.topLeft() + QPointF(x, y), *shaped);
}

} // namespace tilescope::ui
