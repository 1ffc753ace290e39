// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/sharding/system_map.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <algorithm>
#include <vector>

namespace tilescope::ui {

/// What the letters of the canvas measure; boxes are sized by them.
struct SystemMetrics {
    double line = 16; ///< height of a line of text
    double digit = 8; ///< width of a digit
};

/// The frame around the IPUs of a replica.
struct ReplicaFrame {
    std::int64_t replica = 0;
    QRectF rect;
};

struct IpuBox {
    std::size_t ipu = 0; ///< index in SystemMap::ipus
    QRectF rect;
};

/// An arrow from IPU to IPU.
struct LinkArrow {
    std::size_t link = 0; ///< index in SystemMap::links
    QPainterPath path;    ///< from the sender to the receiver's border
    QPointF tip;
    double angle = 0;                                          ///< of the tip, radians
    double width = 1;                                          ///< pixels: grows with the bytes
    double head() const { return std::max(8.0, width * 1.9); } ///< pixels that its head is long and wide
    enum class Course { Across, Down, Around } course = Course::Across;
};

/// Where everything stands. The IPUs of a replica, and the replicas, go in rows that turn at their ends, so
/// that neighbours stay side by side; rows are as long as `width` allows.
struct SystemLayout {
    bool compact = false;
    std::size_t layer_lines = 0;      ///< of a box that is not compact
    std::vector<ReplicaFrame> frames; ///< none where there is one replica
    std::vector<IpuBox> boxes;        ///< one per IPU, in the map's order
    std::vector<LinkArrow> arrows;    ///< one per link, in the map's order
    QRectF note;                      ///< a line above all, for what is said of the arrows
    QSizeF size;
    QRectF canvas; ///< that it is in the middle of

    static SystemLayout make(const SystemMap& map, double width, bool compact, const SystemMetrics& metrics);
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t boxAt(const QPointF& at) const;
    std::size_t arrowAt(const QPointF& at, double slack) const;
    /// The nearest box in a direction, dx and dy of -1, 0 or 1; the box itself where there is none.
    std::size_t neighbour(std::size_t box, int dx, int dy) const;
};

} // namespace tilescope::ui
