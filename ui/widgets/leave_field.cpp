// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/leave_field.h"

#include <QKeyEvent>
#include <QSet>
#include <QWidget>
#include <utility>

namespace tilescope::ui {
namespace {

class KeysThatLeave : public QObject {
  public:
    KeysThatLeave(std::initializer_list<Qt::Key> keys, QWidget* field, std::function<void()> leave)
        : QObject(field), keys_(keys.begin(), keys.end()), leave_(std::move(leave)) {
        field->installEventFilter(this);
    }
    bool eventFilter(QObject* of, QEvent* event) override {
        const bool asks = event->type() == QEvent::ShortcutOverride; // before others' shortcuts
        if ((!asks && event->type() != QEvent::KeyPress) ||
            !keys_.contains(static_cast<Qt::Key>(static_cast<QKeyEvent*>(event)->key())))
            return QObject::eventFilter(of, event);
        event->accept();
        if (!asks)
            leave_();
        return true;
    }

  private:
    QSet<Qt::Key> keys_;
    std::function<void()> leave_;
};

} // namespace

void leaveFieldBy(std::initializer_list<Qt::Key> keys, QWidget* field, std::function<void()> leave) {
    new KeysThatLeave(keys, field, std::move(leave));
}

} // namespace tilescope::ui
