// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/bridge.h"
#include "ui/widgets/painted_parts.h"

#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

namespace tilescope::ui {

/// The time of the base, what is added to it and taken from it, and the time of the new run, one under the
/// other: each part begins where the one above it ends. A click chooses one, Up and Down go from one to the
/// next; what is there is told.
class BridgeChart : public QWidget, public PaintedParts {
    Q_OBJECT
  public:
    explicit BridgeChart(QWidget* parent = nullptr);
    /// `base`, `now`: the files. nullopt: there is nothing to show, and `why` says why.
    void setBridge(const std::optional<analyse::TimeBridge>& bridge, const QString& base, const QString& now,
                   const QString& why);
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;        ///< bars as high as they get
    QString toText(QChar separator) const;  ///< a line for each row, times in microseconds
    QString textAt(const QPoint& at) const; ///< the row under a point, with the layers that make most of it
    QString chosenName() const;             ///< of the row; "": none is chosen
    const analyse::BridgePart* chosenPart() const; ///< null: none is chosen, or the whole of a file
    QString chosenLayer() const;                   ///< the one that makes most of it; "": it is of none
    void chooseFor(const QPoint& menu);            ///< the row there
    QPoint cursorPlace() const;                    ///< where a menu of the row opens by key

    QAccessible::Role wholeRole() const override { return QAccessible::List; }
    int partCount() const override { return bridge_ ? bars() : 0; }
    Part part(int index) const override;
    int focusedPart() const override { return hasFocus() && chosen_ ? static_cast<int>(*chosen_) : -1; }

  Q_SIGNALS:
    void layerChosen(const QString& name); ///< the one that makes most of a part that was chosen
    void partChosen();                     ///< or the whole of a file; after the layer
    void layerActivated();                 ///< Enter, where the part has one

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    /// A bar from one time to another, in microseconds.
    struct Row {
        QString name;
        double from = 0;
        double to = 0;
        const analyse::BridgePart* part = nullptr; ///< null: the whole of a file
        double us() const { return to - from; }
        QString text() const; ///< "+0.90 ms"; of a whole "9.11 ms"
    };
    std::vector<Row> rows() const;
    static QString textOf(const Row& row);
    int bars() const;
    std::pair<double, double> ends() const; ///< of the scale, in microseconds
    QRectF rowAt(std::size_t row, std::size_t count) const;
    std::optional<std::size_t> rowUnder(const QPointF& at) const;
    void choose(std::size_t row);

    std::optional<analyse::TimeBridge> bridge_;
    QString base_, now_, why_;
    std::optional<std::size_t> chosen_; ///< row that the keys are at
};

} // namespace tilescope::ui
