// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/exchange_difference.h"
#include "analyse/exchange_traffic.h"
#include "ui/session/view.h"

#include <memory>

class QComboBox;
class QTabWidget;

namespace tilescope::ui {

class DataTable;
class PageStack;
class ThemedLabel;
class TileChart;
class TileMap;
class TileMatrix;

/// One exchange: which tile sends to which, what each receives and sends in all, on the floor plan too, and
/// whose bytes these are; the list of all exchanges, the variables that they move, and the rounds of an
/// all-reduce.
class ExchangeView : public View {
    Q_OBJECT
  public:
    explicit ExchangeView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("exchange"); }
    QString title() const override { return tr("Exchange"); }
    QString iconName() const override { return QStringLiteral("exchange"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute}; }

    struct Listed {
        analyse::ExchangeList list;
        std::vector<std::int64_t> ipus;
        std::shared_ptr<const analyse::MovedVariables> moved;
        analyse::Parts parts; ///< whose exchanges these are
    };
    struct Shown {
        analyse::ExchangeTraffic traffic;
        analyse::TileMoves moves;
        std::int64_t of = 1;       ///< exchanges that this is the sum of, per what is shown
        std::int64_t ipus = 1;     ///< that these are of; the tiles are of one of them
        std::int64_t followed = 0; ///< bytes of that sum which are in `moves`
        /// In the difference mode what is shown: with that of the base, where both, or one of them, has it.
        std::optional<analyse::TrafficDifference> difference;
        bool in_base = false, in_now = false; ///< the exchange is, of one in the difference mode
        const analyse::TileMoves& matrix() const { return difference ? difference->moves : moves; }
    };
    using Both = std::shared_ptr<const Shown>;

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    QWidget* makePictures();
    QWidget* makeHead();
    QTabWidget* makeTables();
    void makeActions();
    void nameSubjects();
    void makeMenu();
    void showMenu(QWidget& picture, const QPoint& global);
    void askList();
    void askListed(); ///< once what figures are per is known
    analyse::Basis shownBasis() const;
    void askTraffic();
    void askSum(); ///< of the exchanges that are chosen
    QString sumText() const;
    void askDifference();
    void showDifference();
    bool wantsDifference() const;
    void askTrafficDifference(); ///< of what is chosen
    void headDifference();
    void showMatrixDifference();
    void showTilesDifference(const std::vector<std::int64_t>& values, const QString& what, bool received);
    void listTilesDifference();
    std::vector<std::int64_t> exchangesOf(const std::vector<std::int64_t>& keys) const;
    std::vector<std::int64_t> keys() const;                  ///< of the list, in its order
    std::optional<profile::ExchangeKind> wantedKind() const; ///< nullopt: all
    void showList();
    void showTraffic(const Result<Both>& shown);
    void showHeading();
    void showMatrix();
    void showTiles();
    void showTileTable();
    void fitShade(); ///< to what the tiles do
    void showVariables();
    void showRounds();
    QString listSql() const;
    QString who() const;                                    ///< whose exchanges are listed
    std::vector<std::pair<QString, QString>> facts() const; ///< beside the matrix
    QString boundText() const;                              ///< how long it takes at most
    QString waitText() const;                               ///< how long tiles wait for the slowest
    QString causes() const;                                 ///< whose bytes the exchange moves
    QString detailsOfExchange() const;
    QString detailsOfSum() const;
    QString detailsOfTiles() const;       ///< that are chosen
    std::int64_t ipuOf(bool sends) const; ///< whose tiles send what is shown, or receive it
    void markTiles(const Selection& selection);
    void chooseExchange(std::int64_t id, std::int64_t variable = -1); ///< the user
    void chooseVariable(std::int64_t id);
    void goToBusiest();
    void move(int by); ///< to another exchange of the list
    const analyse::ExchangeRow* row() const;
    std::vector<const analyse::ExchangeRow*> listed() const; ///< of the kind that is wanted

    Listed listed_;
    std::optional<analyse::Loops> loops_of_base_;             ///< where two files are shown
    std::optional<analyse::ExchangeDifferences> differences_; ///< where they are wanted
    double base_clock_hz_ = 0;                                ///< with them
    /// Of what is held against the base. 0, which leaves cycles, where it has another clock.
    double comparedClock() const {
        return base_clock_hz_ == listed_.list.clock_hz ? listed_.list.clock_hz : 0;
    }
    std::vector<std::int64_t> summed_; ///< keys of exchanges that are shown together, ascending; else empty
    Both shown_;
    std::vector<std::int64_t> chosen_; ///< tiles of the IPU of the exchange
    int wanted_shade_ = 0;             ///< what the floor plan shows, where there is any of it
    int picture_ = 0;                  ///< that the user wants at the left, where there is one
    std::int64_t exchange_ = -1;       ///< key of the one that is shown; -1: the first of the list
    bool picked_ = false;              ///< it was chosen; else another list begins with another one
    std::int64_t ipu_ = -1;            ///< whose exchanges are listed; -1: those of all
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_;
    QComboBox* ipus_;
    QComboBox* kind_;
    QComboBox* shade_;
    TileMatrix* matrix_;
    TileChart* chart_;
    TileMap* map_;
    QTabWidget* left_;
    QTabWidget* tabs_;
    DataTable* exchanges_;
    DataTable* variables_;
    bool variables_shown_ = true; ///< its rows are of the list and what is chosen of it
    DataTable* tiles_;
    DataTable* rounds_;
};

} // namespace tilescope::ui
