// SPDX-License-Identifier: GPL-3.0-or-later
#include "basis_box.h"

#include "base/try.h"

#include <QSettings>
#include <QSignalBlocker>
#include <algorithm>
#include <vector>

namespace tilescope::ui {

std::optional<analyse::Basis> BasisBox::first() {
    return analyse::basis_of_key(QSettings().value(QStringLiteral("window/basis")).toString().toStdString());
}

BasisBox::BasisBox(SelectionModel* selection, QWidget* parent) : QComboBox(parent), selection_(selection) {
    setObjectName(QStringLiteral("basis"));
    setToolTip(tr("What cycles, times and bytes are per, in every view (U)"));
    setAccessibleName(tr("What figures are per"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    takeFirst();
    connect(this, &QComboBox::activated, this, &BasisBox::choose);
    connect(selection_, &SelectionModel::changed, this, &BasisBox::show);
    show();
}

void BasisBox::takeFirst() {
    Selection s = selection_->current();
    s.basis = first();
    selection_->set(s);
}

void BasisBox::setSources(const Sources& sources) {
    if (base_.source.operator->() != sources.base.get())
        set(base_, nullptr); // first: letting go of a file drops what the box has asked it
    set(now_, sources.current);
    set(base_, sources.base);
}

void BasisBox::set(File& file, const std::shared_ptr<ProfileSource>& source) {
    if (!file.source.set(source, [this, &file] { ask(file); }))
        return;
    file.loops.reset();
    show();
    if (file.source)
        ask(file);
}

void BasisBox::ask(File& file) {
    using Answer = std::optional<analyse::Loops>;
    if (file.loops) // once compiled, a program stays as it is
        return;
    file.source->ask<Answer>(
        this, QStringLiteral("basis"),
        [](const profile::Profile& of) -> Result<Answer> {
            TRY(const auto program, of.program());
            if (program.empty())
                return Answer();
            TRY(const auto loops, analyse::read_loops(of));
            return Answer(loops);
        },
        [this, &file](const Result<Answer>& loops) {
            if (!loops || !*loops)
                return;
            file.loops = *loops;
            show();
        });
}

void BasisBox::choose(int index) {
    if (index < 0 || index >= count())
        return;
    Selection s = selection_->current();
    const int basis = itemData(index).toInt();
    s.basis = basis < 0 ? std::nullopt : std::optional(static_cast<analyse::Basis>(basis));
    selection_->set(s);
}

void BasisBox::chooseNext() {
    if (count() > 0)
        choose((currentIndex() + 1) % count());
}

void BasisBox::show() {
    const QSignalBlocker quiet(this);
    clear();
    setVisible(now_.loops.has_value());
    if (!now_.loops)
        return;
    const auto text = [](analyse::Basis basis) { return QString::fromStdString(analyse::per(basis)); };
    const analyse::Loops* base = base_.loops ? &*base_.loops : nullptr;
    addItem(tr("%1 (usual)").arg(text(analyse::common_basis(base, *now_.loops))), -1);
    const std::vector<analyse::Basis> offered = analyse::common_bases(base, *now_.loops);
    for (const analyse::Basis basis : offered)
        addItem(text(basis), static_cast<int>(basis));
    const std::optional<analyse::Basis> wanted = selection_->current().basis;
    const bool there = wanted && std::find(offered.begin(), offered.end(), *wanted) != offered.end();
    setCurrentIndex(there ? findData(static_cast<int>(*wanted)) : 0);
}

} // namespace tilescope::ui
