// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tiles/tile_text.h"

#include "ui/session/format.h"
#include "ui/session/ipu_choices.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <set>

namespace tilescope::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("TileText", text);
}

TileChoice wrong(const QString& error) {
    TileChoice choice;
    choice.error = error;
    return choice;
}

} // namespace

TileChoice parseTiles(const QString& typed, std::int64_t tiles_per_ipu,
                      const std::vector<std::int64_t>& ipus) {
    TileChoice choice;
    QString text = typed.trimmed().toLower();
    static const QRegularExpression ipu(QStringLiteral("^ipu\\s*(\\d+)\\s*:?\\s*"));
    if (const auto match = ipu.match(text); match.hasMatch()) {
        choice.ipu = match.captured(1).toLongLong();
        if (const QString error = noSuchIpu(choice.ipu, ipus); !error.isEmpty())
            return wrong(error);
        text = text.mid(match.capturedLength());
    }
    if (text.isEmpty() || text == QLatin1String("all"))
        return choice;
    static const QRegularExpression fullest(QStringLiteral("^fullest(?:\\s+(\\d+))?$"));
    if (const auto match = fullest.match(text); match.hasMatch()) {
        choice.fullest = match.captured(1).isEmpty() ? 1 : std::max(1, match.captured(1).toInt());
        return choice;
    }
    static const QRegularExpression range(QStringLiteral("^(\\d+)(?:\\s*-\\s*(\\d+))?$"));
    std::set<std::int64_t> tiles;
    for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const auto match = range.match(part.trimmed());
        if (!match.hasMatch())
            return wrong(tr("“%1” is no tile: type 0-63, 700 or IPU 3: 45 or fullest").arg(part.trimmed()));
        const std::int64_t first = match.captured(1).toLongLong();
        const std::int64_t last = match.captured(2).isEmpty() ? first : match.captured(2).toLongLong();
        if (const std::int64_t highest = std::max(first, last); highest >= tiles_per_ipu)
            return wrong(tr("tile %1: an IPU has tiles 0 to %2")
                             .arg(formatCount(highest), formatCount(tiles_per_ipu - 1)));
        for (std::int64_t tile = std::min(first, last); tile <= std::max(first, last); ++tile)
            tiles.insert(tile);
    }
    choice.tiles.assign(tiles.begin(), tiles.end());
    return choice;
}

QString tilesText(std::int64_t ipu, const std::vector<std::int64_t>& tiles) {
    QStringList parts;
    for (std::size_t i = 0; i < tiles.size();) {
        std::size_t last = i;
        while (last + 1 < tiles.size() && tiles[last + 1] == tiles[last] + 1)
            ++last;
        parts << (last == i ? QString::number(tiles[i])
                            : QStringLiteral("%1-%2").arg(tiles[i]).arg(tiles[last]));
        i = last + 1;
    }
    const QString text = parts.isEmpty() ? tr("all") : parts.join(QStringLiteral(", "));
    return ipu < 0 ? text : tr("IPU %1: %2").arg(ipu).arg(text);
}

} // namespace tilescope::ui
