// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_legend.h"

#include "ui/graph/graph_painter.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace tilescope::ui {

std::vector<Legend::Entry> graphEntries(const ChartStyle& style) {
    const auto entry = [&style](const QString& name, const QColor& color, profile::Phase phase,
                                GraphNode::Kind kind, const QString& hidden_by) {
        const QColor fill = ChartStyle::mixed(style.background, color, 0.3);
        return Legend::Entry{name, fill,
                             [=](QPainter& painter, const QRectF& box) {
                                 painter.save();
                                 painter.setRenderHint(QPainter::Antialiasing);
                                 painter.setPen(QPen(color, 1.3));
                                 painter.setBrush(fill);
                                 painter.drawPath(
                                     GraphPainter::outline(box.adjusted(1, 0, -1, 0), phase, kind));
                                 painter.restore();
                             },
                             hidden_by};
    };
    using profile::Phase;
    std::vector<Legend::Entry> entries;
    for (const auto& [phase, color] :
         {std::pair(Phase::Forward, style.forward), std::pair(Phase::Recompute, style.recompute),
          std::pair(Phase::Backward, style.backward), std::pair(Phase::Update, style.update)})
        entries.push_back(
            entry(phaseName(phase), color, phase, GraphNode::Kind::Operation, phaseName(phase)));
    entries.push_back(entry(Legend::tr("data"), style.muted, Phase::Forward, GraphNode::Kind::Input, {}));
    return entries;
}

std::vector<Legend::Entry> changeEntries(const ChartStyle& style) {
    std::vector<Legend::Entry> entries;
    for (const auto change : {GraphChange::Same, GraphChange::Less, GraphChange::More, GraphChange::Added,
                              GraphChange::Removed}) {
        const QColor color = GraphPainter::changeColor(Theme::current(), change);
        const Qt::PenStyle line = change == GraphChange::Removed ? Qt::DashLine : Qt::SolidLine;
        entries.push_back({changeName(change), color, [=](QPainter& painter, const QRectF& box) {
                               painter.save();
                               painter.setPen(QPen(color, 1.3, line));
                               painter.setBrush(ChartStyle::mixed(style.background, color, 0.2));
                               painter.drawRect(box.adjusted(1, 0, -1, 0));
                               painter.restore();
                           }});
    }
    return entries;
}

} // namespace tilescope::ui
