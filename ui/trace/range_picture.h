// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/trace/trace_view.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QWidget>

class QLabel;

namespace tilescope::ui {

class Legend;

/// Makes a picture of a heading, a legend and all lanes of a range, drawn as finely as it is wide: it reads
/// its own slices, draws the lanes of one IPU at a time, and writes the file on a thread. It is never shown.
class RangePicture : public QWidget {
    Q_OBJECT
  public:
    struct Wanted {
        const TimelineWidget* like = nullptr;
        const TraceFeed* now = nullptr;
        const TraceFeed* base = nullptr; ///< null: there is none
        LaneChoice lanes;
        TileRange tiles;
        double from = 0; ///< cycles of the axis
        double to = 0;
        int width = 0;
        QString heading;
    };
    /// `path`: of an SVG, where it says so, else of a PNG of twice the size.
    RangePicture(const Wanted& wanted, const QString& path, QWidget* parent);

  Q_SIGNALS:
    void done(const QString& error); ///< empty: it is written

  private:
    void take();
    void begin();
    void drawNext();
    void write();
    Wanted wanted_;
    QString path_;
    QLabel* heading_ = nullptr;
    Legend* legend_ = nullptr;
    TimelineWidget* timeline_ = nullptr;
    std::vector<TraceFeed*> feeds_; ///< that of the new file, and of the base
    QBuffer svg_;
    QSvgGenerator generator_;
    QImage image_;     ///< where it is no SVG
    QPainter painter_; ///< ends before what it paints on
    std::size_t next_ = 0;
};

} // namespace tilescope::ui
