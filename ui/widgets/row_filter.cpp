// SPDX-License-Identifier: GPL-3.0-or-later
#include "row_filter.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace tilescope::ui {
namespace {

/// The head that is `name`, or else the first that begins so; case and blanks do not matter. -1: none.
int columnOf(const QString& name, const QStringList& heads) {
    const auto plain = [](QString text) { return text.remove(QLatin1Char(' ')).toLower(); };
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

/// "1,000", "2MiB", "5%".
std::optional<double> numberOf(QString text) {
    constexpr std::array<std::pair<const char*, double>, 6> units{{{"kib", 1024.0},
                                                                   {"mib", 1024.0 * 1024},
                                                                   {"gib", 1024.0 * 1024 * 1024},
                                                                   {"tib", 1024.0 * 1024 * 1024 * 1024},
                                                                   {"%", 0.01},
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
