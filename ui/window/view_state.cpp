// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_state.h"

#include "ui/widgets/data_table.h"
#include "ui/widgets/legend.h"
#include "ui/widgets/roomy_split.h"

#include <QSplitter>
#include <QTabWidget>
#include <QVariant>
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tilescope::ui {
namespace {

constexpr const char* zoom_property = "zoom";

template<class Part, class Write>
QJsonArray each(const QWidget& view, const Write& write) {
    QJsonArray all;
    for (const Part* part : view.findChildren<Part*>())
        all << write(*part);
    return all;
}

/// Calls `take(part, what was written of it)`, unless the view has other parts now.
template<class Part, class Take>
void forEach(const QWidget& view, const QJsonValue& written, const Take& take) {
    const QJsonArray all = written.toArray();
    const auto parts = view.findChildren<Part*>();
    if (parts.size() == all.size())
        for (qsizetype i = 0; i < parts.size(); ++i)
            take(*parts[i], all[i]);
}

/// None where a part is hidden, as by a file that has nothing for it: that it has no room is not what anybody
/// chose.
QJsonArray sizesOf(const QSplitter& splitter) {
    for (int i = 0; i < splitter.count(); ++i)
        if (splitter.widget(i)->isHidden())
            return {};
    const auto* roomy = qobject_cast<const RoomySplit*>(&splitter);
    QJsonArray sizes;
    for (const int size : roomy != nullptr ? roomy->roomySizes() : splitter.sizes())
        sizes << size;
    return sizes;
}

QList<QWidget*> zoomed(const QWidget& view) {
    QList<QWidget*> parts = view.findChildren<QWidget*>();
    parts.removeIf(
        [](const QWidget* part) { return part->metaObject()->indexOfProperty(zoom_property) < 0; });
    return parts;
}

} // namespace

QJsonObject arrangementOf(const QWidget& view) {
    return {{QStringLiteral("tabs"),
             each<QTabWidget>(view, [](const QTabWidget& tabs) { return QJsonValue(tabs.currentIndex()); })},
            {QStringLiteral("sizes"), each<QSplitter>(view, sizesOf)},
            {QStringLiteral("sorted"),
             each<DataTable>(view,
                             [](const DataTable& table) {
                                 QJsonArray keys;
                                 for (const SortKey& key : table.sortKeys())
                                     keys << QJsonArray{key.column, key.order == Qt::DescendingOrder};
                                 return keys;
                             })},
            {QStringLiteral("widths"),
             each<DataTable>(
                 view, [](const DataTable& table) { return QJsonObject::fromVariantMap(table.widths()); })},
            {QStringLiteral("hidden"), each<Legend>(view, [](const Legend& legend) {
                 return QJsonArray::fromStringList(legend.hidden());
             })}};
}

void setArrangement(QWidget& view, const QJsonObject& arrangement) {
    forEach<QTabWidget>(view, arrangement[QStringLiteral("tabs")],
                        [](QTabWidget& tabs, const QJsonValue& index) {
                            if (index.toInt() >= 0 && index.toInt() < tabs.count())
                                tabs.setCurrentIndex(index.toInt());
                        });
    forEach<QSplitter>(view, arrangement[QStringLiteral("sizes")],
                       [](QSplitter& splitter, const QJsonValue& written) {
                           QList<int> sizes;
                           for (const auto& size : written.toArray())
                               sizes << size.toInt();
                           const int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
                           if (sum == 0)
                               return; // it was never shown
                           if (auto* roomy = qobject_cast<RoomySplit*>(&splitter))
                               roomy->setRoomySizes(sizes);
                           else if (sizes.size() == splitter.count())
                               splitter.setSizes(sizes);
                       });
    forEach<DataTable>(view, arrangement[QStringLiteral("sorted")],
                       [](DataTable& table, const QJsonValue& written) {
                           std::vector<SortKey> keys;
                           for (const auto& key : written.toArray())
                               if (key[0].toInt(-1) >= 0)
                                   keys.push_back({key[0].toInt(), key[1].toBool() ? Qt::DescendingOrder
                                                                                   : Qt::AscendingOrder});
                           if (!keys.empty())
                               table.sortBy(std::move(keys));
                       });
    forEach<DataTable>(view, arrangement[QStringLiteral("widths")],
                       [](DataTable& table, const QJsonValue& written) {
                           table.setWidths(written.toObject().toVariantMap());
                       });
    forEach<Legend>(view, arrangement[QStringLiteral("hidden")],
                    [](Legend& legend, const QJsonValue& written) {
                        QStringList kinds;
                        for (const auto& kind : written.toArray())
                            kinds << kind.toString();
                        legend.setHidden(kinds);
                    });
}

QJsonArray zoomsOf(const QWidget& view) {
    QJsonArray all;
    bool any = false;
    for (const QWidget* part : zoomed(view)) {
        const QJsonArray zoom = QJsonArray::fromVariantList(part->property(zoom_property).toList());
        any = any || !zoom.isEmpty();
        all << zoom;
    }
    return any ? all : QJsonArray();
}

void setZooms(QWidget& view, const QJsonArray& zooms) {
    const QList<QWidget*> parts = zoomed(view);
    if (zooms.isEmpty() || parts.size() == zooms.size())
        for (qsizetype i = 0; i < parts.size(); ++i)
            parts[i]->setProperty(zoom_property,
                                  zooms.isEmpty() ? QVariantList() : zooms[i].toArray().toVariantList());
}

QJsonObject placeToJson(const Place& place) {
    const Selection& s = place.selection;
    QJsonObject object{{QStringLiteral("view"), place.view},
                       {QStringLiteral("showing"), static_cast<int>(place.showing)},
                       {QStringLiteral("operation"), static_cast<qint64>(s.operation)},
                       {QStringLiteral("layer"), static_cast<qint64>(s.layer)},
                       {QStringLiteral("program"), static_cast<qint64>(s.program)},
                       {QStringLiteral("variable"), static_cast<qint64>(s.variable)},
                       {QStringLiteral("pass"), static_cast<qint64>(s.pass)},
                       {QStringLiteral("log"), static_cast<qint64>(s.log)},
                       {QStringLiteral("finding"), QString::fromStdString(s.finding)},
                       {QStringLiteral("ipu"), static_cast<qint64>(s.ipu)},
                       {QStringLiteral("ipu_chosen"), s.ipu_chosen},
                       {QStringLiteral("micro_batch"), static_cast<qint64>(s.micro_batch)},
                       {QStringLiteral("activity"), static_cast<int>(s.activity)}};
    QJsonArray tiles;
    for (const std::int64_t tile : s.tiles)
        tiles << static_cast<qint64>(tile);
    object[QStringLiteral("tiles")] = tiles;
    if (s.range)
        object[QStringLiteral("range")] =
            QJsonArray{static_cast<qint64>(s.range->first), static_cast<qint64>(s.range->second)};
    if (s.pass_start)
        object[QStringLiteral("pass_start")] = static_cast<qint64>(*s.pass_start);
    if (s.basis)
        object[QStringLiteral("basis")] = QString::fromStdString(analyse::key(*s.basis));
    return object;
}

Place placeFromJson(const QJsonObject& object) {
    const auto id = [&](const char* key, std::int64_t otherwise) -> std::int64_t {
        return object[QLatin1String(key)].toInteger(otherwise);
    };
    Place place;
    place.view = object[QStringLiteral("view")].toString();
    place.showing = static_cast<Showing>(std::clamp<std::int64_t>(
        id("showing", static_cast<int>(place.showing)), 0, static_cast<int>(Showing::Difference)));
    Selection& s = place.selection;
    s.operation = id("operation", -1);
    s.layer = id("layer", -1);
    s.program = id("program", -1);
    s.variable = id("variable", -1);
    s.pass = id("pass", -1);
    s.log = id("log", -1);
    s.finding = object[QStringLiteral("finding")].toString().toStdString();
    s.ipu = id("ipu", 0);
    s.ipu_chosen = object[QStringLiteral("ipu_chosen")].toBool();
    s.micro_batch = id("micro_batch", -1);
    using profile::PipelineActivity;
    s.activity = static_cast<PipelineActivity>(
        std::clamp<std::int64_t>(id("activity", 0), 0, static_cast<int>(PipelineActivity::Idle)));
    if (object.contains(QStringLiteral("pass_start")))
        s.pass_start = id("pass_start", 0);
    s.basis = analyse::basis_of_key(object[QStringLiteral("basis")].toString().toStdString());
    for (const auto& tile : object[QStringLiteral("tiles")].toArray())
        s.tiles.push_back(tile.toInteger());
    const QJsonArray range = object[QStringLiteral("range")].toArray();
    if (range.size() == 2 && range[0].toInteger() < range[1].toInteger())
        s.range = std::pair(range[0].toInteger(), range[1].toInteger());
    return place;
}

} // namespace tilescope::ui
