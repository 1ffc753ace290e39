// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/memory_parts.h"
#include "ui/session/chosen_ipu.h"
#include "ui/session/view.h"
#include "ui/theme/theme.h"
#include "ui/widgets/legend.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

class QLabel;

namespace tilescope::ui {

class MemoryBar;
class PageStack;
class TileChart;
struct TileSeries;
class TileMap;
class TileTabs;

/// Memory over tiles in parts, the floor plan of tiles, and what the tiles that are selected hold and do.
class MemoryView : public View {
    Q_OBJECT
  public:
    explicit MemoryView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("memory"); }
    QString title() const override { return tr("Memory"); }
    QString iconName() const override { return QStringLiteral("memory"); }
    /// Of a part of the chart; `index`: which of the variables it is.
    static ThemeColor colorOf(const analyse::MemoryParts::Part& part, int index);
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Memory}; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    void makeActions();
    QAction* addKey(const QString& text, const QKeySequence& key, const QString& tip,
                    std::function<void()> done);
    void askParts();
    void askTabs();
    void settle();            ///< once the first answer is there
    std::int64_t tablesIpu(); ///< whose tiles the tables are of
    void makeMenu();
    void showMenu(QWidget& picture, const QPoint& global);
    void askStep();
    void askOverlay(); ///< the bytes of the selected variable
    struct Details;
    void tell(const Details& details); ///< of the variable and the tile
    void tellFullest();
    std::optional<std::int64_t> tileOfBase(std::int64_t ipu, std::int64_t tile) const; ///< bytes with gaps
    void showParts();
    void showHeadline();
    void showDifference();
    std::vector<Legend::Entry> legendEntries() const;
    void rebuildLegend();
    QString shownIpus() const;
    void chooseIpu(std::int64_t ipu);                    ///< by the user; -1: all
    void showIpu(std::int64_t ipu);                      ///< that was chosen in another view
    void choose(const std::vector<std::int64_t>& tiles); ///< numbered through what is shown
    void select(std::int64_t ipu, const std::vector<std::int64_t>& tiles); ///< none: lets go of them
    void chooseTyped(const QString& typed);
    void goToFullest(bool of_another_ipu);
    void chooseVariable(std::int64_t variable);
    void drawVariable();     ///< the selected one is a part of the bars, or no longer
    void markTiles();        ///< those of the selection, in chart and map
    bool isByNumber() const; ///< the chart has the tiles of all IPUs by their numbers alone
    std::vector<TileSeries> seriesOf(const analyse::MemoryParts& seen) const;
    void showByNumber(const analyse::MemoryParts& seen);
    void showOverlay();
    void chooseInChart(const std::vector<std::int64_t>& tiles);

    analyse::MemoryParts parts_, base_;
    std::set<std::string> hidden_;
    std::vector<std::int64_t> number_ipus_; ///< whose tiles the chart has by number
    struct {
        std::vector<std::int64_t> bytes; ///< numbered through what is shown
        QString name;
    } overlay_; ///< the variable that is selected
    QAction* by_number_ = nullptr;
    std::int64_t ipu_ = -1;           ///< that is shown; -1: all
    std::int64_t program_ = -1;       ///< program step that is selected
    std::vector<std::int64_t> drawn_; ///< variables that the bars are parted by
    Selection shown_;                 ///< what the tabs and the overlay were asked for
    bool asked_ = false;              ///< the tabs have been
    ChosenIpu chosen_ipu_;
    bool settled_ = false; ///< settle() has been
    PageStack* pages_;
    QLabel* headline_;
    MemoryBar* bar_;
    TileChart* chart_;
    TileMap* map_;
    Legend* legend_;
    /// What the bars are parted by, and before it what colours mean that are of no part, as in a difference.
    struct Key {
        QString name;
        std::function<QColor(const Theme&)> color; ///< empty: nothing is drawn in a colour of its own
        QString tip = {};
        bool is_part = true; ///< can be hidden
    };
    std::vector<Key> keys_;
    TileTabs* tabs_;
    QAction* fold_ = nullptr; ///< variables that are alike
};

} // namespace tilescope::ui
