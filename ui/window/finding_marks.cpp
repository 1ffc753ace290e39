// SPDX-License-Identifier: GPL-3.0-or-later
#include "finding_marks.h"

#include "analyse/summary.h"
#include "ui/insights/insight_place.h"

namespace tilescope::ui {

FindingMarks::FindingMarks(QWidget* parent) : QWidget(parent) {
    hide();
}

void FindingMarks::setSource(const std::shared_ptr<ProfileSource>& source) {
    if (!source_.set(source, [this] { ask(); }))
        return;
    Q_EMIT found({});
    if (source_)
        ask();
}

void FindingMarks::ask() {
    source_->ask<analyse::Summary>(
        this, QStringLiteral("findings"),
        [](const profile::Profile& file) { return analyse::summarise(file); },
        [this](const Result<analyse::Summary>& summary) {
            QMap<QString, int> of;
            if (summary)
                for (const analyse::Insight& insight : summary->insights)
                    if (insight.severity != analyse::Severity::Info)
                        if (const auto place = placeOf(insight, summary->ipus, {}))
                            ++of[place->view];
            Q_EMIT found(of);
        });
}

} // namespace tilescope::ui
