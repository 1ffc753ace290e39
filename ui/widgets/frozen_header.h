// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QHeaderView>
#include <QMouseEvent>
#include <functional>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// The header of a table or tree whose first column stays where it is when the others are scrolled sideways.
/// The arrow of a head by which rows are sorted points down where most, or the last name, is first.
class FrozenHeader : public QHeaderView {
  public:
    explicit FrozenHeader(QWidget* parent);
    /// How far the first section of a header was scrolled away.
    static int scrolled(const QHeaderView& header) { return header.offset(); }
    /// What is done to the frozen column is done to the one that was scrolled away.
    static QMouseEvent within(const QMouseEvent& event, const QHeaderView& header);
    /// Columns that rows are also sorted by, one after the other, where they are equal by the first.
    void setFurther(std::vector<std::pair<int, Qt::SortOrder>> keys);
    /// Called with the column whose head is clicked with Shift held.
    void onShiftClick(std::function<void(int)> clicked) { clicked_ = std::move(clicked); }

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sectionSizeFromContents(int section) const override;
    bool event(QEvent* event) override;

  private:
    int rankOf(int section) const; ///< 1: the first that rows are sorted by; 0: they are not, or by it alone
    std::vector<std::pair<int, Qt::SortOrder>> further_;
    std::function<void(int)> clicked_;
    int pressed_ = -1;                    ///< with Shift
    mutable QHash<QString, QSize> sizes_; ///< of heads, by their text: a table asks for them again and again
};

} // namespace tilescope::ui
