// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/summary/figure_definition.h"

#include <QFile>
#include <QHash>
#include <QStringList>

namespace tilescope::ui {
namespace {

/// Rows of the page's tables: figure, key, unit, per, definition, where.
QHash<QString, FigureDefinition> readDefinitions() {
    QHash<QString, FigureDefinition> all;
    QFile page(QStringLiteral(":/docs/figures.md"));
    if (!page.open(QIODevice::ReadOnly))
        return all;
    for (const QString& line : QString::fromUtf8(page.readAll()).split(QLatin1Char('\n'))) {
        const QStringList cells = line.split(QLatin1Char('|'));
        constexpr qsizetype columns = 6;
        if (cells.size() == columns + 2)
            all.insert(cells[1].trimmed(), {cells[4].trimmed(), cells[5].trimmed().remove(QLatin1Char('`'))});
    }
    return all;
}

} // namespace

std::optional<FigureDefinition> definitionOf(const QString& figure) {
    static const QHash<QString, FigureDefinition> all = readDefinitions();
    const auto found = all.constFind(figure);
    return found == all.constEnd() ? std::nullopt : std::optional(*found);
}

} // namespace tilescope::ui
