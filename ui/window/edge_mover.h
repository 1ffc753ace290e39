// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/painted_parts.h"

#include <QPointer>
#include <QWidget>
#include <vector>

class QDockWidget;
class QMainWindow;
class QSplitter;

namespace tilescope::ui {

/// Moves by keys what the pointer drags: the edges between parts of the window. It lies as a bar on the one
/// that is chosen for as long as it has the focus.
class EdgeMover : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    explicit EdgeMover(QMainWindow* window);
    /// On to the next edge that is seen, from the top left on, and after the last one to the first. Whether
    /// there is any.
    bool next();

    QAccessible::Role wholeRole() const override { return QAccessible::Slider; }
    int partCount() const override { return 0; }
    Part part(int) const override { return {}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* of, QEvent* event) override;

  private:
    /// Of a splitter the handle before its part `index`; of a dock that to the middle of the window.
    struct Edge {
        QPointer<QSplitter> splitter;
        int index = 0;
        QPointer<QDockWidget> dock;
        bool operator==(const Edge&) const = default;
    };
    std::vector<Edge> edges() const;
    QRect placeOf(const Edge& edge) const; ///< in the window
    bool isUpright(const Edge& edge) const;
    void move(int by); ///< to the right, or down
    void place();
    void leave();
    QMainWindow* window_;
    Edge edge_;
    QPointer<QWidget> before_; ///< had the focus
};

} // namespace tilescope::ui
