// SPDX-License-Identifier: GPL-3.0-or-later
// A file of some IPUs of a run, of which the first is not one.
#include "build_paths.h"
#include "frame_fixture.h"
#include "tests/ui/shown_text.h"
#include "ui/trace/totals_panel.h"
#include "ui/trace/trace_view.h"

#include <QComboBox>
#include <QProcess>
#include <QRegularExpression>
#include <QTreeView>

namespace tilescope::ui {
namespace {

class TrimmedFile : public Frame {
  protected:
    TrimmedFile() {
        tell({QStringLiteral("profile"),
              QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/keras_mnist_pipelined.json"),
              QStringLiteral("--estimate"), QStringLiteral("-o"), path("whole.tilescope")});
        tell({QStringLiteral("trim"), path("whole.tilescope"), QStringLiteral("--ipus"), QStringLiteral("1"),
              QStringLiteral("-o"), path("trimmed.tilescope")});
    }
    static void tell(const QStringList& arguments) {
        QProcess program;
        program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"), arguments);
        EXPECT_TRUE(program.waitForFinished(120'000));
        EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    }
    TotalsPanel& totals() const { return window->findChild<TraceView*>()->totals(); }
};

TEST_F(TrimmedFile, IsShownOfTheFirstIpuThatItHas) {
    window->showView(QStringLiteral("trace"));
    open("trimmed.tilescope");
    EXPECT_EQ(totals().totals().ipu, 1);
    EXPECT_GT(totals().totals().phases.compute, 0);
    EXPECT_TRUE(chip("chipIpu").isHidden()) << "nobody chose it";
    EXPECT_FALSE(window->findChild<QAction*>(QStringLiteral("back"))->isEnabled());

    open("whole.tilescope"); // which has the first of all
    EXPECT_EQ(totals().totals().ipu, 0);
    EXPECT_GT(totals().totals().phases.compute, 0);
    open("trimmed.tilescope");
    EXPECT_EQ(totals().totals().ipu, 1);
}

TEST_F(TrimmedFile, SaysInEachViewWhatItHas) {
    const auto show = [this](const char* view) {
        window->showView(QLatin1String(view));
        settle();
    };
    const auto peak = [this] { // "Step 77 of 164 is the peak step …"
        static const QRegularExpression count(QStringLiteral("Step [\\d,]+ of ([\\d,]+) is the peak step"));
        for (const QString& each : tests::shown_texts(*shownView()))
            if (const auto found = count.match(each); found.hasMatch())
                return found.captured(1);
        return QString();
    };
    open("whole.tilescope");
    show("liveness");
    const QString steps = peak();
    EXPECT_FALSE(steps.isEmpty());
    open("trimmed.tilescope");
    show("liveness");
    EXPECT_EQ(peak(), steps) << "of the program, of which some steps run on IPU 0";
    show("memory");
    auto* ipus = shownView()->findChild<QComboBox*>(QStringLiteral("memoryIpus"));
    ASSERT_EQ(ipus->count(), 1);
    EXPECT_EQ(ipus->currentText(), QStringLiteral("IPU 1"));
    show("sharding");
    EXPECT_TRUE(tests::shows(*shownView(), QStringLiteral("The file was trimmed to 1 of 2 IPUs")));
    EXPECT_FALSE(tests::shows(*shownView(), QStringLiteral("One IPU runs the whole model")));
    EXPECT_FALSE(tests::shows(*shownView(), QStringLiteral("0 B"))) << "what is not there is not 0";
    show("program");
    auto* tree = shownView()->findChild<QTreeView*>();
    const auto stages =
        tree->model()->match(tree->model()->index(0, 0), Qt::DisplayRole, QStringLiteral("^stage "), -1,
                             Qt::MatchRegularExpression | Qt::MatchRecursive);
    ASSERT_EQ(stages.size(), 2);
    EXPECT_EQ(stages[0].data().toString(), QStringLiteral("stage 0 · not in this file"));
    EXPECT_EQ(stages[1].data().toString(), QStringLiteral("stage 1 · IPU 1"));
}

} // namespace
} // namespace tilescope::ui
