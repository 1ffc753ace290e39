// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile/profile.h"
#include "ui/session/view.h"

#include <set>
#include <vector>

class QCheckBox;
class QHBoxLayout;
class QLabel;

namespace tilescope::ui {

class DataTable;
class TileChart;
class TileMap;

/// What the memory view shows of one file and IPU.
struct TileMemory {
    struct Category {
        std::string name;
        std::vector<std::int64_t> always_live;     ///< by tile
        std::vector<std::int64_t> not_always_live; ///< by tile, at its own peak step
    };
    std::vector<Category> categories; ///< largest first
    std::vector<std::int64_t> with_gaps;
    std::int64_t bytes_per_tile = 0;
    /// Bytes by tile of the categories that are not hidden.
    std::vector<std::int64_t> totals(const std::set<std::string>& hidden, bool always_live_only) const;
};
Result<TileMemory> readTileMemory(const profile::Profile& file, std::int64_t ipu);

/// Memory over tiles by category, the map of tiles, and the variables of the tiles that are selected.
class MemoryView : public View {
    Q_OBJECT
  public:
    explicit MemoryView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("memory"); }
    QString title() const override { return tr("Memory"); }
    QString iconName() const override { return QStringLiteral("memory"); }
    void setSources(const Sources& sources) override;
    void setSelection(SelectionModel* selection) override;

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void ask();
    void askVariables();
    void showMemory();
    void rebuildLegend();
    void choose(const std::vector<std::int64_t>& tiles);
    void chooseVariable(std::int64_t variable);
    void follow(const Selection& selection);
    void markVariables(); ///< those of the selected operation or layer

    Sources sources_;
    SelectionModel* selection_ = nullptr;
    TileMemory memory_;
    TileMemory base_;
    std::set<std::string> hidden_;
    TileChart* chart_;
    TileMap* map_;
    DataTable* variables_;
    QLabel* headline_;
    QHBoxLayout* legend_;
    QAction* always_live_only_;
    Selection shown_; ///< its tiles and IPU are those of the variables in the table
    std::vector<profile::VariableRecord> listed_;
};

} // namespace tilescope::ui
