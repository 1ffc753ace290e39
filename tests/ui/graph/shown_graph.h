// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/ui/view_test_support.h"
#include "ui/graph/graph_view.h"

namespace tilescope::ui {

/// The fixture's layer "dense" has the operations 0 to 5 and "dense_1" 6 to 11: forward matmul and relu,
/// backward relu gradient, input and weight gradient, and the update. Its tensors: the input, two kernels.
struct ShownGraph : tests::ShownView<GraphView> {
    using ShownView::ShownView;
    GraphCanvas& canvas() { return view.canvas(); }

    std::size_t boxOf(const char* group, profile::Phase phase) {
        const GraphScene& scene = canvas().scene();
        for (std::size_t b = 0; b < scene.boxes.size(); ++b) {
            const GraphBox& box = scene.boxes[b];
            const std::size_t g =
                box.kind == GraphBox::Kind::Node ? canvas().graph()->nodes[box.index].group : box.index;
            if (canvas().graph()->groups[g].name == QLatin1String(group) &&
                canvas().graph()->groups[g].phase == phase)
                return b;
        }
        return GraphScene::no_box;
    }
    /// To a base of more operations.
    void showDifference(const std::shared_ptr<ProfileSource>& base) {
        const std::size_t before = canvas().scene().boxes.size();
        view.setSources({source, base, true});
        ASSERT_TRUE(QTest::qWaitFor([&] { return canvas().scene().boxes.size() > before; }, 20000));
        settle();
    }
    QPoint at(std::size_t box) {
        return canvas().toWidget(canvas().scene().boxes[box].rect.center()).toPoint();
    }
    QColor colorAt(std::size_t box, QPointF corner) { ///< just inside the border
        const QRectF rect = canvas().scene().boxes[box].rect;
        const QPointF p = canvas().toWidget(rect.topLeft() +
                                            QPointF(rect.width() * corner.x(), rect.height() * corner.y()));
        return canvas().grab().toImage().pixelColor(p.toPoint());
    }
};

} // namespace tilescope::ui
