// SPDX-License-Identifier: GPL-3.0-or-later
// Losses and metrics of the run, over its epochs.
#include "analyse/training_metrics.h"
#include "ui/session/format.h"
#include "ui/summary/summary_view.h"
#include "ui/widgets/card.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/line_chart.h"
#include "ui/widgets/view_action.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

namespace tilescope::ui {

void SummaryView::makeCurves() {
    curves_of_ = new QLabel;
    QFont bold = curves_of_->font(); // as the titles of the other cards
    bold.setWeight(QFont::DemiBold);
    curves_of_->setFont(bold);
    curves_of_->setWordWrap(true);
    curves_per_ = new QComboBox;
    curves_per_->setObjectName(QStringLiteral("curvesPer"));
    curves_per_->setAccessibleName(tr("Losses and metrics per"));
    curves_per_->setToolTip(
        tr("The mean of each epoch, or that of the epoch so far at the end of each execution"));
    curves_per_->addItems({tr("per epoch"), tr("per execution")});
    const auto show = [this] {
        if (now_)
            showCurves(now_->summary, base_ ? &base_->run.summary : nullptr);
    };
    connect(curves_per_, &QComboBox::currentIndexChanged, this, show);
    addKeyAction(this, tr("Losses per epoch or per execution"), {},
                 [this] { curves_per_->setCurrentIndex(1 - curves_per_->currentIndex()); });
    auto* charts = new QHBoxLayout;
    charts->addWidget(loss_, 1);
    charts->addWidget(accuracy_, 1);
    curves_card_->body()->addWidget(headRow(curves_of_, {curves_per_}));
    curves_card_->body()->addLayout(charts);
}

void SummaryView::askCourses() {
    const auto ask = [this](const std::shared_ptr<ProfileSource>& source, const QString& topic,
                            MetricCourse& course) {
        if (source)
            source->ask<MetricCourse>(
                this, topic, [](const profile::Profile& file) { return readCourse(file); },
                [this, &course](Result<MetricCourse> read) {
                    course = read ? std::move(*read) : MetricCourse();
                    if (now_)
                        showCurves(now_->summary, base_ ? &base_->run.summary : nullptr);
                });
    };
    ask(sources().current, QStringLiteral("summary losses"), course_);
    ask(sources().base, QStringLiteral("summary losses of base"), base_course_);
}

void SummaryView::showCurves(const analyse::Summary& s, const analyse::Summary* base) {
    const bool choice = course_.goesWithinEpochs();
    const bool courses = choice && curves_per_->currentIndex() == 1;
    const auto curves = [&](bool loss) {
        std::vector<Curve> result;
        int color = 0;
        const auto add = [&](const analyse::Summary& x, const MetricCourse& course, bool dashed) {
            if (x.epochs.empty())
                return;
            for (const auto& [name, value] : x.epochs.front().metrics) {
                if (analyse::is_loss(name) != loss)
                    continue;
                const ThemeColor own =
                    loss && color == 0 ? ThemeColor(&Theme::compute) : ThemeColor::series(color);
                ++color;
                Curve curve{text(name) + (dashed ? tr(" (base)") : QString()), own, {}, dashed};
                if (courses)
                    curve.points = course.of(name);
                else
                    for (const auto& epoch : x.epochs)
                        if (const auto v = analyse::metric_value(epoch.metrics, name))
                            curve.points << QPointF(static_cast<double>(epoch.epoch), *v);
                const QPointF last = curve.points.isEmpty() ? QPointF() : curve.points.back();
                const Curve evaluated{tr("%1, evaluation").arg(curve.name), curve.color, {}, dashed, true};
                result.push_back(std::move(curve));
                if (const auto at_end = analyse::metric_value(x.evaluation, name)) {
                    result.push_back(evaluated);
                    result.back().points << QPointF(last.x(), *at_end);
                }
            }
        };
        add(s, course_, false);
        color = 0;
        if (base != nullptr)
            add(*base, base_course_, true);
        return result;
    };
    curves_card_->setVisible(!s.epochs.empty());
    curves_per_->setVisible(choice);
    curves_of_->setText(courses  ? tr("Loss and metrics, means of each epoch so far")
                        : choice ? tr("Loss and metrics") // the box beside it says per what
                                 : tr("Loss and metrics, per epoch"));
    std::optional<std::pair<double, double>> epochs; // whole ones, where curves go within them
    for (const MetricCourse* course : {&course_, &base_course_})
        for (const profile::MetricPoint& point : course->points)
            if (courses)
                epochs = {0, std::max(epochs ? epochs->second : 1, static_cast<double>(point.epoch + 1))};
    loss_->setCurves(curves(true), epochs);
    const auto metrics = curves(false);
    accuracy_->setVisible(!metrics.empty());
    accuracy_->setCurves(metrics, epochs);
}

QJsonObject SummaryView::saveState() const {
    return {{QStringLiteral("perExecution"), curves_per_->currentIndex() == 1}};
}

void SummaryView::restoreState(const QJsonObject& state) {
    curves_per_->setCurrentIndex(state[QStringLiteral("perExecution")].toBool() ? 1 : 0);
}

} // namespace tilescope::ui
