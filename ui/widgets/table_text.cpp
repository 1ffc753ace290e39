// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_text.h"

#include "base/csv_field.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace tilescope::ui {
namespace {

/// How wide a character is, in tenths of a digit: a text is compared with thousands of others.
constexpr std::array<std::uint8_t, 256> breadths() {
    std::array<std::uint8_t, 256> result{};
    result.fill(10);
    for (const char c : std::string_view(" .,:;'|iljtfr()[]"))
        result[static_cast<unsigned char>(c)] = 6;
    for (const char c : std::string_view("%mwMW@"))
        result[static_cast<unsigned char>(c)] = 17;
    return result;
}

/// About how wide a text is, in tenths of a digit.
int breadth(const QString& text) {
    static constexpr std::array<std::uint8_t, 256> of = breadths();
    int all = 0;
    for (const QChar c : text) {
        const char16_t code = c.unicode();
        all += code < of.size() ? of[code] : code == u'…' || code >= 0x2190 ? 17 : 10; // arrows, triangles
    }
    return all;
}

} // namespace

QString tableLine(const QStringList& cells, QChar separator) {
    QStringList shown;
    for (const QString& cell : cells)
        shown << (separator == QLatin1Char(',') ? QString::fromStdString(csv_field(cell.toStdString()))
                                                : cell);
    return shown.join(separator) + QLatin1Char('\n');
}

bool widerText(const QString& text, const QString& than) {
    constexpr qsizetype about = 4;
    return text.size() > than.size() + about ||
           (text.size() + about >= than.size() && breadth(text) > breadth(than));
}

int widestPart(const QAbstractItemModel& rows, int column, const QFontMetrics& letters) {
    int widest = 0;
    for (int row = 0; row < rows.rowCount(); ++row) {
        QString text = rows.index(row, column).data().toString();
        text.replace(u'/', QLatin1String("/ "));
        for (const QString& part : text.split(u' '))
            widest = std::max(widest, letters.horizontalAdvance(part));
    }
    return widest;
}

} // namespace tilescope::ui
