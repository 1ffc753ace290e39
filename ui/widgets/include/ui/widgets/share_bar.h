// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/painted_parts.h"

#include <QString>
#include <QWidget>
#include <vector>

namespace tilescope::ui {

/// Parts of a whole as one horizontal bar with a legend under it; with a base, a second bar under the first,
/// and what has changed by more than a point of a hundred is joined between them.
class ShareBar : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    struct Part {
        QString name;
        ThemeColor color = &Theme::text;
        double value = 0;
        QString text;         ///< of the value, in the legend
        double base = 0;      ///< the value there
        QString key = {};     ///< what partChosen() says
        bool hatched = false; ///< waiting: nobody takes it for a kind of work
    };
    explicit ShareBar(QWidget* parent = nullptr);
    /// `now`, `base`: what the two bars are of; without them there is one.
    void setParts(std::vector<Part> parts, const QString& now = {}, const QString& base = {});
    const std::vector<Part>& parts() const { return parts_; }
    /// From now on a part can be chosen: by a click on it or its name, or by Tab, arrows and Enter. `tip`:
    /// what that does.
    void setChoosing(const QString& tip);
    QSize sizeHint() const override; ///< as high as the legend needs at the width that it has
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override;
    PaintedParts::Part part(int index) const override;
    int partAt(const QPoint& at) const override;
    int focusedPart() const override { return hasFocus() ? focused_ : -1; }

  Q_SIGNALS:
    void partChosen(const QString& key);

  protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    /// An entry of the legend: which part, its words, and where it stands.
    struct Entry {
        std::size_t part = 0;
        QString text;
        QRect place;
    };
    int swatchSide() const;
    std::vector<Entry> entries() const; ///< of the parts that there are
    /// Where a part stands in the bar of these values.
    QRectF barOf(double Part::*value) const;
    std::vector<QRectF> boxes(double Part::*value) const;
    double whole(double Part::*value) const;
    void paintBar(QPainter& painter, const QString& name, double Part::*value) const;
    void paintJoints(QPainter& painter) const;
    int legendTop() const;
    int nameWidth() const; ///< of the bars' names and the room behind them
    std::vector<Part> parts_;
    QString now_, base_;
    QString tip_;        ///< what choosing does; empty: nothing can be chosen
    int focused_ = 0;    ///< entry that the keys are at
    int hovered_ = -1;   ///< entry that the pointer is at
    int legend_end_ = 0; ///< as the layout last heard
};

} // namespace tilescope::ui
