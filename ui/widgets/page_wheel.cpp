// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/page_wheel.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>

namespace tilescope::ui {
namespace {

class WheelToPage : public QObject {
  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject* of, QEvent* event) override {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(of)->hasFocus())
            return false;
        event->ignore(); // what it is in takes it
        return true;
    }
};

} // namespace

void leaveWheelToPage(QWidget& page) {
    auto* filter = new WheelToPage(&page);
    const auto guard = [filter](QWidget* field) {
        field->setFocusPolicy(Qt::StrongFocus); // the wheel gives no focus
        field->installEventFilter(filter);
    };
    for (auto* field : page.findChildren<QComboBox*>())
        guard(field);
    for (auto* field : page.findChildren<QAbstractSpinBox*>())
        guard(field);
    for (auto* field : page.findChildren<QAbstractSlider*>())
        if (qobject_cast<QScrollBar*>(field) == nullptr)
            guard(field);
}

} // namespace tilescope::ui
