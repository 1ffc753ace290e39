// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/all_views.h"

#include <QButtonGroup>
#include <QList>
#include <QMap>
#include <QScrollArea>
#include <functional>

class QToolButton;
class QVBoxLayout;

namespace tilescope::ui {

/// The views, one below the other, groups parted by a gap. Where they do not fit with their names, their
/// icons alone stand there; where those do not fit, they scroll.
class Rail : public QScrollArea {
    Q_OBJECT
  public:
    /// `keys`: of each view, for its tip.
    Rail(const QList<ViewPlace>& places, const std::function<QString(int)>& keys, QWidget* parent = nullptr);
    void setCurrent(int view);   ///< -1: none
    void setFileOpen(bool open); ///< else views that need one are dim
    /// Views that a dot is at, and why: "2 findings", by View::id().
    void setMarks(const QMap<QString, QString>& marks);
    bool showsNames() const { return names_; }
    QSize sizeHint() const override;

  Q_SIGNALS:
    void chosen(int view);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void fit();
    void writeTips();
    void showNames(bool names);
    QList<ViewPlace> places_;
    std::function<QString(int)> keys_;
    QButtonGroup buttons_;
    QVBoxLayout* column_;
    QMap<QString, QString> marks_;
    bool open_ = false; ///< a file
    bool names_ = true;
    int height_with_names_ = 0;
};

} // namespace tilescope::ui
