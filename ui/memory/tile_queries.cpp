// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_queries.h"

#include <QStringList>

namespace tilescope::ui {
namespace {

/// " AND t.tile IN (1, 2, 3)"; tiles in a row as such; "" for all of the IPU.
QString onTiles(const TileTabs::Scope& scope, const char* table) {
    const auto& tiles = scope.tiles;
    if (tiles.empty())
        return {};
    bool in_a_row = true;
    QStringList numbers;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        in_a_row = in_a_row && tiles[i] == tiles.front() + static_cast<std::int64_t>(i);
        numbers << QString::number(tiles[i]);
    }
    const QString column = QStringLiteral(" AND %1.tile ").arg(QLatin1String(table));
    if (tiles.size() == 1)
        return column + QStringLiteral("= ") + numbers.front();
    return in_a_row ? column + QStringLiteral("BETWEEN %1 AND %2").arg(numbers.front(), numbers.back())
                    : column + QStringLiteral("IN (%1)").arg(numbers.join(QStringLiteral(", ")));
}

} // namespace

QString tilesSql(std::int64_t ipu) {
    return QStringLiteral("SELECT tile, value AS bytes\n"
                          "FROM tile_values('memory', 0, %1, 'total_with_gaps') ORDER BY value DESC")
        .arg(ipu);
}

QString variablesSql(const TileTabs::Scope& scope, std::optional<std::int64_t> step) {
    const QString live =
        step ? QStringLiteral(" AND (v.always_live OR %1 BETWEEN v.live_from AND v.live_to)").arg(*step)
             : QString();
    return QStringLiteral("SELECT v.id AS variable_id, v.name, v.category, sum(b.value) AS bytes,\n"
                          "    v.bytes AS on_all_tiles, v.live_from, v.live_to\n"
                          "FROM variable v, tile_values('variable', v.id, v.ipu, 'bytes') b\n"
                          "WHERE v.ipu = %1%2%3\n"
                          "GROUP BY v.id HAVING sum(b.value) > 0 ORDER BY 4 DESC")
        .arg(scope.ipu)
        .arg(live, onTiles(scope, "b"));
}

QString codeletsSql(const TileTabs::Scope& scope) {
    return QStringLiteral("SELECT v.codelet, iif(min(v.count = v.tiles), sum(h.tiles), NULL) AS here,\n"
                          "    sum(v.count) AS on_all_tiles, count(*) AS compute_sets\n"
                          "FROM vertex v JOIN (SELECT c.id, count(*) AS tiles\n"
                          "    FROM compute_set c, tile_values('compute_set', c.id, %1, 'cycles') t\n"
                          "    WHERE t.value > 0%2 GROUP BY c.id) h ON h.id = v.compute_set_id\n"
                          "GROUP BY v.codelet ORDER BY 3 DESC")
        .arg(scope.ipu)
        .arg(onTiles(scope, "t"));
}

QString exchangesSql(const TileTabs::Scope& scope) {
    const QString side =
        QStringLiteral("    coalesce((SELECT sum(t.value) FROM tile_values('exchange', e.id, "
                       "%1, '%2') t WHERE 1%3), 0) AS %2");
    const QString tiles = onTiles(scope, "t");
    return QStringLiteral("SELECT * FROM (SELECT e.name, e.kind, e.operation_id,\n%1,\n%2,\n    e.cycles\n"
                          "    FROM exchange e)\n"
                          "WHERE sent + received > 0 ORDER BY sent + received DESC")
        .arg(side.arg(scope.ipu).arg(QStringLiteral("sent"), tiles),
             side.arg(scope.ipu).arg(QStringLiteral("received"), tiles));
}

QString computeSetsSql(const TileTabs::Scope& scope) {
    return QStringLiteral("SELECT c.name, c.operation_id, max(t.value) AS slowest, avg(t.value) AS mean,\n"
                          "    c.cycles AS slowest_of_all\n"
                          "FROM compute_set c, tile_values('compute_set', c.id, %1, 'cycles') t\n"
                          "WHERE 1%2\nGROUP BY c.id HAVING max(t.value) > 0 ORDER BY slowest DESC")
        .arg(scope.ipu)
        .arg(onTiles(scope, "t"));
}

} // namespace tilescope::ui
