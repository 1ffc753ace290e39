// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"

#include <QWidget>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace tilescope::ui {

class AnswerBars;
class LineChart;
class ScatterPlot;
class TileMap;
struct AnswerTiles;

/// The numbers of an answer as lines, bars, points or, where it tells tiles, on the floor plan. Of what there
/// is to draw, the floor plan is shown at first, else bars where the first column names what the rows are
/// about, else lines.
class AnswerChart : public QWidget {
    Q_OBJECT
  public:
    enum class Kind { Lines, Bars, Scatter, Tiles };
    static constexpr std::size_t most_bars = 1000;
    explicit AnswerChart(QWidget* parent = nullptr);
    ~AnswerChart() override;
    /// Of the file that is asked; 0: not known.
    void setTilesPerIpu(std::int64_t tiles) { tiles_per_ipu_ = tiles; }
    /// `base`: the answer of that file with the same columns; null: there is none.
    void setAnswer(const profile::QueryResult& answer, const profile::QueryResult* base);
    Kind kind() const;
    std::optional<std::int64_t> chosenRow() const; ///< of the answer, by a bar, a point or a tile
    QString chosenName() const;                    ///< of it; "": none is chosen
    /// Calls `show` whenever a menu is asked for in one of the pictures, once what is there is chosen.
    void offerMenus(const std::function<void(QWidget& picture, const QPoint& global)>& show);

  Q_SIGNALS:
    void rowChosen(qint64 row); ///< of the answer
    void rowActivated(qint64 row);

  private:
    void fill(QComboBox* box, std::size_t usual);
    void draw();
    void drawLines();
    void drawBars();
    void drawScatter();
    void drawTiles();
    void chooseTiles(const std::vector<std::int64_t>& tiles);
    std::optional<std::int64_t> rowOfTile() const; ///< of the one that is chosen
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
    TileMap* map_;
    std::int64_t tiles_per_ipu_ = 0;
    std::unique_ptr<AnswerTiles> tiles_;     ///< that are drawn
    std::vector<std::int64_t> chosen_tiles_; ///< of them
    std::optional<std::int64_t> chosen_row_;
    QLabel* none_;
};

} // namespace tilescope::ui
