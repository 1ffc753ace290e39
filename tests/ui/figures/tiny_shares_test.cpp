// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures_of_views.h"
#include "ui/compile/compile_view.h"
#include "ui/exchange/exchange_view.h"
#include "ui/graph/graph_view.h"
#include "ui/insights/insights_view.h"
#include "ui/liveness/liveness_view.h"
#include "ui/memory/memory_view.h"
#include "ui/operations/operations_view.h"
#include "ui/pipeline/pipeline_view.h"
#include "ui/program/program_view.h"
#include "ui/sharding/sharding_view.h"
#include "ui/summary/summary_view.h"
#include "ui/trace/trace_view.h"

#include <QFile>
#include <QRegularExpression>

/// Headings of a run whose shares are so small that they are written "<0.1 %", which is no tag.
namespace tilescope::ui {
namespace {

template<class V>
class TinyShares : public testing::Test {
  protected:
    void SetUp() override {
        const QString path = QString::fromStdString(folder_ / "tiny.tilescope");
        const QString workload = QString::fromStdString(folder_ / "tiny.json");
        write(workload);
        tilescope({QStringLiteral("profile"), workload, QStringLiteral("-o"), path});
        source_ = ProfileSource::open(path);
        view_.resize(1300, 900);
        view_.setSelection(&selection_);
        view_.setSources({source_, nullptr});
        view_.setVisible(true);
        settle();
    }
    void settle() {
        const auto rests = [this] { return view_.atRest() && source_->pending() == 0; };
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            ASSERT_TRUE(QTest::qWaitFor(rests, 60'000));
        }
    }
    void TearDown() override { view_.setSources({}); }

    /// The tutorial's first graph, with operations whose names could be tags.
    static void write(const QString& path) {
        QFile sample(QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/tutorial_basic.json"));
        ASSERT_TRUE(sample.open(QIODevice::ReadOnly));
        QFile named(path);
        ASSERT_TRUE(named.open(QIODevice::WriteOnly));
        named.write(sample.readAll()
                        .replace("\"../resources/workload.schema.json\"", "\"\"")
                        .replace("\"o1\"", "\"o<1>\"")
                        .replace("\"o2\"", "\"o<2>\"")
                        .replace("\"out\"", "\"out<3>\""));
    }

    tests::TemporaryFolder folder_;
    SelectionModel selection_;
    std::shared_ptr<ProfileSource> source_;
    V view_;
};

using Views = testing::Types<SummaryView, InsightsView, TraceView, OperationsView, GraphView, ProgramView,
                             MemoryView, LivenessView, ExchangeView, PipelineView, ShardingView, CompileView>;
TYPED_TEST_SUITE(TinyShares, Views);

TYPED_TEST(TinyShares, AreReadInEveryHeading) {
    static const QRegularExpression no_tag(QStringLiteral("<(?![/a-z])"));
    const auto labels = this->view_.template findChildren<QLabel*>();
    EXPECT_FALSE(labels.isEmpty());
    for (const QLabel* label : labels)
        if (label->textFormat() == Qt::RichText || Qt::mightBeRichText(label->text())) {
            EXPECT_FALSE(label->text().contains(no_tag)) << label->text().toStdString();
        }
}

using TinySharesOfOperations = TinyShares<OperationsView>;
TEST_F(TinySharesOfOperations, StandWithTheSentenceThatFollowsThem) {
    const QStringList texts = tests::shown_texts(view_);
    const QStringList shares = texts.filter(QStringLiteral("<0.1 %"));
    ASSERT_FALSE(shares.isEmpty()) << texts.join(u'\n').toStdString();
    EXPECT_TRUE(shares.join(u'\n').contains(QStringLiteral("of the time of IPU 0")))
        << shares.join(u'\n').toStdString();
}

/// What an operation whose name could be a tag is called once it is chosen.
template<class V>
class NamedLikeATag : public TinyShares<V> {};
using NamingViews = testing::Types<OperationsView, GraphView, ProgramView>;
TYPED_TEST_SUITE(NamedLikeATag, NamingViews);

TYPED_TEST(NamedLikeATag, AnOperationIsReadWhole) {
    const auto file = *profile::Profile::open(this->source_->path().toStdString());
    Selection chosen;
    std::string name;
    const auto operations = file->operations();
    for (const auto& operation : *operations)
        if (operation.name.find('<') != std::string::npos) {
            chosen.operation = operation.id;
            chosen.layer = operation.layer_id;
            name = operation.name;
        }
    ASSERT_FALSE(name.empty());
    QString details;
    const QObject until_here;
    QObject::connect(&this->view_, &View::detailsChanged, &until_here, [&](const QString& html) {
        details = QTextDocumentFragment::fromHtml(html).toPlainText();
    });
    this->selection_.set(chosen);
    this->settle();
    const QString all = details + tests::shown_texts(this->view_).join(u'\n');
    EXPECT_TRUE(all.contains(QString::fromStdString(name))) << name << " in " << all.toStdString();
}

} // namespace
} // namespace tilescope::ui
