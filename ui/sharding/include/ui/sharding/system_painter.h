// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/sharding/link_labels.h"
#include "ui/theme/chart_style.h"
#include "ui/theme/theme.h"

#include <QPainter>

namespace tilescope::ui {

/// What stands out on the canvas. Indices of the layout; SystemLayout::none: nothing.
struct SystemMarks {
    std::size_t box = SystemLayout::none; ///< selected
    std::size_t arrow = SystemLayout::none;
    std::size_t hovered_box = SystemLayout::none;
    std::size_t hovered_arrow = SystemLayout::none;
    bool focused = false; ///< keys move the selection
};

/// Colours of what the gauges and arrows tell, for painter and legend.
QColor linkColor(const Theme& theme, profile::LinkKind kind);
/// By which they are hidden.
QString linkLegendKind(profile::LinkKind kind);

/// Draws the IPUs of a system, their gauges and the traffic between them.
class SystemPainter {
  public:
    /// `style`: of the chart, with the kinds that its legend hides.
    SystemPainter(QPainter& painter, const SystemMap& map, const SystemLayout& layout, const Theme& theme,
                  const ChartStyle& style);
    /// What stands beside arrows whatever is pointed at.
    std::vector<LinkLabel> labels() const;
    void paint(const SystemMarks& marks, const QRectF& visible, const std::vector<LinkLabel>& labels);

  private:
    struct Part {
        QBrush brush;
        std::int64_t value;
    };
    void frame(const ReplicaFrame& frame);
    void frameTitle(const ReplicaFrame& frame);
    QRectF titlePlace(const ReplicaFrame& frame) const;
    void arrow(const LinkArrow& one, bool strong, bool faint);
    void arrowLabels(const SystemMarks& marks, const std::vector<LinkLabel>& labels);
    void arrowLabel(const LinkLabel& label);
    void note(const std::vector<LinkLabel>& labels);
    std::vector<QRectF> names() const; ///< of replicas
    void box(const IpuBox& one, bool selected, bool hovered, bool focused);
    void fullBox(const MappedIpu& ipu, QRectF rest);
    void compactBox(const MappedIpu& ipu, QRectF rest);
    void layers(const MappedIpu& ipu, QRectF& rest);
    /// What a bar is made of; of nothing where it is not known.
    struct Bar {
        std::vector<Part> parts;
        std::int64_t whole = 0;
        std::int64_t sum() const;
        bool isOver() const { return whole > 0 && sum() > whole; }
    };
    /// A line of text with a figure at the right, and a bar below it, with the base's under that.
    void gauge(QRectF& rest, const QString& name, const QString& figure, const Bar& now, const Bar& base);
    std::vector<Part> memoryParts(std::int64_t bytes, std::int64_t always) const;
    void bar(const QRectF& rect, const Bar& of);
    void line(const QRectF& rect, const QString& left, const QString& right, const QColor& left_color,
              bool right_is_bad = false);
    std::vector<Part> phaseParts(const MappedIpu& ipu) const;
    bool hides(const LinkArrow& one) const;

    QPainter& painter_;
    const SystemMap& map_;
    const SystemLayout& layout_;
    const Theme& theme_;
    const ChartStyle& style_;
    QFont font_;
    QFont bold_;
    QFont small_;
    double line_;
};

} // namespace tilescope::ui
