// SPDX-License-Identifier: GPL-3.0-or-later
// What a user does while another graph is being laid out.
#include "tests/ui/view_test_support.h"
#include "ui/graph/graph_view.h"

#include <QSemaphore>

namespace tilescope::ui {
namespace {

/// Keeps the thread of a file from answering anything until it is let go.
class Held : public QObject {
  public:
    explicit Held(ProfileSource& source) {
        source.ask<bool>(
            this, QStringLiteral("held"),
            [gate = gate_](const profile::Profile&) -> Result<bool> {
                gate->acquire();
                return true;
            },
            [](const Result<bool>&) {});
    }
    ~Held() override { letGo(); }
    void letGo() { gate_->release(); }

  private:
    std::shared_ptr<QSemaphore> gate_ = std::make_shared<QSemaphore>();
};

TEST(WaitingGraph, AClickOnWhatIsStillDrawnKeepsWhatIsSelected) {
    tests::ShownView<GraphView> shown;
    const tests::TemporaryFolder folder;
    ASSERT_TRUE(tests::record_fixture(folder / "base.tilescope", {64, 3, 1, 1, 1}));
    const auto base = ProfileSource::open(QString::fromStdString(folder / "base.tilescope"));
    GraphCanvas& canvas = shown.view.canvas();
    const auto click = [&](std::int64_t layer) {
        for (const GraphBox& box : canvas.scene().boxes)
            if (box.kind == GraphBox::Kind::Group && canvas.graph()->groups[box.index].layer == layer)
                return QTest::mouseClick(&canvas, Qt::LeftButton, {},
                                         canvas.toWidget(box.rect.center()).toPoint());
        ADD_FAILURE() << "no box of layer " << layer;
    };
    const auto selected = [&] { return shown.selection.current().layer; };
    click(0);
    ASSERT_EQ(selected(), 0);
    const std::size_t before = canvas.scene().boxes.size();

    Held of_base(*base);
    shown.view.setSources({shown.source, base, true});
    ASSERT_TRUE(QTest::qWaitFor([&] { return shown.source->pending() == 0; }, 20000));
    Held of_layout(*shown.source);
    of_base.letGo();
    ASSERT_TRUE(QTest::qWaitFor([&] { return base->pending() == 0; }, 20000)); // and is asked for the layout
    ASSERT_EQ(canvas.scene().boxes.size(), before) << "that of both is not there yet";
    click(1);
    EXPECT_EQ(selected(), 0);
    of_layout.letGo();
    ASSERT_TRUE(QTest::qWaitFor([&] { return canvas.scene().boxes.size() > before; }, 20000));
    EXPECT_EQ(selected(), 0);
    shown.settle();
    click(1);
    EXPECT_EQ(selected(), 1) << "now it is chosen";
    shown.view.setSources({});
}

} // namespace
} // namespace tilescope::ui
