// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/comparison.h"
#include "analyse/matching.h"
#include "analyse/memory_parts.h"
#include "ui/session/view.h"
#include "ui/widgets/data_table.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

class QComboBox;
class QLayout;
class QLabel;
class QStackedWidget;
class QTabWidget;

namespace tilescope::ui {

class BaseOffers;
class BridgeChart;
class JoiningSplit;
class MatchPanel;
class TileChart;

/// Two or more files side by side, a column for each, the base first: figures, and the cycles and bytes of
/// layers and operations, of all IPUs or of the one that is selected; memory over tiles of the base and the
/// file in front.
class CompareView : public View {
    Q_OBJECT
  public:
    explicit CompareView(QWidget* parent = nullptr);
    bool comparesAlways() const override { return true; }
    QString id() const override { return QStringLiteral("compare"); }
    QString title() const override { return tr("Compare"); }
    QString iconName() const override { return QStringLiteral("compare"); }
    bool offersDetails() const override { return sources().base != nullptr; }
    /// What the file may be compared with while there is no base: files that are open, and what was compared
    /// before.
    void offer(const QStringList& open, const QList<QStringList>& comparisons);
    analyse::FigureKinds predicts() const override {
        return {FigureKind::Host, FigureKind::Compute, FigureKind::Memory};
    }

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    /// Bytes over the tiles of one IPU.
    struct Tiles {
        std::int64_t ipu = 0;
        analyse::MemoryParts memory;
    };
    /// A comparison, and the ids of the new file behind its names.
    struct Compared {
        std::vector<analyse::Comparison> runs; ///< of every file but the base, with the base
        std::map<std::string, std::int64_t> layers;
        std::map<std::string, std::int64_t> operations;
        std::map<std::int64_t, std::int64_t> layer_of_operation;
        std::vector<std::int64_t> ipus;
        Tiles tiles, base_tiles;
        std::vector<analyse::MatchedPart> matches; ///< of the base and the file in front
        std::vector<TableRow> layer_rows, operation_rows, cause_rows, plan_rows;
        double clock_hz; ///< of both files; 0: they have unlike ones
    };
    /// What is compared, and per what.
    struct Question {
        std::vector<std::string> paths; ///< the base first; another thread opens them
        QStringList names;              ///< of the others
        std::size_t front = 0;          ///< which of them is the one in front
        std::int64_t ipu = analyse::every_ipu;
        std::optional<analyse::Basis> basis;
        std::vector<analyse::HandMatches> by_hand; ///< by file after the base
        bool operator==(const Question&) const = default;
    };
    static Result<Compared> read(const profile::Profile& now, const Question& question);
    static Result<Tiles> readTiles(const profile::Profile& file, std::int64_t ipu);
    void makeHeads();
    void offerPlaces();
    void makeBase(int file); ///< of those that are compared
    void showComparison(Compared compared);
    Question question() const;
    void goToCause(std::int64_t layer);
    void choosePart(const analyse::HandMatch& names);
    void showIpus(const std::vector<std::int64_t>& ipus);
    void showBridge(const analyse::Comparison& comparison);
    void fitBridge();
    void showParts(Compared& compared, const QString& scope);
    QWidget* makeBridge();
    void makeParts();
    void showMemory(const Tiles& now, const Tiles& base);
    QString detailsOf(const analyse::CostDifference& cost, std::int64_t operation, std::int64_t layer) const;
    QString detailsOf(const analyse::BridgePart& part) const;
    QString detailsOfAll() const;
    QWidget* makeOffers();
    void choose(std::int64_t operation, std::int64_t layer);
    void chooseOperation(std::int64_t operation);
    void chooseIpu(std::int64_t ipu); ///< by the user
    void showIpu(std::int64_t ipu);

    BaseOffers* offers_ = nullptr; ///< while there is no base
    QStringList paths_, names_;    ///< of what is compared, the base first
    std::size_t front_ = 0;        ///< which of the others is the one in front
    /// The heads that are there are of: paths, names, front.
    std::tuple<QStringList, QStringList, std::size_t> headed_;
    std::optional<analyse::Comparison> told_; ///< of the file in front, for the panel at the side
    double clock_hz_ = 0;                     ///< of all files; 0: they have unlike ones
    /// Operation and layer that were selected when a part of the bridge was chosen: it is told of until
    /// others are.
    std::optional<std::pair<std::int64_t, std::int64_t>> bridge_at_;
    std::int64_t ipu_ = analyse::every_ipu;          ///< that is compared
    std::int64_t followed_ipu_ = analyse::every_ipu; ///< of the selection, when it was looked at last
    std::int64_t tiles_ipu_ = 0;                     ///< whose tiles the chart shows, of the new file
    bool busy_ = false;                              ///< a comparison is under way
    bool stale_ = false; ///< and a file has grown, or another IPU was chosen, since
    std::map<std::string, std::int64_t> layer_ids_, operation_ids_; ///< of the file in front
    std::map<std::int64_t, std::int64_t> layer_of_operation_;
    QStackedWidget* stack_;
    QLayout* heads_;
    QLabel* answer_; ///< what changed most, in a sentence or two for each file
    QLabel* differences_;
    DataTable* headline_;
    DataTable* causes_;
    DataTable* layers_;
    DataTable* operations_;
    DataTable* plans_;
    DataTable* settings_;
    MatchPanel* matches_;
    BridgeChart* bridge_;
    QLabel* bridge_title_;
    QWidget* upper_; ///< of the bridge
    JoiningSplit* split_;
    QTabWidget* tabs_; ///< causes, figures and what else was compared
    QComboBox* ipus_;
    QLabel* matched_; ///< of how many parts it is known which they are in the other file
    QLabel* memory_title_;
    TileChart* chart_;
};

} // namespace tilescope::ui
