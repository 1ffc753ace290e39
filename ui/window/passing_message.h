// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

class QTimer;

namespace tilescope::ui {

/// What the window says in passing, in a place of its own of the status bar: a message for some seconds, over
/// it what the pointer is on, while it is there. The whole of what has no room is the tip.
class PassingMessage : public QLabel {
    Q_OBJECT
  public:
    explicit PassingMessage(QWidget* parent = nullptr);
    void say(const QString& message);
    void pointAt(const QString& what); ///< "": the pointer is on nothing that has a name
    QString whole() const;             ///< what it says now

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void write();

    QString message_, pointed_;
    QTimer* passing_;
};

} // namespace tilescope::ui
