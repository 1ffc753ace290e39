// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace tilescope::ui {

/// In place of the views of a file that was open the last time and cannot be read now.
class MissingPage : public QWidget {
    Q_OBJECT
  public:
    explicit MissingPage(QWidget* parent = nullptr);
    void setReason(const QString& reason); ///< one line

  Q_SIGNALS:
    void findRequested();
    void retryRequested();
    void closeRequested();

  private:
    QLabel* reason_;
    QPushButton* find_;
};

} // namespace tilescope::ui
