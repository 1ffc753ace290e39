// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/chart_style.h"
#include "ui/widgets/painted_parts.h"

#include <QBrush>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <vector>

namespace tilescope::ui {

/// Colours or hatches with their names, in one line, or in several where there is no room for one. What has a
/// kind can be hidden: a click (Space) hides or shows it, Shift and a click, a double click or Enter shows it
/// alone, or all again.
class Legend : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    struct Entry {
        QString name;
        QBrush brush; ///< none: a name alone
        /// Where it is not a square that is filled: what it looks like in a box that is twice as wide.
        std::function<void(QPainter& painter, const QRectF& box)> draw = {};
        QString kind = {}; ///< by which it is hidden (hideKinds); "": it is not
        QString tip = {};  ///< said before what a click does
    };
    using Entries = std::function<std::vector<Entry>(const ChartStyle&)>;
    /// `entries` is asked at each painting, so that the colours follow the theme.
    explicit Legend(Entries entries, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    /// From now on, its entries can be hidden, as hiddenChanged tells.
    void setControlling();
    /// The same; `chart` hides what is hidden here.
    void controls(QWidget* chart);
    const QStringList& hidden() const { return hidden_; } ///< kinds
    void setHidden(const QStringList& kinds);             ///< also such as it does not have yet
    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override;
    Part part(int index) const override;
    int focusedPart() const override { return hasFocus() ? focused_ : -1; }

  Q_SIGNALS:
    void hiddenChanged(const QStringList& kinds);

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

  private:
    int swatchWidth(const Entry& entry) const;
    std::vector<QRect> places(const std::vector<Entry>& entries, int width) const;
    std::vector<Entry> entries() const;
    std::vector<QRect> shownPlaces() const; ///< in the widget as it is
    QString tipOf(int index) const;
    void paintBox(QPainter& painter, const Entry& entry, const QRect& box, bool gone) const;
    void toggle(int entry);
    void isolate(int entry); ///< or all again, where it is the only one

    Entries entries_;
    bool controls_ = false; ///< entries can be hidden
    QStringList hidden_;
    QStringList before_; ///< hidden before the press that may begin a double click
    int focused_ = 0;    ///< entry that the keys are at
};

/// The phases of the clock.
std::vector<Legend::Entry> phaseEntries(const ChartStyle& style);

} // namespace tilescope::ui
