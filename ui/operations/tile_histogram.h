// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope::ui {

/// How many tiles take how many cycles: twenty classes from 0 to the slowest, with tiles that do nothing
/// apart. A click, or the arrow keys, choose a class; Enter and a double click lead on with its tiles.
class TileHistogram : public QWidget {
    Q_OBJECT
  public:
    explicit TileHistogram(QWidget* parent = nullptr);
    /// cycles[tile]; empty: there is nothing to show, and `why` says why.
    void setCycles(std::vector<std::int64_t> cycles, const QString& why);
    QSize sizeHint() const override;
    /// "312 tiles take 1,204 to 1,271 cycles" of the class under a point; empty: none is there.
    QString textAt(const QPoint& at) const;

  Q_SIGNALS:
    void chosen(const std::vector<std::int64_t>& tiles); ///< of a class
    void activated(const std::vector<std::int64_t>& tiles);

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
    std::optional<std::size_t> classAt(const QPoint& at) const;
    static std::size_t classOf(std::int64_t cycles, std::int64_t slowest);
    void choose(std::size_t index);
    std::vector<std::int64_t> tilesOf(std::size_t index) const;
    QString textOf(std::size_t index) const;
    std::vector<std::int64_t> cycles_; ///< by tile
    std::optional<std::size_t> chosen_;
    std::vector<std::int64_t> classes_; ///< tiles by class
    std::int64_t slowest_ = 0;
    std::int64_t slowest_tile_ = -1;
    std::int64_t idle_ = 0;
    QString why_;
};

} // namespace tilescope::ui
