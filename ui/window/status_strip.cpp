// SPDX-License-Identifier: GPL-3.0-or-later
#include "status_strip.h"

#include "base/try.h"
#include "profile/lookup.h"
#include "ui/session/format.h"
#include "ui/theme/themed_label.h"
#include "ui/widgets/run_status.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <functional>

namespace tilescope::ui {
namespace {

/// What the strip says of a file.
struct FileState {
    QString html;
    double clock_hz = 0;
    bool several_ipus = false;
};

Result<FileState> stateOf(const profile::Profile& file, const QString& name) {
    TRY(const auto run, file.run());
    TRY(const auto target, file.target());
    QStringList parts{inHtml(QStringLiteral("<b>%1</b>"), {name})};
    if (target.tiles_per_ipu > 0)
        parts << QStringLiteral("%1 × %2").arg(target.ipus).arg(text(target.generation));
    else
        parts << StatusStrip::tr("CPU");
    if (run.estimate)
        parts << StatusStrip::tr("estimate");
    parts << inHtml(QStringLiteral("<span style='color:%1'>● %2</span>"),
                    {statusColor(run.status), statusText(run.status)});
    return FileState{parts.join(QStringLiteral("  ·  ")), target.clock_hz, target.ipus > 1};
}

using SubjectField = std::int64_t Selection::*;
/// From the inner to the outer: who chooses a step chooses its operation with it.
constexpr std::array<SubjectField, 5> subjects{&Selection::micro_batch, &Selection::variable,
                                               &Selection::program, &Selection::operation, &Selection::layer};

/// Of what is selected, what was chosen last, and of what came together the inner one; null: nothing is.
SubjectField chosenLast(const Selection& now, const Selection& before) {
    for (const bool changed : {true, false})
        for (const SubjectField each : subjects)
            if (now.*each >= 0 && (!changed || now.*each != before.*each))
                return each;
    return nullptr;
}

/// Its name, with its kind; "" where that has no name.
Result<QString> subjectOf(const profile::Profile& file, const Selection& s, SubjectField subject) {
    using profile::Named;
    const auto named = [&](Named what, const QString& kind) -> Result<QString> {
        TRY(const auto name, profile::name_of(file, what, s.*subject));
        return name.empty() ? QString() : QStringLiteral("%1 %2").arg(kind, text(name));
    };
    if (subject == &Selection::micro_batch)
        return StatusStrip::tr("micro-batch %1, %2")
            .arg(s.micro_batch)
            .arg(text(profile::to_string(s.activity)));
    if (subject == &Selection::variable)
        return named(Named::Variable, StatusStrip::tr("variable"));
    if (subject == &Selection::program)
        return named(Named::ProgramStep, StatusStrip::tr("step"));
    if (subject == &Selection::operation)
        return named(Named::Operation, StatusStrip::tr("operation"));
    return subject != nullptr ? named(Named::Layer, StatusStrip::tr("layer")) : QString();
}

bool sameSubject(const Selection& a, const Selection& b) {
    return a.activity == b.activity && std::all_of(subjects.begin(), subjects.end(),
                                                   [&](SubjectField each) { return a.*each == b.*each; });
}

} // namespace

StatusStrip::StatusStrip(SelectionModel* selection, QWidget* parent)
    : QWidget(parent), selection_(selection), file_(new ThemedLabel), row_(new QHBoxLayout(this)),
      jobs_(new QToolButton) {
    setObjectName(QStringLiteral("status"));
    file_->setContentsMargins(8, 0, 0, 0);
    row_->setContentsMargins(8, 0, 4, 0);
    row_->setSpacing(4);
    file_->setObjectName(QStringLiteral("statusFile"));
    jobs_->setObjectName(QStringLiteral("statusJobs"));
    jobs_->setToolTip(tr("What goes on now: queries, files that are opened, runs"));
    jobs_->hide();
    row_->addWidget(jobs_);
    connect(jobs_, &QToolButton::clicked, this, &StatusStrip::jobsWanted);
    subject_ = chip("chipSubject", tr("What is selected; a click lets go of it"), [](Selection& s) {
        for (const SubjectField each : subjects)
            s.*each = -1;
        s.follow(-1);
    });
    ipu_ = chip("chipIpu", tr("The IPU that is looked at; a click lets go of it"), [](Selection& s) {
        s.ipu_chosen = false;
        s.tiles.clear();
    });
    tiles_ = chip("chipTiles", tr("The tiles that are looked at; a click lets go of them"),
                  [](Selection& s) { s.tiles.clear(); });
    range_ = chip("chipRange", tr("The range of time that is looked at; a click lets go of it"),
                  [](Selection& s) { s.range.reset(); });
    unit_ = new QToolButton;
    unit_->setObjectName(QStringLiteral("chipUnit"));
    unit_->setProperty("chip", true); // so that one sees that it takes a click
    unit_->setToolTip(tr("Time or cycles, in every view (T)"));
    row_->addWidget(unit_);
    connect(unit_, &QToolButton::clicked, this, &StatusStrip::unitsToggled);
    connect(selection_, &SelectionModel::changed, this, [this] {
        showChips();
        askSubject();
    });
    showUnits();
    showChips();
}

QToolButton* StatusStrip::chip(const char* name, const QString& tip, std::function<void(Selection&)> clear) {
    auto* button = new QToolButton;
    button->setObjectName(QLatin1String(name));
    button->setProperty("chip", true);
    button->setToolTip(tip);
    button->hide();
    row_->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, clear = std::move(clear)] {
        Selection s = selection_->current();
        clear(s);
        selection_->set(s);
    });
    return button;
}

void StatusStrip::setSource(std::shared_ptr<ProfileSource> source) {
    if (!source_.set(std::move(source), [this] { askFile(); }))
        return;
    file_->setHtml({});
    several_ipus_ = false;
    shown_ = {};
    subject_->hide();
    if (source_)
        askFile();
    showChips();
}

void StatusStrip::askFile() {
    source_->ask<FileState>(
        this, QStringLiteral("status"),
        [name = source_->name()](const profile::Profile& file) { return stateOf(file, name); },
        [this](const Result<FileState>& state) {
            if (!state)
                return;
            clock_hz_ = state->clock_hz;
            several_ipus_ = state->several_ipus;
            file_->setHtml(state->html);
            showChips();
        });
}

void StatusStrip::askSubject() {
    const Selection s = selection_->current();
    if (!source_ || sameSubject(s, shown_))
        return;
    const SubjectField subject = chosenLast(s, shown_);
    shown_ = s;
    source_->ask<QString>(
        this, QStringLiteral("subject"),
        [s, subject](const profile::Profile& file) { return subjectOf(file, s, subject); },
        [this](const Result<QString>& name) {
            if (!name)
                return;
            constexpr int widest = 320;
            subject_->setVisible(!name->isEmpty());
            subject_->setText(fontMetrics().elidedText(*name, Qt::ElideMiddle, widest) +
                              QStringLiteral("  ×"));
            subject_->setAccessibleName(*name);
        });
}

void StatusStrip::showChips() {
    const Selection& s = selection_->current();
    const auto show = [](QToolButton* button, bool there, const QString& text) {
        button->setVisible(there);
        button->setText(text + QStringLiteral("  ×"));
        button->setAccessibleName(text);
    };
    unit_->setVisible(static_cast<bool>(source_));
    show(ipu_, source_ && several_ipus_ && s.ofOneIpu(), tr("IPU %1").arg(s.ipu));
    show(tiles_, source_ && !s.tiles.empty(),
         s.tiles.size() == 1 ? tr("tile %1").arg(s.tiles.front())
                             : tr("%1 tiles").arg(formatCount(static_cast<std::int64_t>(s.tiles.size()))));
    show(range_, source_ && s.range.has_value(),
         s.range ? tr("range of %1").arg(formatTime(s.range->second - s.range->first, clock_hz_))
                 : QString());
}

QWidget* StatusStrip::fileLabel() const {
    return file_;
}

void StatusStrip::setJobs(int count) {
    jobs_->setVisible(count > 0);
    jobs_->setText(count == 1 ? tr("1 job") : tr("%1 jobs").arg(count));
}

void StatusStrip::showUnits() {
    unit_->setText(units().cycles ? tr("cycles") : tr("time"));
    unit_->setAccessibleName(tr("Figures of time as %1").arg(unit_->text()));
    showChips();
}

} // namespace tilescope::ui
