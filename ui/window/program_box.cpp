// SPDX-License-Identifier: GPL-3.0-or-later
#include "program_box.h"

#include "ui/session/format.h"

#include <QSettings>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr const char* program_setting = "window/program";

} // namespace

ProgramBox::ProgramBox(SelectionModel* selection, QWidget* parent)
    : QComboBox(parent), selection_(selection) {
    setObjectName(QStringLiteral("deviceProgram"));
    setToolTip(tr("Which program of the run views show that have several (Shift+U)"));
    setAccessibleName(tr("Program of the run"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    Selection s = selection_->current();
    s.device_program = QSettings().value(QLatin1String(program_setting)).toString().toStdString();
    selection_->set(s);
    connect(this, &QComboBox::activated, this, &ProgramBox::choose);
    connect(selection_, &SelectionModel::changed, this, &ProgramBox::follow);
    show();
}

void ProgramBox::setSource(std::shared_ptr<ProfileSource> source) {
    if (!source_.set(std::move(source), [this] { ask(); }))
        return;
    programs_.clear();
    show();
    if (source_)
        ask();
}

void ProgramBox::ask() {
    using Programs = std::vector<analyse::DeviceProgram>;
    source_->ask<Programs>(this, QStringLiteral("programs"), &analyse::read_device_programs,
                           [this](Result<Programs> programs) {
                               if (!programs)
                                   return;
                               programs_ = std::move(*programs);
                               show();
                           });
}

void ProgramBox::choose(int index) {
    if (index < 0 || index >= count())
        return;
    Selection s = selection_->current();
    s.device_program = index == 0 ? std::string() : programs_[static_cast<std::size_t>(index)].key;
    QSettings().setValue(QLatin1String(program_setting), text(s.device_program));
    selection_->set(s);
}

void ProgramBox::chooseNext() {
    if (count() > 0)
        choose((currentIndex() + 1) % count());
}

/// Whose step is selected is the program that is looked at.
void ProgramBox::follow(const Selection& now) {
    if (std::exchange(step_, now.program) != now.program && now.program >= 0) {
        const auto* owner = analyse::program_of_step(programs_, now.program);
        if (owner != nullptr && owner != analyse::program_of(programs_, now.device_program)) {
            Selection s = now;
            s.device_program = owner->id == 0 ? std::string() : owner->key;
            return selection_->set(s);
        }
    }
    show();
}

void ProgramBox::show() {
    clear();
    setVisible(programs_.size() > 1);
    if (programs_.size() > 1) {
        for (const analyse::DeviceProgram& program : programs_)
            addItem(text(program.label()));
        const auto* chosen = analyse::program_of(programs_, selection_->current().device_program);
        setCurrentIndex(static_cast<int>(chosen - programs_.data()));
    }
    Q_EMIT headsChanged();
}

std::pair<QString, QString> ProgramBox::head(View::Programs shows) const {
    if (programs_.size() < 2 || shows == View::Programs::All)
        return {};
    const analyse::DeviceProgram& chosen =
        *analyse::program_of(programs_, selection_->current().device_program);
    const analyse::DeviceProgram& shown = shows == View::Programs::First ? programs_.front() : chosen;
    const QString of =
        tr("%1, %2 of %3").arg(text(shown.key)).arg(&shown - programs_.data() + 1).arg(programs_.size());
    if (shows == View::Programs::Chosen)
        return {
            of,
            tr("This view shows the program that is chosen in the status bar: %1").arg(text(shown.label()))};
    return {&shown == &chosen ? of : tr("%1; not recorded of %2").arg(of, text(chosen.key)),
            tr("What this view shows is recorded of the first program: %1. Of the others the profile has "
               "steps, times and engine runs (Program, Trace).")
                .arg(text(shown.label()))};
}

} // namespace tilescope::ui
