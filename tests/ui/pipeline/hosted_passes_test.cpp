// SPDX-License-Identifier: GPL-3.0-or-later
// Passes of a pipeline in which the host has a part.
#include "profile/recorder.h"
#include "tests/ui/cut_text.h"
#include "tests/ui/view_test_support.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/widgets/legend.h"

#include <QTextDocumentFragment>

namespace tilescope::ui {
namespace {

using analyse::PipelineActivity;
using profile::ProgramPart;
using profile::StepKind;

/// Two stages, two micro-batches, no training: a pass of stage 0 takes 40 cycles of the host and 60 of its
/// own, one of stage 1 80 of its own and 20 of the host.
Result<void> record(const std::string& path) {
    auto recorder = profile::Recorder::create(path, {});
    if (!recorder)
        return Failure(recorder.error());
    profile::Recorder& r = **recorder;
    r.set(profile::TargetRecord{"pod4", "ipu2", 2, 16, 1000, 1.0e9, 6});
    for (std::int64_t ipu = 0; ipu < 2; ++ipu) {
        r.add(profile::IpuRecord{ipu, ipu, "a", 0, ipu, ipu});
        r.add(profile::OperationRecord{ipu, "op", "matmul", -1, profile::Phase::Forward, ipu, ipu});
    }
    r.add(profile::DeviceProgramRecord{0, "evaluation", 0, true});
    const auto step = [&](std::int64_t id, std::int64_t parent, StepKind kind, ProgramPart part,
                          std::int64_t exchange = 0, std::int64_t compute = 0, std::int64_t ipu = -1) {
        const std::int64_t repeats = kind == StepKind::Repeat ? 2 : 1;
        const std::int64_t position = id == 6 ? 2 : id; // the batch comes in first, whatever its number is
        profile::ProgramRecord row{
            id, parent,   position, kind, "step", compute > 0 ? ipu : -1, -1,  -1, repeats, -1,
            0,  exchange, compute,  ipu,  -1,     id > 1 ? 2 : 1,         part};
        row.stage = ipu;
        if (ipu >= 0)
            row.activity = PipelineActivity::Forward;
        r.add(row);
    };
    step(0, -1, StepKind::Sequence, ProgramPart::Whole);
    step(1, 0, StepKind::Repeat, ProgramPart::MicroBatches);
    step(6, 1, StepKind::StreamCopy, ProgramPart::Infeed, 40, 0, 0);
    step(3, 1, StepKind::Execute, ProgramPart::MicroBatches, 0, 60, 0);
    step(4, 1, StepKind::Execute, ProgramPart::MicroBatches, 0, 80, 1);
    step(5, 1, StepKind::StreamCopy, ProgramPart::Outfeed, 20, 0, 1);
    const auto slot = [&](std::int64_t stage, std::int64_t number, std::int64_t micro_batch) {
        r.add(profile::PipelineSlotRecord{
            stage, number * 100, (number + 1) * 100, number,
            micro_batch < 0 ? PipelineActivity::Idle : PipelineActivity::Forward, micro_batch});
    };
    slot(0, 0, 0);
    slot(0, 1, 1);
    slot(0, 2, -1);
    slot(1, 0, -1);
    slot(1, 1, 0);
    slot(1, 2, 1);
    return (*recorder)->finish(profile::RunStatus::Complete);
}

QStringList texts(Legend& legend) {
    QStringList all;
    for (const auto& each : tests::drawn_texts(legend))
        all << each.text;
    return all;
}

TEST(HostedPasses, HaveTheHostsPartInItsColourWhereItIs) {
    tests::ShownView<PipelineView> shown(record);
    TimelineWidget& timeline = shown.view.timeline();
    timeline.setAnimated(false);
    const Theme& theme = Theme::light();
    const auto colour = [&](std::size_t lane, double cycle) {
        const QRect rect = timeline.laneRect(0, lane);
        return timeline.viewport()->grab().toImage().pixelColor(
            rect.left() + static_cast<int>(timeline.view().x(cycle)), rect.bottom() - 4);
    };
    for (const double pass : {0.0, 100.0}) {
        EXPECT_EQ(colour(0, pass + 20), theme.host) << "a batch comes in first";
        EXPECT_EQ(colour(0, pass + 38), theme.host);
        EXPECT_EQ(colour(0, pass + 42), theme.forward);
        EXPECT_EQ(colour(0, pass + 97), theme.forward);
        EXPECT_EQ(colour(1, pass + 178), theme.forward);
        EXPECT_EQ(colour(1, pass + 190), theme.host) << "and its result goes out last";
    }
    timeline.show(50, 150); // a pass that begins before what is in view
    EXPECT_EQ(colour(0, 60), theme.forward);
    EXPECT_EQ(colour(0, 110), theme.host);
    EXPECT_EQ(colour(0, 145), theme.forward);
    // Passes that are merged have as much of it: 80 of 300 cycles of stage 0, of which 100 are idle.
    timeline.setLimits(0, 100'000);
    timeline.setZoom({});
    const QRect lane = timeline.laneRect(0, 0);
    const QImage image = timeline.viewport()->grab().toImage();
    std::map<QRgb, int> pixels;
    for (int x = 0; x < 12; ++x)
        for (int y = lane.top(); y <= lane.bottom(); ++y)
            ++pixels[image.pixel(lane.left() + x, y)];
    const int host = pixels[theme.host.rgb()];
    const int own = pixels[theme.forward.rgb()];
    EXPECT_GT(host, 0);
    EXPECT_NEAR(static_cast<double>(host) / (host + own), 0.4, 0.05);
}

TEST(HostedPasses, AreInTheLegendWithWhatThereIsAlone) {
    tests::ShownView<PipelineView> shown(record);
    EXPECT_EQ(texts(*shown.view.findChild<Legend*>(QStringLiteral("pipelineLegend"))),
              (QStringList{QStringLiteral("forward"), QStringLiteral("host"), QStringLiteral("idle")}));
    const TimelineGroup& group = shown.view.timeline().groups()[0];
    const auto data = PipelineData::read(**profile::Profile::open(shown.source->path().toStdString()));
    ASSERT_TRUE(data);
    const QString text =
        QTextDocumentFragment::fromHtml(sliceText(*data, group.lanes[0].slices[0], 0)).toPlainText();
    EXPECT_TRUE(text.contains(QStringLiteral("Of it the host's"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("40 cycles"))) << text.toStdString();
    // The strip above shows the time of both IPUs: of the middle third 40 + 20 of 200 cycles are the host's.
    double share = 0;
    for (const OverviewPiece& piece : pipelineOverview(*data, 3))
        share += piece.start == 100 ? piece.host : 0;
    EXPECT_DOUBLE_EQ(share, 0.3);
}

} // namespace
} // namespace tilescope::ui
