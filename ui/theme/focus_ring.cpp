// SPDX-License-Identifier: GPL-3.0-or-later
#include "focus_ring.h"

#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFocusFrame>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPointer>
#include <QRadioButton>
#include <QTabBar>
#include <QTextEdit>

namespace tilescope::ui {
namespace {

/// Lies on what has the focus, which goes on getting the pointer.
class Ring : public QFocusFrame {
  public:
    explicit Ring(QWidget* of) : QFocusFrame(of) {
        place();
        raise();
        show();
    }
    /// Over the whole; of tabs over the one in front.
    void place() {
        const auto* tabs = qobject_cast<const QTabBar*>(parentWidget());
        const QRect wanted = tabs == nullptr ? parentWidget()->rect() : tabs->tabRect(tabs->currentIndex());
        if (geometry() != wanted)
            setGeometry(wanted);
    }

  protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::of(this);
        const double wide = theme.colours == ThemeColours::HighContrast ? 3 : 2;
        constexpr double corner = 4;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.accent, wide));
        painter.drawRoundedRect(QRectF(rect()).adjusted(wide / 2, wide / 2, -wide / 2, -wide / 2), corner,
                                corner);
    }
};

template<class... Kinds>
bool isOneOf(const QWidget& widget) {
    return ((qobject_cast<const Kinds*>(&widget) != nullptr) || ...);
}

/// Tabs of files have theirs by the style sheet.
bool getsRing(const QWidget& widget) {
    return widget.windowType() != Qt::Popup && widget.window()->windowType() != Qt::Popup &&
           widget.objectName() != QLatin1String("files") &&
           isOneOf<QAbstractItemView, QAbstractSpinBox, QCheckBox, QComboBox, QPlainTextEdit, QRadioButton,
                   QTabBar, QTextEdit>(widget);
}

class Rings : public QObject {
  public:
    explicit Rings(QApplication& application) : QObject(&application) {
        connect(&application, &QApplication::focusChanged, this,
                [this](QWidget*, QWidget* now) { follow(now); });
    }
    bool eventFilter(QObject* of, QEvent* event) override {
        if (ring_ != nullptr && (event->type() == QEvent::Resize || event->type() == QEvent::Paint))
            ring_->place();
        return QObject::eventFilter(of, event);
    }

  private:
    void follow(QWidget* now) {
        if (ring_ != nullptr) {
            ring_->parentWidget()->removeEventFilter(this);
            ring_->hide();
            ring_->deleteLater();
            ring_ = nullptr;
        }
        if (now == nullptr || !getsRing(*now))
            return;
        ring_ = new Ring(now);
        now->installEventFilter(this);
    }
    QPointer<Ring> ring_;
};

} // namespace

void ringFocus(QApplication& application) {
    new Rings(application);
}

} // namespace tilescope::ui
