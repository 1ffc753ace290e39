// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/graph/graph_coloring.h"
#include "ui/theme/theme.h"

#include <QFont>
#include <QImage>
#include <QObject>
#include <functional>
#include <memory>

class QPainter;

namespace tilescope::ui {

/// A picture of what is in view of a drawing, and of some more around it, painted beside the window's thread.
/// Where thousands of boxes are in view, panning and zooming move and stretch it until the next one is there;
/// what it does not reach stands as plain boxes.
class GraphBackdrop : public QObject {
    Q_OBJECT
  public:
    /// All that a picture shows.
    struct Content {
        std::shared_ptr<const OperationGraph> graph;
        std::shared_ptr<const GraphScene> scene;
        std::shared_ptr<const GraphBaseline> base;
        bool difference = false;
        GraphScale shades;
        std::set<std::size_t> hits;
        Theme theme;
        QFont font;
        double ratio = 1; ///< pixels of the device for one of the window
    };
    using Ask = std::function<Content()>;
    GraphBackdrop(Ask content, QObject* parent);

    void forget();                     ///< another drawing or theme: nothing of the picture holds
    void renew() { outdated_ = true; } ///< another detail: the picture holds until the next one is there
    /// In pixels of the window, whose upper left corner shows `visible.topLeft()`; asks for the next picture
    /// where this one does not hold.
    void paint(QPainter& painter, const QRectF& visible, double scale);

  Q_SIGNALS:
    void arrived();

  private:
    bool holds(const QRectF& visible, double scale) const; ///< sharp, and all that is in view
    void ask(const QRectF& visible, double scale);

    Ask content_;
    QImage picture_;
    QRectF area_; ///< that the picture shows
    double scale_ = 0;
    bool outdated_ = false;
    bool asked_ = false; ///< one at a time
    int round_ = 0;      ///< of pictures: those of an earlier one are forgotten
};

} // namespace tilescope::ui
