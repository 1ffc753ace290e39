// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_pictures.h"

#include "base/try.h"
#include "export/graph_dot.h"
#include "ui/graph/graph_painter.h"
#include "ui/widgets/table_text.h"

#include <QBuffer>
#include <QPainter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <sstream>

namespace tilescope::ui {
namespace {

constexpr double picture_margin = 24;

Result<void> save(const QString& path, const QByteArray& data) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(data) != data.size() || !file.commit())
        return system_failure("the file cannot be written: " + file.errorString().toStdString(),
                              path.toStdString(), "choose another place");
    return {};
}

} // namespace

QImage graphImage(const OperationGraph& graph, const GraphScene& scene, const Theme& theme, const QFont& font,
                  const GraphScale& shades) {
    constexpr double largest = 16000; // pixels on a side
    const QRectF whole =
        scene.bounds.adjusted(-picture_margin, -picture_margin, picture_margin, picture_margin);
    const double scale = std::min({2.0, largest / whole.width(), largest / whole.height()});
    QImage image((whole.size() * scale).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
    image.fill(theme.window);
    QPainter painter(&image);
    painter.scale(scale, scale);
    painter.translate(-whole.topLeft());
    GraphPainter boxes(graph, scene, theme, font, scale);
    boxes.colorBy(shades);
    boxes.paint(painter, {}, whole);
    return image;
}

Result<void> writePicture(const OperationGraph& graph, const GraphScene& scene, const Theme& theme,
                          const QFont& font, const GraphScale& shades, const QString& path) {
    QByteArray data;
    QBuffer buffer(&data);
    buffer.open(QIODevice::WriteOnly);
    if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        const QRectF whole =
            scene.bounds.adjusted(-picture_margin, -picture_margin, picture_margin, picture_margin);
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setSize(whole.size().toSize());
        svg.setViewBox(QRectF(QPointF(), whole.size()));
        svg.setTitle(QStringLiteral("Tilescope"));
        QPainter painter(&svg);
        painter.fillRect(QRectF(QPointF(), whole.size()), theme.window);
        painter.translate(-whole.topLeft());
        GraphPainter boxes(graph, scene, theme, font, 1);
        boxes.colorBy(shades);
        boxes.paint(painter, {}, whole);
        painter.end();
    } else if (!graphImage(graph, scene, theme, font, shades).save(&buffer, "PNG")) {
        return system_failure("the picture cannot be made", path.toStdString(), "export it as SVG");
    }
    return save(path, data);
}

QString operationsText(const OperationGraph& graph, const GraphBaseline* base, QChar separator) {
    QString lines =
        tableLine({QStringLiteral("name"), QStringLiteral("kind"), QStringLiteral("phase"),
                   QStringLiteral("group"), QStringLiteral("shape"), QStringLiteral("ipu"),
                   QStringLiteral("stage"), QStringLiteral("cycles %1").arg(basisText(graph, base))},
                  separator);
    const auto number = [](const std::optional<std::int64_t>& value) {
        return value ? QString::number(*value) : QString();
    };
    for (const GraphNode& node : graph.nodes)
        if (node.kind == GraphNode::Kind::Operation && !node.gone)
            lines += tableLine({node.name, node.type, phaseName(node.phase), graph.groups[node.group].name,
                                node.shape, number(node.place.ipu), number(node.place.stage),
                                QString::number(shownCycles(graph, base, node.cost))},
                               separator);
    return lines;
}

Result<void> writeOperations(const OperationGraph& graph, const GraphBaseline* base, const QString& path) {
    return save(path, operationsText(graph, base, QLatin1Char(',')).toUtf8());
}

Result<void> writeDot(const profile::Profile& file, const QString& path) {
    std::ostringstream out;
    TRY(exports::graph_dot(file, out));
    return save(path, QByteArray::fromStdString(out.str()));
}

} // namespace tilescope::ui
