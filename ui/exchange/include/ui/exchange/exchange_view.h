// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

/// One exchange: what each tile receives and sends, over tiles and on the floor plan; and the list of all
/// exchanges, and the rounds of an all-reduce.
class ExchangeView : public View {
    Q_OBJECT
  public:
    explicit ExchangeView(QWidget* parent = nullptr);
    QString id() const override { return QStringLiteral("exchange"); }
    QString title() const override { return tr("Exchange"); }
    QString iconName() const override { return QStringLiteral("exchange"); }

    struct Listed {
        analyse::ExchangeList list;
        std::vector<std::int64_t> ipus;
    };

  protected:
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    QWidget* makeHead();
    void makeActions();
    void askList();
    void askTraffic();
    void showList();
    void showTraffic();
    void showHeading();
    void showTiles();
    void showRounds();
    void markTiles(const Selection& selection);
    void chooseExchange(std::int64_t id); ///< the user
    void goToBusiest();
    void move(int by); ///< to another exchange of the list
    const analyse::ExchangeRow* row() const;
    std::vector<const analyse::ExchangeRow*> listed() const; ///< of the kind that is wanted

    Listed listed_;
    std::shared_ptr<const analyse::ExchangeTraffic> traffic_;
    std::int64_t exchange_ = -1; ///< that is shown; -1: the first of the list
    std::int64_t ipu_ = -1;      ///< whose exchanges are listed; -1: those of all
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_;
    QComboBox* ipus_;
    QComboBox* kind_;
    QComboBox* shade_;
    TileChart* chart_;
    TileMap* map_;
    QTabWidget* tabs_;
    DataTable* exchanges_;
    DataTable* tiles_;
    DataTable* rounds_;
};

} // namespace tilescope::ui
