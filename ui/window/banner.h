// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>
#include <functional>

class QLabel;
class QPushButton;

namespace tilescope::ui {

/// What a line above the view says. Without a text there is nothing to say.
struct Notice {
    enum class Kind { Bad, Told };
    Kind kind = Kind::Told;
    QString text;
    QString action; ///< what its button says; "": it has none
    std::function<void()> act;
};

/// One line above the view: what is wrong with the file, or what has become of it. It stays until it is
/// closed.
class Banner : public QFrame {
    Q_OBJECT
  public:
    explicit Banner(QWidget* parent = nullptr);
    void show(const Notice& notice); ///< hides itself where there is nothing to say

  Q_SIGNALS:
    void closed(); ///< by the user, or because the button was pressed

  private:
    QLabel* text_;
    QPushButton* button_;
    std::function<void()> act_;
};

} // namespace tilescope::ui
