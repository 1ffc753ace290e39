// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QMouseEvent>

namespace tilescope::ui {

/// The header of a table or tree whose first column stays where it is when the others are scrolled sideways.
class FrozenHeader : public QHeaderView {
  public:
    explicit FrozenHeader(QWidget* parent);
    /// How far the first section of a header was scrolled away.
    static int scrolled(const QHeaderView& header) { return header.offset(); }
    /// What is done to the frozen column is done to the one that was scrolled away.
    static QMouseEvent within(const QMouseEvent& event, const QHeaderView& header);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
};

} // namespace tilescope::ui
