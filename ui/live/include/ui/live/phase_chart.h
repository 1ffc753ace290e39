// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/theme/theme.h"

#include <QString>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// Where simulated time goes: a lane per IPU, each the shares of its phases stacked to 100 %, painted as
/// Trace paints them: area is time. Arrows go from one stretch of time to the next, and to the IPU above and
/// below; what is there is told.
class PhaseChart : public QWidget {
    Q_OBJECT
  public:
    explicit PhaseChart(QWidget* parent = nullptr);
    /// `spans`: by IPU and in order of time; `clock_hz`: of the tiles; `names`: of IPUs that stand for
    /// others, too.
    void setSpans(std::vector<profile::PhaseSpan> spans, double clock_hz,
                  std::map<std::int64_t, QString> names = {});
    /// Shares as figures, one line per span, with a header.
    QString toText(QChar separator) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent*) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    struct Lane {
        std::int64_t ipu = 0;
        std::size_t first = 0; ///< spans [first, last)
        std::size_t last = 0;
    };
    QRectF plotOf(std::size_t lane) const;
    void measureNames();                    ///< anew, of other lanes or in another font
    QString nameOf(std::int64_t ipu) const; ///< "IPU 0 (also 4)"
    int laneHeight() const;
    int axisHeight() const; ///< below the lanes
    const profile::PhaseSpan* spanAt(const QPointF& at) const;
    QString textOf(const profile::PhaseSpan& span) const;
    std::size_t laneOf(std::size_t span) const;
    QRectF boxOf(std::size_t span) const;
    std::size_t beside(std::size_t span, int lanes) const; ///< at the same time, in another lane
    void setCursorSpan(std::size_t span);
    double xOf(std::int64_t cycle, const QRectF& plot) const;
    void paintLane(QPainter& painter, std::size_t lane) const;
    void paintTimeAxis(QPainter& painter) const;

    std::vector<profile::PhaseSpan> spans_;
    std::vector<Lane> lanes_;
    std::map<std::int64_t, QString> names_;
    int label_width_ = 0; ///< room before the lanes for their names
    double clock_hz_ = 0;
    std::int64_t end_cycle_ = 0;
    double hovered_x_ = -1;
    std::optional<std::size_t> cursor_; ///< span that the keys are at
};

} // namespace tilescope::ui
