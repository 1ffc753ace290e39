// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QStringList>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

class QAction;

namespace tilescope::ui {

/// How many there are of each of some classes that lie side by side, as bars. A click, or the arrow keys,
/// choose a class that is not empty; Enter and a double click lead on.
class ClassBars : public QWidget {
    Q_OBJECT
  public:
    struct Classes {
        std::vector<std::int64_t> counts;
        QStringList texts; ///< of each: "312 tiles take 1,204 to 1,271 cycles"
        QStringList edges; ///< one more: where each begins, and the last ends
        QString heading;   ///< while none is chosen
        QString leads;     ///< behind the text of one that is: "; Enter shows them in Memory"
    };
    explicit ClassBars(QColor Theme::*color, QWidget* parent = nullptr);
    /// None is chosen then. Without counts `why` stands in their place.
    void setClasses(Classes classes, const QString& why = {});
    std::optional<std::size_t> chosenClass() const { return chosen_; }
    QSize sizeHint() const override;
    /// The text of the class under a point; empty: none is there.
    QString textAt(const QPoint& at) const;

  Q_SIGNALS:
    void classChosen(std::size_t index);
    void classActivated(std::size_t index);

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

  private:
    QRectF plot() const;
    double edgeAt(std::size_t index) const; ///< its place in the plot
    std::optional<std::size_t> classAt(const QPoint& at) const;
    void choose(std::size_t index);
    QAction* copyAt(const QKeyEvent& event) const; ///< null: the key is another
    void paintEdges(QPainter& painter) const;
    QColor Theme::*color_;
    Classes classes_;
    QString why_;
    std::optional<std::size_t> chosen_;
};

} // namespace tilescope::ui
