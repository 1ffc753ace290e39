// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <vector>

namespace tilescope::ui {

/// How many tiles take how many cycles: twenty classes from 0 to the slowest, with tiles that do nothing
/// apart.
class TileHistogram : public QWidget {
    Q_OBJECT
  public:
    explicit TileHistogram(QWidget* parent = nullptr);
    /// cycles[tile]; empty: there is nothing to show, and `why` says why.
    void setCycles(std::vector<std::int64_t> cycles, const QString& why);
    QSize sizeHint() const override;
    /// "312 tiles take 1,204 to 1,271 cycles" of the class under a point; empty: none is there.
    QString textAt(const QPoint& at) const;

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

  private:
    QRectF plot() const;
    std::vector<std::int64_t> classes_; ///< tiles by class
    std::int64_t slowest_ = 0;
    std::int64_t slowest_tile_ = -1;
    std::int64_t idle_ = 0;
    QString why_;
};

} // namespace tilescope::ui
