// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/roomy_split.h"

class QTabWidget;

namespace tilescope::ui {

/// A picture and, below it, what is told of it, with a handle between them. Where both together have too
/// little height the lower part is folded to its head, down to its tabs, and takes what the upper one can
/// spare for as long as it has the focus; a click on a tab gives it that.
class YieldingSplit : public RoomySplit {
    Q_OBJECT
  public:
    /// `least_height`: pixels for both parts, below which the lower one yields; as where these need more,
    /// since text is larger.
    YieldingSplit(QWidget* upper, QWidget* lower, int least_height);
    bool folds() const { return folds_; }   ///< there is too little height for both
    bool folded() const { return folded_; } ///< and the lower part has only its head
    QList<int> roomySizes() const override { return folds_ ? roomy_ : tall_ ? beside_tall_ : sizes(); }
    void setRoomySizes(const QList<int>& sizes) override;
    /// While `page` is in front of `tabs`, which the lower part has, that part has most of the height: a
    /// picture needs it, rows do not. What the handle is dragged to stays.
    void giveMostTo(const QWidget* page, const QTabWidget& tabs);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void watchTabs();
    int headHeight() const;
    int leastOfUpper() const;
    void share();
    void giveMost();
    QObject whole_; ///< while the split is: its parts lose the focus when they go, which is after that
    int least_height_;
    bool folds_ = false;
    bool folded_ = false;
    bool opened_ = false;  ///< the lower part was the last to have the focus
    bool dragged_ = false; ///< the handle, since then
    QList<int> roomy_;
    bool picture_ = false;   ///< what has most of the height is in front
    bool tall_ = false;      ///< and has it
    QList<int> beside_tall_; ///< the sizes for other pages
};

} // namespace tilescope::ui
