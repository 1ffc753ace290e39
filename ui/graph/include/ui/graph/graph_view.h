// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_canvas.h"
#include "ui/session/view.h"

#include <QTimer>
#include <functional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;

namespace tilescope::ui {

class GraphScaleBar;
class Legend;

/// The recorded operations as a layered drawing, folded by layer.
class GraphView : public View {
    Q_OBJECT
  public:
    explicit GraphView(QWidget* parent = nullptr);
    ~GraphView() override;

    QString id() const override { return QStringLiteral("graph"); }
    QString title() const override { return tr("Graph"); }
    QString iconName() const override { return QStringLiteral("graph"); }
    bool offersDetails() const override { return true; }
    analyse::FigureKinds predicts() const override { return {FigureKind::Compute, FigureKind::Memory}; }
    QJsonObject saveState() const override; ///< which groups are unfolded, what is hidden, the colours
    void restoreState(const QJsonObject& state) override;

    GraphCanvas& canvas() { return *canvas_; }
    QLineEdit& searchField() { return *search_; }
    void unfold(const std::set<QString>& groups); ///< by key; all others are folded
    void unfoldLayers();     ///< a box for each layer and phase: no blocks, no operations
    void unfoldOperations(); ///< everything
    void askToUnfold();      ///< the same, once it was asked whether so much is wanted
    void colorBy(GraphColoring coloring);
    void hidePhases(std::set<profile::Phase> phases); ///< and no others
    /// Writes the drawing as it is folded now; the ending says how: png, svg or dot (the whole graph).
    void exportTo(const QString& path);
    QImage picture() const;

  protected:
    void tellDetails() override;
    void showEvent(QShowEvent* event) override;
    void startOver(bool another) override;
    void refresh() override;
    void basisChosen() override;
    void follow(const Selection& selection) override;

  private:
    void makeActions();
    void makeMenu();
    void showMenu(const QPoint& global); ///< of what is selected
    QWidget* makeChoices();
    void showLegend();
    void ask();
    void askCosts();
    void askBase();
    void showMeasure();
    bool drawn() const;
    void takeFigures(GraphCanvas::Graph graph);
    void layOut(const GraphCanvas::Graph& graph);
    void showScene(GraphCanvas::Graph graph, GraphScene scene);
    void busy(const QString& text); ///< empty: no longer
    void choose(std::size_t index);
    void open(std::size_t index);
    void makeFoldActions();
    void makeLightActions();
    void showAround(int steps);
    void light();                                            ///< tells the canvas what keeps its full colours
    void unfoldGroups(std::size_t from);                     ///< all of this index and above, and no others
    const GraphGroup* unfoldedAround(std::size_t box) const; ///< null: nothing
    void foldAround();                                       ///< what holds the box that is chosen
    bool unfoldAround(std::size_t group);                    ///< whether it was folded into something
    void bringSelection(); ///< unfolds what is selected elsewhere, and goes to it
    void mark(bool bring_into_view);
    void search(const QString& text);
    void showHits();
    void goToHit(std::ptrdiff_t index);
    void frameSelection();
    void exportDialog();

    GraphCanvas* canvas_;
    QLineEdit* search_;
    QLabel* found_;
    QLabel* measure_; ///< what the figures in the boxes are
    QLabel* busy_text_;
    QProgressBar* busy_bar_;
    QTimer busy_timer_;
    GraphCanvas::Graph graph_;
    std::shared_ptr<const GraphBaseline> base_;
    Legend* phases_ = nullptr;
    Legend* changes_ = nullptr;
    GraphScaleBar* scale_ = nullptr;
    QCheckBox* only_changes_ = nullptr; ///< are in full colours, of a difference
    int around_ = 0;                    ///< lines from what is chosen that are in full colours; 0: all
    QComboBox* coloring_ = nullptr;
    std::vector<std::pair<profile::Phase, QAction*>> phase_actions_; ///< checked: shown
    GraphChoice choice_;
    std::shared_ptr<CancelToken> layout_cancel_;
    std::size_t focus_group_ = GraphScene::no_box; ///< chosen in this view, where no operation is selected
    std::size_t focus_node_ = GraphScene::no_box;  ///< chosen here; parameters are in no other view
    bool fits_next_ = false;                       ///< the next drawing is shown as a whole
    bool reveal_when_shown_ = false;
    bool choosing_ = false;         ///< the change of the selection is this view's own
    std::vector<std::size_t> hits_; ///< nodes
    std::ptrdiff_t hit_ = -1;
};

} // namespace tilescope::ui
