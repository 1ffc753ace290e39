// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/live/live_state.h"

#include <QWidget>

namespace tilescope::ui {

/// The way of a run as one bar: a part for the compilation, each epoch and the evaluation, filled as far as
/// it has got.
class ProgressStrip : public QWidget {
    Q_OBJECT
  public:
    explicit ProgressStrip(QWidget* parent = nullptr);
    void setStages(std::vector<Stage> stages, profile::RunStatus status);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

  private:
    QRectF partOf(std::size_t stage) const;
    static QString textOf(const Stage& stage);
    std::vector<Stage> stages_;
    profile::RunStatus status_ = profile::RunStatus::Running;
};

} // namespace tilescope::ui
