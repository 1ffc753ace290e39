// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace tilescope::ui {

class AnswerBars;
class LineChart;
class ScatterPlot;

/// The numbers of an answer as lines, bars or points. Where the first column names what the rows are about,
/// bars are shown at first, else lines.
class AnswerChart : public QWidget {
    Q_OBJECT
  public:
    enum class Kind { Lines, Bars, Scatter };
    static constexpr std::size_t most_bars = 1000;
    explicit AnswerChart(QWidget* parent = nullptr);
    /// `base`: the answer of that file with the same columns; null: there is none.
    void setAnswer(const profile::QueryResult& answer, const profile::QueryResult* base);
    Kind kind() const;

  Q_SIGNALS:
    void rowChosen(qint64 row); ///< of the answer
    void rowActivated(qint64 row);

  private:
    void fill(QComboBox* box, std::size_t usual);
    void draw();
    void drawLines();
    void drawBars();
    void drawScatter();
    std::size_t columnOf(const QComboBox* box) const;

    profile::QueryResult answer_;
    std::optional<profile::QueryResult> base_;
    std::vector<std::size_t> numbers_; ///< columns of numbers
    std::optional<Kind> wanted_;       ///< by the reader
    QComboBox* kind_;
    QComboBox* up_;
    QComboBox* across_;
    QLabel *up_label_, *across_label_, *told_;
    QStackedWidget* pages_;
    LineChart* lines_;
    AnswerBars* bars_;
    ScatterPlot* scatter_;
    QLabel* none_;
};

} // namespace tilescope::ui
