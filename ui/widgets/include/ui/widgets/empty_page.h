// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace tilescope::ui {

/// What a view says where it has nothing to show: a text in the middle of the page.
class EmptyPage : public QWidget {
    Q_OBJECT
  public:
    explicit EmptyPage(QWidget* parent = nullptr);
    void setText(const QString& html); ///< plain or rich text, its lines from the left

  private:
    QLabel* text_;
};

} // namespace tilescope::ui
