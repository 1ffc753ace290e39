// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase_rows.h"

#include "ui/session/also_text.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/phase_look.h"
#include "ui/widgets/share_bar.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

QString whatAPipelineTakes() {
    return PhaseRows::tr(
        "<p>A pipeline cuts a model into stages, each on an IPU of its own, which work on<br>"
        "different micro-batches at the same time. It takes two or more IPUs, and a workload with</p>"
        "<pre>"
        "\"ipu_config\": {\"auto_select_ipus\": 2},\n"
        "\"pipeline\": {\n"
        "    \"schedule\": \"Grouped\",\n"
        "    \"gradient_accumulation_steps_per_replica\": 8,\n"
        "    \"stages\": {\"FIRST_LAYER_OF_THE_SECOND_STAGE\": 1}\n"
        "}</pre>"
        "<p>The help (F1) says more of it under <i>Workloads</i>.</p>");
}

} // namespace

PhaseRows::PhaseRows(QWidget* parent)
    : QWidget(parent), heading_(new ThemedLabel), rows_(new QWidget), grid_(new QGridLayout(rows_)) {
    heading_->setObjectName(QStringLiteral("noPipeline"));
    heading_->setWordWrap(true);
    heading_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid_->setColumnStretch(1, 1);
    grid_->setHorizontalSpacing(16);
    grid_->setContentsMargins({});
    auto* needs = new QLabel(whatAPipelineTakes());
    needs->setForegroundRole(QPalette::PlaceholderText);
    needs->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(16, 12, 16, 12);
    column->setSpacing(16);
    column->addWidget(heading_);
    column->addWidget(rows_);
    column->addWidget(needs);
    column->addStretch();
    fillScrolling(this, page);
}

void PhaseRows::setData(const PipelineData& data) {
    const QString ipus = formatCounted(data.phases.size(), tr("IPU"), tr("IPUs"));
    const QString runs = data.planned ? tr("would run") : tr("runs");
    heading_->setHtml((data.too_full ? inHtml(QStringLiteral("%1 %2<br>"),
                                              {data.too_full->text(), Html{data.too_full->links()}})
                                     : QString()) +
                      (data.phases.empty() ? tr("<b>No pipeline</b>")
                       : data.replicas > 1
                           ? inHtml(tr("<b>No pipeline: one step %1 on %2, in %3 replicas.</b> Its phases:"),
                                    {runs, ipus, data.replicas})
                           : inHtml(tr("<b>No pipeline: one step %1 on %2.</b> Its phases:"), {runs, ipus})));
    while (shown_.size() > data.phases.size()) {
        for (QWidget* part :
             {static_cast<QWidget*>(shown_.back().ipus), static_cast<QWidget*>(shown_.back().bar),
              static_cast<QWidget*>(shown_.back().time)})
            delete part;
        shown_.pop_back();
    }
    while (shown_.size() < data.phases.size()) {
        const Row row{new QLabel, new ShareBar, new QLabel};
        const auto at = static_cast<int>(shown_.size());
        grid_->addWidget(row.ipus, at, 0, Qt::AlignTop);
        grid_->addWidget(row.bar, at, 1);
        grid_->addWidget(row.time, at, 2, Qt::AlignTop);
        shown_.push_back(row);
    }
    for (std::size_t i = 0; i < shown_.size(); ++i)
        setRow(shown_[i], data.phases[i], data.clock_hz);
}

void PhaseRows::setRow(Row& row, const PipelineData::IpuPhases& phases, double clock_hz) {
    row.ipus->setText(ipuName(phases.ipus.front(), phases.ipus));
    row.bar->setParts(phaseShares(phases.cycles));
    row.time->setText(formatTime(phases.cycles.total(), clock_hz));
}

} // namespace tilescope::ui
