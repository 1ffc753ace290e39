// SPDX-License-Identifier: GPL-3.0-or-later
#include "row_filter.h"

#include <QLocale>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tilescope::ui {
namespace {

/// "1,000", "2MiB", "5%".
std::optional<double> numberOf(QString text) {
    constexpr double hundred = 100; // divided by, as shares are rounded
    if (text.endsWith(QLatin1Char('%'))) {
        const auto share = numberOf(text.chopped(1));
        return share ? std::optional(*share / hundred) : std::nullopt;
    }
    constexpr std::array<std::pair<const char*, double>, 5> units{{{"kib", 1024.0},
                                                                   {"mib", 1024.0 * 1024},
                                                                   {"gib", 1024.0 * 1024 * 1024},
                                                                   {"tib", 1024.0 * 1024 * 1024 * 1024},
                                                                   {"b", 1}}};
    text = text.toLower().remove(QLatin1Char(','));
    double scale = 1;
    for (const auto& [unit, of] : units)
        if (text.endsWith(QLatin1String(unit))) {
            text.chop(static_cast<int>(QLatin1String(unit).size()));
            scale = of;
            break;
        }
    bool good = false;
    const double number = text.toDouble(&good);
    return good ? std::optional(number * scale) : std::nullopt;
}

} // namespace

QString filterNumber(double number, Cell::Unit unit) {
    constexpr double larger = 1024; // each unit of bytes
    constexpr int digits = 12;      // none of them of the rounding of doubles
    QString written;
    if (unit == Cell::Unit::Share) {
        written = QString::number(100 * number, 'g', digits) + QLatin1Char('%');
    } else if (unit == Cell::Unit::Bytes) {
        double scaled = number;
        const char* of = "";
        for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
            if (scaled == 0 || std::fmod(scaled, larger) != 0)
                break;
            scaled /= larger;
            of = next;
        }
        written = QString::number(scaled, 'g', digits) + QLatin1String(of);
    }
    return numberOf(written) == number ? written
                                       : QString::number(number, 'f', QLocale::FloatingPointShortest);
}

int RowFilter::columnOf(const QString& name, const QStringList& heads) {
    const auto plain = [](const QString& text) {
        return text.simplified().remove(QLatin1Char(' ')).toLower();
    };
    const QString wanted = plain(name);
    int begins = -1;
    for (int c = 0; c < heads.size(); ++c) {
        const QString head = plain(heads[c]);
        if (head == wanted)
            return c;
        if (begins < 0 && head.startsWith(wanted))
            begins = c;
    }
    return begins;
}

RowFilter::RowFilter(const QString& text, const QStringList& heads) {
    static const QRegularExpression of_column(QStringLiteral("^([^:<>=]+)(:|>=|<=|>|<|=)(.+)$"));
    static const QRegularExpression blanks(QStringLiteral("\\s+"));
    for (QString word : text.split(blanks, Qt::SkipEmptyParts)) {
        Term term;
        if (word.size() > 1 && word.startsWith(QLatin1Char('-'))) {
            term.excludes = true;
            word.remove(0, 1);
        }
        term.word = word;
        if (const auto parts = of_column.match(word); parts.hasMatch()) {
            const int column = columnOf(parts.captured(1), heads);
            const QString sign = parts.captured(2);
            const auto number = numberOf(parts.captured(3));
            if (column >= 0 && sign == QLatin1String(":")) {
                term.column = column;
                term.word = parts.captured(3);
            } else if (column >= 0 && number) {
                term.column = column;
                term.number = *number;
                term.test = sign == QLatin1String("<")    ? Test::Less
                            : sign == QLatin1String("<=") ? Test::AtMost
                            : sign == QLatin1String("=")  ? Test::Equal
                            : sign == QLatin1String(">=") ? Test::AtLeast
                                                          : Test::More;
            }
        }
        term.has_digit = std::any_of(term.word.begin(), term.word.end(), [](QChar c) { return c.isDigit(); });
        terms_.push_back(std::move(term));
    }
}

bool RowFilter::holds(const Term& term, const TableRow& row) {
    const auto has = [&](const Cell& cell) {
        return (cell.numeric && !term.has_digit ? cell.text : cell.shown())
            .contains(term.word, Qt::CaseInsensitive);
    };
    if (term.column < 0)
        return std::any_of(row.cells.begin(), row.cells.end(), has);
    if (term.column >= static_cast<int>(row.cells.size()))
        return false;
    const Cell& cell = row.cells[static_cast<std::size_t>(term.column)];
    if (term.test == Test::Has)
        return has(cell);
    if (!cell.numeric || cell.isAbsent())
        return false;
    switch (term.test) {
    case Test::Less:
        return cell.number < term.number;
    case Test::AtMost:
        return cell.number <= term.number;
    case Test::AtLeast:
        return cell.number >= term.number;
    case Test::More:
        return cell.number > term.number;
    case Test::Equal:
    case Test::Has:
        break;
    }
    return cell.number == term.number;
}

bool RowFilter::matches(const TableRow& row) const {
    return std::all_of(terms_.begin(), terms_.end(),
                       [&](const Term& term) { return holds(term, row) != term.excludes; });
}

} // namespace tilescope::ui
