// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/headline.h"
#include "ui/widgets/painted_parts.h"

#include <QString>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// Of each IPU how full its fullest tile is and the share of the time in which it computes, as two bars
/// beside each other, or where there is little room as their numbers alone; as many columns of IPUs as have
/// room.
class IpuGauges : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    struct Gauge {
        QString name;               ///< "IPU 0, stage 0"
        std::int64_t bytes = 0;     ///< of the fullest tile
        std::optional<double> full; ///< share of the memory of a tile; 1: it is full
        analyse::Fit fit = analyse::Fit::Unknown;
        std::optional<double> busy; ///< share of the time in which it computes
        QString full_text = QStringLiteral("–"), busy_text = QStringLiteral("–"); ///< "582 KiB, 93.2 %"
        void setFull(std::int64_t of_fullest,
                     std::int64_t bytes_per_tile); ///< not where a tile has no memory
        void setBusy(std::optional<double> share);
    };
    explicit IpuGauges(QWidget* parent = nullptr);
    QString toText(QChar separator) const; ///< a line for each IPU, with a header
    void setGauges(std::vector<Gauge> gauges);
    const std::vector<Gauge>& gauges() const { return gauges_; }
    void setNumbersAlone(bool alone);
    bool numbersAlone() const { return numbers_alone_; }
    /// From now on one can be chosen: by a click, or by Tab, arrows and Enter. `tip`: what that does.
    void setChoosing(const QString& tip);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {columnWidth(), sizeHint().height()}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override { return static_cast<int>(gauges_.size()); }
    Part part(int index) const override;
    int focusedPart() const override { return hasFocus() ? focused_ : -1; }

  Q_SIGNALS:
    void chosen(int gauge);

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    QRect place(int gauge) const;
    int rowHeight() const;
    int columnWidth() const;
    int columns(int width) const;
    std::vector<Gauge> gauges_;
    QString tip_;     ///< what choosing does; empty: nothing can be chosen
    int focused_ = 0; ///< that the keys are at
    bool numbers_alone_ = false;
};

} // namespace tilescope::ui
