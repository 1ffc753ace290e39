// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/painted_parts.h"

#include <QPixmap>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// One of the axes: of numbers, or of words that stand at 0, 1, 2 …
struct ParallelAxis {
    QString title;
    std::function<QString(double value)> text; ///< of a number
    QStringList words;                         ///< of an axis of words
};

/// What crosses the axes, one line each.
struct ParallelLine {
    std::int64_t key = -1;
    std::vector<std::optional<double>> values; ///< by axis; the line has a gap where there is none
    ThemeColor color = &Theme::accent;
    QString tip;
};

/// Many numbers of many things: an axis for each number, a line for each thing. A drag along an axis keeps
/// those lines that cross it there, on all axes that have such a range; a click chooses a line, Ctrl+click
/// more, a click on an axis lets go of its range. By keys: left and right go to another axis, up and down to
/// the next line along it, with Shift the range begins or ends there, Delete lets go of it, 0 of all; Enter
/// and a double click activate.
class ParallelAxes : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    /// `name`: of the chart; `item`: of what a line is, both as exports and screen readers have them.
    ParallelAxes(const QString& name, QString item, QWidget* parent = nullptr);
    void setNothing(const QString& text); ///< said where there is no line
    void setLines(std::vector<ParallelAxis> axes, std::vector<ParallelLine> lines);
    void setChosen(std::set<std::int64_t> keys);
    void chooseFor(const QPoint& menu); ///< the line there, unless it is among those that are chosen
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key
    QSize sizeHint() const override { return {600, 260}; }
    QString toText(QChar separator) const; ///< the lines, cells parted by the separator, with a header
    std::set<std::int64_t> kept() const;   ///< lines that cross all ranges
    bool narrowed() const;                 ///< there is a range

    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override {
        return static_cast<int>(axes_.size() + lines_.size());
    } ///< the axes first
    Part part(int index) const override;
    int partAt(const QPoint& at) const override;
    int focusedPart() const override;

  Q_SIGNALS:
    void chosen(const std::set<std::int64_t>& keys);
    void activated(std::int64_t key);

  protected:
    void paintEvent(QPaintEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    using Range = std::pair<double, double>; ///< shares of an axis, the lower first
    /// What an axis spans.
    struct Scale {
        double from = 0;
        double to = 1;
        bool logarithmic = false;
        double share(double value) const; ///< 0 to 1
    };
    Scale scaleOf(std::size_t axis) const;
    QString textOf(std::size_t axis, double value) const;
    void measure(); ///< the room that titles need, and the axes
    double widthOfAxis() const;
    QRectF plot() const;
    double xOf(std::size_t axis) const;
    double yOf(std::size_t axis, double value) const;
    std::optional<std::size_t> axisAt(const QPointF& at) const;
    const ParallelLine* lineAt(const QPointF& at) const;
    bool keeps(const ParallelLine& line) const;
    void paintLine(QPainter& painter, const ParallelLine& line) const;
    const QPixmap& background();
    void paintAxes(QPainter& painter) const;
    void choose(std::set<std::int64_t> keys);
    void narrow(std::size_t axis, std::optional<Range> range);
    void step(int by, bool ranges);

    QString item_;
    QString nothing_;
    std::vector<ParallelAxis> axes_;
    std::vector<Scale> scales_;
    std::vector<std::optional<Range>> ranges_; ///< by axis
    std::vector<ParallelLine> lines_;
    std::set<std::int64_t> chosen_;
    const ParallelLine* hovered_ = nullptr;
    int title_lines_ = 1;                                   ///< of the longest title
    std::size_t focused_ = 0;                               ///< axis that the keys are at
    bool at_line_ = false;                                  ///< or the chosen line of it
    std::optional<std::pair<std::size_t, double>> pressed_; ///< axis and height of a drag
    QPointF pressed_at_;
    QPixmap lines_picture_; ///< all but those that stand out; null: to be painted anew
};

} // namespace tilescope::ui
