// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/painted_parts.h"

#include <QAccessibleWidget>
#include <QKeyEvent>
#include <QPointer>
#include <QWidget>
#include <algorithm>
#include <map>

namespace tilescope::ui {
namespace {

const PaintedParts* partsOf(const QWidget* widget) {
    return dynamic_cast<const PaintedParts*>(widget);
}

class PartInterface : public QAccessibleInterface {
  public:
    PartInterface(QWidget* widget, int index) : widget_(widget), index_(index) {}
    bool isValid() const override {
        return widget_ != nullptr && partsOf(widget_) != nullptr && index_ < partsOf(widget_)->partCount();
    }
    QObject* object() const override { return nullptr; }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(widget_); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    int index() const { return index_; }
    QString text(QAccessible::Text wanted) const override {
        if (!isValid())
            return {};
        const PaintedParts::Part part = partsOf(widget_)->part(index_);
        // Readers on Linux (AT-SPI) are told no value that is a text, but a description.
        return wanted == QAccessible::Name                                          ? part.name
               : wanted == QAccessible::Value || wanted == QAccessible::Description ? part.value
                                                                                    : QString();
    }
    void setText(QAccessible::Text, const QString&) override {}
    QRect rect() const override {
        if (!isValid())
            return {};
        const QRect in_widget = partsOf(widget_)->part(index_).rect;
        return {widget_->mapToGlobal(in_widget.topLeft()), in_widget.size()};
    }
    QAccessible::Role role() const override {
        return isValid() ? partsOf(widget_)->part(index_).role : QAccessible::NoRole;
    }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid)
            return state;
        const PaintedParts::Part part = partsOf(widget_)->part(index_);
        state.selectable = state.focusable = state.readOnly = true;
        state.selected = part.selected;
        state.focused = widget_->hasFocus() && partsOf(widget_)->focusedPart() == index_;
        state.offscreen = !widget_->rect().intersects(part.rect);
        return state;
    }

  private:
    QPointer<QWidget> widget_;
    int index_;
};

class PartsInterface : public QAccessibleWidget {
  public:
    PartsInterface(QWidget* widget, QAccessible::Role role) : QAccessibleWidget(widget, role) {}
    ~PartsInterface() override {
        for (const auto& [index, id] : made_)
            QAccessible::deleteAccessibleInterface(id);
    }
    int childCount() const override { return isValid() ? partsOf(widget())->partCount() : 0; }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount())
            return nullptr;
        const auto found = made_.find(index);
        if (found != made_.end())
            return QAccessible::accessibleInterface(found->second);
        auto* part = new PartInterface(widget(), index);
        made_[index] = QAccessible::registerAccessibleInterface(part);
        return part;
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        const auto* part = dynamic_cast<const PartInterface*>(child);
        return part == nullptr || part->parent() != this ? -1 : part->index();
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        return isValid() ? child(partsOf(widget())->partAt(widget()->mapFromGlobal(QPoint(x, y)))) : nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        return widget()->hasFocus() ? child(partsOf(widget())->focusedPart()) : nullptr;
    }

  private:
    mutable std::map<int, QAccessible::Id> made_;
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    const PaintedParts* parts = widget == nullptr ? nullptr : partsOf(widget);
    return parts == nullptr ? nullptr : new PartsInterface(widget, parts->wholeRole());
}

} // namespace

PaintedParts::PaintedParts() {
    static const bool once = [] {
        QAccessible::installFactory(&interfaceOf);
        return true;
    }();
    static_cast<void>(once);
}

int PaintedParts::partAt(const QPoint& at) const {
    for (int i = partCount(); i-- > 0;)
        if (part(i).rect.contains(at))
            return i;
    return -1;
}

PartKey takePartKey(const QKeyEvent& event, Qt::Key back, Qt::Key forward, int count, int& focused) {
    const int key = event.key();
    if (count == 0)
        return PartKey::Other;
    focused = std::clamp(focused, 0, count - 1);
    if (key == back || key == forward) {
        focused = std::clamp(focused + (key == back ? -1 : 1), 0, count - 1);
        return PartKey::Moves;
    }
    return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space ? PartKey::Chooses
                                                                                 : PartKey::Other;
}

void tellFocusedPart(QWidget& widget) {
    const PaintedParts* parts = partsOf(&widget);
    if (!QAccessible::isActive() || parts == nullptr || parts->focusedPart() < 0 || !widget.hasFocus())
        return;
    QAccessibleEvent event(&widget, QAccessible::Focus);
    event.setChild(parts->focusedPart());
    QAccessible::updateAccessibility(&event);
}

} // namespace tilescope::ui
