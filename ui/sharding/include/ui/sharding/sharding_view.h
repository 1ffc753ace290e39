// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/subject_menu.h"
#include "ui/session/view.h"
#include "ui/sharding/system_map.h"

#include <optional>

class QLabel;
class QTabWidget;

namespace tilescope::ui {

class PageStack;
class ThemedLabel;

class DataTable;
class FigureStrip;
class Legend;
class SystemCanvas;

/// The IPUs of a run: which layers each runs, how full and how busy it is, and what goes over the links.
class ShardingView : public View {
    Q_OBJECT
  public:
    explicit ShardingView(QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("sharding"); }
    QString title() const override { return tr("Sharding"); }
    QString iconName() const override { return QStringLiteral("sharding"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute, FigureKind::Memory}; }

    SystemCanvas& canvas() { return *canvas_; }
    DataTable& links() { return *links_; }
    DataTable& layers() { return *layers_; }

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    QWidget* makePage();
    void makeActions();
    void showMap();
    void showHeading();
    void showLinks();
    void showReplicas();
    void showLayers();
    void chooseLayer(std::int64_t id);
    PictureSubject subject() const; ///< of the boxes' menu
    void chooseIpu(std::int64_t ipu);
    void chooseLink(std::int64_t link);
    void showLink();

    struct Read {
        SystemMap map;
        analyse::Parts parts;
    };
    struct Base {
        std::shared_ptr<const SystemMap> map;
        analyse::Matching matching;
        std::vector<analyse::MovedLayer> moved;
    };
    static Result<Read> read(const profile::Profile& file, const SystemMap::Per& per);
    void askMap(const SystemMap::Per& per);
    void askBase(const analyse::Parts& now);

    SystemMap map_;
    std::optional<Base> base_;
    std::int64_t link_ = -1; ///< chosen: index in shown(); -1: none
    QAction* compact_ = nullptr;
    PageStack* pages_ = nullptr;
    ThemedLabel* heading_ = nullptr;
    FigureStrip* figures_ = nullptr;
    Legend* legend_ = nullptr;
    SystemCanvas* canvas_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    DataTable* layers_ = nullptr; ///< of the selected IPU
    DataTable* links_ = nullptr;
    DataTable* replicas_ = nullptr;
    QLabel* note_ = nullptr; ///< in place of the table, where there are no links
};

} // namespace tilescope::ui
