// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/tile_memory.h"
#include "profile/profile.h"
#include "ui/session/view.h"

#include <optional>
#include <set>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;

namespace tilescope::ui {

class DataTable;
class ThemedLabel;
class TileChart;
class TileMap;

/// What the memory view shows of one file: the tiles of one IPU, or of all one after the other.
struct TileMemory {
    struct Category {
        std::string name;
        std::vector<std::int64_t> always_live;     ///< by tile
        std::vector<std::int64_t> not_always_live; ///< by tile, at its own peak step
    };
    std::vector<Category> categories; ///< data, what vertices need, code; as memoryCategories()
    std::vector<std::int64_t> with_gaps;
    std::vector<std::int64_t> ipus; ///< whose tiles these are, in order
    std::int64_t run_ipus = 1;
    std::int64_t tiles_per_ipu = 0;
    std::int64_t bytes_per_tile = 0;
    std::optional<analyse::FullestTile> fullest; ///< of the run, with gaps; none: nothing was laid out
    std::int64_t fullest_live = 0;               ///< the most that is live on it at once
    /// Bytes by tile of the categories that are not hidden.
    std::vector<std::int64_t> totals(const std::set<std::string>& hidden, bool always_live_only) const;
};
inline constexpr std::int64_t all_ipus = -1;
Result<TileMemory> readTileMemory(const profile::Profile& file, std::int64_t ipu);

/// Memory over tiles by category, the map of tiles, and the variables of the tiles that are selected.
class MemoryView : public View {
    Q_OBJECT
  public:
    explicit MemoryView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("memory"); }
    QString title() const override { return tr("Memory"); }
    QString iconName() const override { return QStringLiteral("memory"); }

  protected:
    void changeEvent(QEvent* event) override;
    void startOver(bool another) override;
    void refresh() override;
    void follow(const Selection& selection) override;

  private:
    QWidget* makeBar();
    void makeActions();
    void askVariables();
    void showMemory();
    void showHeadline();
    void showVariables(const struct ListedVariables& found);
    void rebuildLegend();
    void fillIpus();
    void chooseIpu(std::int64_t ipu);
    void choose(const std::vector<std::int64_t>& tiles); ///< numbered through what is shown
    void select(std::int64_t ipu, const std::vector<std::int64_t>& tiles);
    void chooseTyped();
    void goToFullest();
    void chooseVariable(std::int64_t variable);
    void markTiles();     ///< those of the selection, in chart and map
    void markVariables(); ///< those of the selected operation or layer

    TileMemory memory_;
    TileMemory base_;
    std::set<std::string> hidden_;
    std::int64_t ipu_ = all_ipus; ///< that is shown
    QComboBox* ipus_;
    QLineEdit* tiles_;
    QLabel* wrong_; ///< what is wrong with the tiles that were typed
    TileChart* chart_;
    TileMap* map_;
    DataTable* variables_;
    QLabel* headline_;
    QWidget* legend_;
    QAction* always_live_only_;
    QAction* ever_;   ///< lists variables that are not live at the peak, too
    Selection shown_; ///< its tiles and IPU are those of the variables in the table
    std::vector<profile::VariableRecord> listed_;
};

} // namespace tilescope::ui
