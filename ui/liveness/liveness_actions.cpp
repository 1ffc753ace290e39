// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/liveness/liveness_view.h"
#include "ui/widgets/view_action.h"

#include <QAction>

namespace tilescope::ui {
namespace {

constexpr std::int64_t all_steps = std::int64_t{1} << 40; ///< more than any program has

} // namespace

void LivenessView::makeActions() {
    constexpr double zoom_step = 1.5;
    addViewAction(this, tr("Zoom in"), QStringLiteral("zoom-in"), Qt::Key_Plus, tr("Fewer steps (+)"),
                  [this] { curve_->zoomBy(zoom_step); })
        ->setShortcuts({QKeySequence(Qt::Key_Plus), QKeySequence(Qt::Key_W)});
    addViewAction(this, tr("Zoom out"), QStringLiteral("zoom-out"), Qt::Key_Minus, tr("More steps (-)"),
                  [this] { curve_->zoomBy(1 / zoom_step); })
        ->setShortcuts({QKeySequence(Qt::Key_Minus), QKeySequence(Qt::Key_S)});
    addViewAction(this, tr("All steps"), QStringLiteral("whole"), Qt::Key_0, tr("Show all steps (0)"),
                  [this] { curve_->showAll(); });
    constexpr double pan_step = 0.25;
    addKeyAction(curve_, tr("Earlier steps"), Qt::Key_A, [this] { curve_->panBy(-pan_step); });
    addKeyAction(curve_, tr("Later steps"), Qt::Key_D, [this] { curve_->panBy(pan_step); });
    addKeyAction(curve_, tr("Frame what is chosen"), Qt::Key_F, [this] { curve_->frameSubject(); });
    addKeyAction(curve_, tr("First step"), Qt::Key_Home, [this] { moveStep(-all_steps); });
    addKeyAction(curve_, tr("Last step"), Qt::Key_End, [this] { moveStep(all_steps); });
    addKeyAction(curve_, tr("Let go of the range"), Qt::Key_Escape, [this] {
        curve_->setRange({});
        showStep();
    });
    addKeyAction(curve_, tr("Show in Program"), Qt::Key_Return, [this] {
        if (curve_->step() < 0 || !read_)
            return;
        chooseStep(curve_->step());
        Q_EMIT viewRequested(QStringLiteral("program"));
    })->setShortcuts({QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)});
    addViewAction(this, tr("By time or by program step"), {}, Qt::SHIFT | Qt::Key_T,
                  tr("Whether steps are as long as they take or as wide as one another (Shift+T)"),
                  [this] { showByTime(!curve_->byTime()); });
    to_limit_ = addViewAction(this, tr("To the limit"), {}, Qt::Key_Z,
                              tr("Whether the curve reaches up to the memory of all tiles (Z)"),
                              [this] { curve_->setToLimit(to_limit_->isChecked()); });
    to_limit_->setCheckable(true);
    addViewAction(this, tr("Peak step"), {}, Qt::Key_P, tr("Go to the step at which most is live (P)"),
                  [this] {
                      if (read_ && read_->live->peak() >= 0)
                          chooseStep(read_->live->points[static_cast<std::size_t>(read_->live->peak())].step);
                  });
    addViewAction(this, tr("Next lower peak"), {}, Qt::SHIFT | Qt::Key_P,
                  tr("Go to the next lower peak, at least a fiftieth of the program away (Shift+P)"),
                  [this] { nextPeak(); });
    addViewAction(this, tr("Step before"), QStringLiteral("earlier"), Qt::Key_Comma,
                  tr("The step before (,)"), [this] { moveStep(-1); })
        ->setShortcuts({QKeySequence(Qt::Key_Comma), QKeySequence(Qt::Key_Left)});
    addViewAction(this, tr("Step after"), QStringLiteral("later"), Qt::Key_Period, tr("The step after (.)"),
                  [this] { moveStep(1); })
        ->setShortcuts({QKeySequence(Qt::Key_Period), QKeySequence(Qt::Key_Right)});
}

} // namespace tilescope::ui
