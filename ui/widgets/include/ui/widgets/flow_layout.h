// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

namespace tilescope::ui {

/// Lays widgets in lines, each as wide as it likes, as words in a text; one that is wider than a line wraps
/// where it can. Those that are aligned to the centre stand in the middle of their line's height.
class FlowLayout : public QLayout {
    Q_OBJECT
  public:
    FlowLayout(int horizontal_spacing, int vertical_spacing);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { items_.append(item); }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override { return items_.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
    QSize minimumSize() const override;
    QSize sizeHint() const override;
    void setGeometry(const QRect& rect) override;

  private:
    int arrange(const QRect& rect, bool move) const; ///< the height that it takes

    QList<QLayoutItem*> items_;
    int horizontal_;
    int vertical_;
};

} // namespace tilescope::ui
