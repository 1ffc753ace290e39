// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/subject_menu.h"
#include "ui/session/view.h"
#include "ui/sharding/system_map.h"

#include <optional>

class QComboBox;
class QLabel;
class QSplitter;
class QTabWidget;

namespace tilescope::ui {

class PageStack;
class ThemedLabel;

class DataTable;
class FigureStrip;
class Legend;
class LinkMatrix;
class SystemCanvas;

/// The IPUs of a run: which layers each runs, how full and how busy it is, and what goes over the links, as
/// boxes with arrows and as a matrix: one beside the other where there is room, else the one that is chosen.
class ShardingView : public View {
    Q_OBJECT
  public:
    explicit ShardingView(QWidget* parent = nullptr);

    QString id() const override { return QStringLiteral("sharding"); }
    QString title() const override { return tr("Sharding"); }
    QString iconName() const override { return QStringLiteral("sharding"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute, FigureKind::Memory}; }

    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

    SystemCanvas& canvas() { return *canvas_; }
    LinkMatrix& matrix() { return *matrix_; }
    DataTable& links() { return *links_; }
    DataTable& layers() { return *layers_; }

  protected:
    void tellDetails() override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makePage();
    QWidget* makePictures();
    void leanTowardsTable();
    bool hasMatrix() const; ///< something goes from IPU to IPU
    bool showsBoth() const; ///< the matrix beside the boxes
    void arrangePictures();
    void choosePicture(bool matrix);
    void showMatrix();
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
    QComboBox* picture_ = nullptr; ///< links or matrix
    QSplitter* pictures_ = nullptr;
    SystemCanvas* canvas_ = nullptr;
    LinkMatrix* matrix_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    DataTable* layers_ = nullptr; ///< of the selected IPU
    DataTable* links_ = nullptr;
    DataTable* replicas_ = nullptr;
    QLabel* note_ = nullptr; ///< in place of the table, where there are no links
    bool lone_ = false;      ///< one IPU is shown
};

} // namespace tilescope::ui
