// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/operation_details.h"
#include "analyse/plan_choice.h"

#include <QColor>
#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

namespace tilescope::ui {

struct Theme;

/// The plans of an operation as bars of their items on one scale, the chosen one first; beneath it what the
/// program that was made of it takes.
class PlanBars : public QWidget {
    Q_OBJECT
  public:
    explicit PlanBars(QWidget* parent = nullptr);
    void setPlans(const std::vector<analyse::PlanChoice>& plans,
                  const std::optional<profile::PhaseCycles>& emitted, double clock_hz);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    QString textAt(const QPoint& at) const; ///< of the piece of a bar that is there; "": none is
    QString toText(QChar separator) const;

  protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

  private:
    struct Piece {
        QString name;
        std::int64_t cycles = 0;
        analyse::TimeKind kind = analyse::TimeKind::Compute;
        int shade = 0; ///< of several of the kind
    };
    struct Bar {
        QString name;
        bool chosen = false;
        std::vector<Piece> pieces;
        std::int64_t cycles = 0;
    };
    void addBar(const QString& name, bool chosen, const std::vector<analyse::PlanChoice::Item>& items,
                std::int64_t cycles);
    int rowHeight() const;
    QRectF barRect(std::size_t row) const; ///< that of the longest
    QRectF pieceRect(std::size_t row, std::size_t piece) const;
    static QColor colorOf(const Piece& piece, const Theme& theme);
    std::vector<Bar> bars_;
    std::int64_t most_ = 0;
    double clock_hz_ = 0;
};

} // namespace tilescope::ui
