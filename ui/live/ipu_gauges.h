// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// Of each IPU how full its fullest tile is and the share of the time in which it computes, as two bars
/// beside each other; as many columns of IPUs as have room.
class IpuGauges : public QWidget {
    Q_OBJECT
  public:
    struct Gauge {
        QString name;                 ///< "IPU 0, stage 0"
        std::optional<double> full;   ///< share of the memory of a tile; 1: it is full
        std::optional<double> busy;   ///< share of the time in which it computes
        QString full_text, busy_text; ///< "582 KiB, 93.2 %"
    };
    using QWidget::QWidget;
    void setGauges(std::vector<Gauge> gauges);
    const std::vector<Gauge>& gauges() const { return gauges_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {columnWidth(), sizeHint().height()}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

  private:
    int rowHeight() const;
    int columnWidth() const;
    int columns(int width) const;
    std::vector<Gauge> gauges_;
};

} // namespace tilescope::ui
