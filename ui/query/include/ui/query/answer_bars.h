// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// A number of each row of an answer as a bar beside its name; where there is a base, what that has beneath
/// it, paler. A click, arrows, Home and End choose a row, Enter and a double click activate it.
class AnswerBars : public QWidget {
    Q_OBJECT
  public:
    struct Bar {
        std::int64_t row = -1; ///< of the answer
        QString name;
        std::optional<double> value; ///< nullopt: it has none
        std::optional<double> base = {};
    };
    explicit AnswerBars(QWidget* parent = nullptr);
    void setBars(const QString& of, std::vector<Bar> bars, bool with_base);
    const std::vector<Bar>& bars() const { return bars_; }
    QRect barOf(std::size_t bar) const; ///< of its own value
    QString toText(QChar separator) const;
    QSize sizeHint() const override;

    void chooseFor(const QPoint& menu); ///< the bar there
    QPoint cursorPlace() const;         ///< where a menu of what is chosen opens by key

  Q_SIGNALS:
    void chosen(qint64 row);
    void activated(qint64 row);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int rowHeight() const;
    void measure();
    double place(double value) const; ///< pixels from the left
    QRect lineOf(double from, double to, int row, bool base) const;
    void choose(std::ptrdiff_t bar);

    QString of_;
    std::vector<Bar> bars_;
    bool with_base_ = false;
    std::ptrdiff_t current_ = -1;
    double least_ = 0, most_ = 1; ///< of the scale, which has 0 in it
    int names_ = 0, numbers_ = 0; ///< pixels
};

} // namespace tilescope::ui
