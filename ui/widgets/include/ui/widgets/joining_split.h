// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/roomy_split.h"

#include <QString>

class QTabWidget;

namespace tilescope::ui {

/// A picture and, beside or below it, the tabs of another part, with a handle between them. Where both have
/// too little room the picture is one of these tabs.
class JoiningSplit : public RoomySplit {
    Q_OBJECT
  public:
    enum class Side {
        Before,
        Behind
    }; ///< the picture stands left of the tabs or above them; at the other side
    /// `title`: of its tab; `least_lines`: of text, across the window or below each other in this, that both
    /// need.
    JoiningSplit(Qt::Orientation way, QWidget* picture, Side side, const QString& title, QTabWidget* tabs,
                 int least_lines);
    bool joined() const { return joined_; } ///< the picture is a tab
    QList<int> roomySizes() const override { return joined_ ? apart_ : sizes(); }
    void setRoomySizes(const QList<int>& sizes) override;

  Q_SIGNALS:
    void arranged(); ///< the picture has become a tab, or is none any more

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void arrange();
    QWidget* picture_;
    Side side_;
    QString title_;
    QTabWidget* tabs_;
    int least_lines_;
    bool joined_ = false;
    QList<int> apart_; ///< sizes where both stand in it
};

} // namespace tilescope::ui
