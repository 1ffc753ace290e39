// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/system_fixture.h"
#include "tests/ui/view_test_support.h"
#include "ui/sharding/link_matrix.h"
#include "ui/sharding/sharding_view.h"
#include "ui/sharding/system_canvas.h"
#include "ui/widgets/legend.h"

#include <QComboBox>
#include <QSignalSpy>
#include <gtest/gtest.h>

namespace tilescope::ui {
namespace {

/// Two replicas of two shards, IPUs 0 and 1, 2 and 3. Each copies 1,000 bytes to the other of its replica,
/// and 4,096 go to the same of the other replica.
struct WithMatrix : tests::ShownView<ShardingView> {
    explicit WithMatrix(QSize window = {1200, 900}, const tests::SystemFixture& system = {2, 2, true})
        : ShownView([&](const std::string& path) { return tests::record_system(path, system); }, window) {
        view.activateWindow();
    }
    LinkMatrix& matrix() { return view.matrix(); }
    QComboBox& choice() { return *view.findChild<QComboBox*>(QStringLiteral("shardingPicture")); }
    void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    QString told() { return matrix().accessibleDescription(); }
};

} // namespace

TEST(LinkMatrix, HasWhatEachIpuSendsToEachOther) {
    WithMatrix shown;
    EXPECT_EQ(shown.matrix().toText(QLatin1Char(',')),
              QStringLiteral("from_ipu,to_ipu,bytes,copied_bytes,collective_bytes\n"
                             "0,1,1000,1000,0\n0,2,4096,0,4096\n1,0,1000,1000,0\n1,3,4096,0,4096\n"
                             "2,0,4096,0,4096\n2,3,1000,1000,0\n3,1,4096,0,4096\n3,2,1000,1000,0\n"));
    EXPECT_EQ(shown.matrix().accessibleName(),
              QStringLiteral("From IPU (rows) to IPU, bytes per weight update"));
}

TEST(LinkMatrix, StandsInThePlaceOfTheBoxesOrBesideThem) {
    WithMatrix shown;
    EXPECT_FALSE(shown.matrix().isVisible());
    EXPECT_EQ(shown.choice().currentText(), QStringLiteral("links"));
    shown.view.canvas().setFocus();
    shown.press(Qt::Key_M);
    EXPECT_TRUE(shown.matrix().isVisible());
    EXPECT_TRUE(shown.matrix().hasFocus());
    EXPECT_FALSE(shown.view.canvas().isVisible());
    const QJsonObject state = shown.view.saveState();
    shown.press(Qt::Key_M);
    EXPECT_TRUE(shown.view.canvas().hasFocus());
    EXPECT_FALSE(shown.matrix().isVisible());
    shown.view.restoreState(state);
    EXPECT_TRUE(shown.matrix().isVisible());
    shown.view.resize(2400, 900);
    shown.settle();
    EXPECT_TRUE(shown.matrix().isVisible());
    EXPECT_TRUE(shown.view.canvas().isVisible());
    EXPECT_FALSE(shown.choice().isVisible()) << "there is nothing to choose";
    shown.view.canvas().setFocus();
    shown.press(Qt::Key_M);
    EXPECT_TRUE(shown.matrix().hasFocus());
    shown.press(Qt::Key_M);
    EXPECT_TRUE(shown.view.canvas().hasFocus());
}

TEST(LinkMatrix, ACellIsTheArrowAndLeadsWhereThatDoes) {
    WithMatrix shown({2400, 900});
    const auto& links = shown.view.canvas().map().traffic.links;
    shown.matrix().setFocus();
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right}) // from nowhere to 0 → 0, and on
        shown.press(key);
    EXPECT_EQ(shown.told(),
              QStringLiteral("IPU 0 → IPU 1: 1,000 B\ncopies 1,000 B, 100 ns, 10.0 % of the time"));
    const std::size_t arrow = shown.view.canvas().marks().arrow;
    ASSERT_LT(arrow, links.size());
    EXPECT_EQ(links[arrow].ipu, 0);
    EXPECT_EQ(links[arrow].peer, 1);
    shown.press(Qt::Key_Right);
    EXPECT_EQ(shown.told(),
              QStringLiteral("IPU 0 → IPU 2: 4 KiB\ncollectives 4 KiB, 70 ns, 7.0 % of the time"));
    const QSignalSpy went(&shown.view, &View::viewRequested);
    shown.press(Qt::Key_Return);
    shown.settle();
    ASSERT_EQ(went.size(), 1);
    EXPECT_EQ(went[0][0].toString(), QStringLiteral("exchange"));
    QTest::mouseClick(&shown.matrix(), Qt::LeftButton, {}, shown.matrix().cellOf(3, 2).center().toPoint());
    EXPECT_EQ(links[shown.view.canvas().marks().arrow].ipu, 3);
    EXPECT_EQ(links[shown.view.canvas().marks().arrow].peer, 2);
    QTest::mouseClick(&shown.matrix(), Qt::LeftButton, {}, shown.matrix().cellOf(3, 0).center().toPoint());
    EXPECT_EQ(shown.view.canvas().marks().arrow, SystemLayout::none) << "nothing goes there";
    for (std::size_t link = 0; link < links.size(); ++link) // and the other way round
        if (links[link].ipu == 2 && links[link].peer == 0)
            Q_EMIT shown.view.canvas().linkChosen(static_cast<qint64>(link));
    EXPECT_TRUE(shown.told().startsWith(QStringLiteral("IPU 2 → IPU 0: 4 KiB")))
        << shown.told().toStdString();
}

TEST(LinkMatrix, LeavesOutWhatTheLegendHides) {
    WithMatrix shown({2400, 900});
    auto* legend = shown.view.findChild<Legend*>(QStringLiteral("shardingLegend"));
    shown.matrix().setFocus();
    legend->setHidden({linkLegendKind(profile::LinkKind::AllReduce)});
    for (int i = 0; i < 3; ++i)
        shown.press(Qt::Key_Right);
    EXPECT_EQ(shown.told(), QStringLiteral("IPU 0 → IPU 2: nothing"));
    legend->setHidden({});
}

TEST(LinkMatrix, OfADifferenceHasWhatIsMoreAndLess) {
    WithMatrix shown({2400, 900});
    tests::ShownView<ShardingView> base([](const std::string& path) {
        return tests::record_system(path, {2, 2, true, 3});
    });
    shown.view.setSources({shown.source, base.source, true});
    for (int i = 0; i < 3; ++i) {
        base.settle();
        shown.settle();
    }
    QTest::keyClick(&shown.matrix(), Qt::Key_Right); // the other window is in front
    QTest::keyClick(&shown.matrix(), Qt::Key_Right);
    EXPECT_EQ(shown.told(), QStringLiteral("IPU 0 → IPU 1: −1.95 KiB; 1,000 B instead of 2.93 KiB"));
    QTest::keyClick(&shown.matrix(), Qt::Key_Right);
    EXPECT_EQ(shown.told(), QStringLiteral("IPU 0 → IPU 2: the same, 4 KiB"));
    shown.view.setSources({shown.source, nullptr});
}

TEST(LinkMatrix, OneIpuHasNone) {
    WithMatrix shown({2400, 900}, {1, 1, false});
    EXPECT_FALSE(shown.matrix().isVisible());
    EXPECT_FALSE(shown.choice().isVisible());
}

} // namespace tilescope::ui
