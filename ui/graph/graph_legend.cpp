// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_legend.h"

#include "ui/graph/graph_painter.h"
#include "ui/theme/chart_style.h"

#include <QPainter>
#include <array>

namespace tilescope::ui {
namespace {

struct Entry {
    profile::Phase phase;
    GraphNode::Kind kind;
    QString name() const {
        return kind == GraphNode::Kind::Operation ? phaseName(phase) : GraphLegend::tr("data");
    }
};
constexpr std::array<Entry, 5> entries = {{{profile::Phase::Forward, GraphNode::Kind::Operation},
                                           {profile::Phase::Recompute, GraphNode::Kind::Operation},
                                           {profile::Phase::Backward, GraphNode::Kind::Operation},
                                           {profile::Phase::Update, GraphNode::Kind::Operation},
                                           {profile::Phase::Forward, GraphNode::Kind::Input}}};
} // namespace

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

QSize GraphLegend::sizeHint() const {
    const int line = fontMetrics().height();
    int width = 0;
    for (const Entry& entry : entries)
        width += line * 2 + 6 + fontMetrics().horizontalAdvance(entry.name()) + line;
    return {width, line + 4};
}

void GraphLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = Theme::of(this);
    const int line = fontMetrics().height();
    int x = 0;
    for (const Entry& entry : entries) {
        const QColor color = entry.kind == GraphNode::Kind::Operation
                                 ? GraphPainter::phaseColor(theme, entry.phase)
                                 : theme.muted;
        const QRectF rect(x + 1, (height() - line * 0.7) / 2, line * 1.7, line * 0.7);
        painter.setPen(QPen(color, 1.3));
        painter.setBrush(ChartStyle::mixed(theme.panel, color, 0.3));
        painter.drawPath(GraphPainter::outline(rect, entry.phase, entry.kind));
        painter.setPen(theme.muted);
        x += line * 2 + 6;
        painter.drawText(QRect(x, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, entry.name());
        x += fontMetrics().horizontalAdvance(entry.name()) + line;
    }
}

} // namespace tilescope::ui
