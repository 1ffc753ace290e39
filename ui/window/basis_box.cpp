// SPDX-License-Identifier: GPL-3.0-or-later
#include "basis_box.h"

#include "base/try.h"

#include <QSettings>
#include <QSignalBlocker>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr const char* basis_setting = "window/basis";

std::optional<analyse::Basis> remembered_basis() {
    using analyse::Basis;
    const std::string key = QSettings().value(QLatin1String(basis_setting)).toString().toStdString();
    for (const Basis basis : {Basis::MicroBatch, Basis::Step, Basis::WeightUpdate, Basis::Execution})
        if (analyse::key(basis) == key)
            return basis;
    return std::nullopt;
}

} // namespace

BasisBox::BasisBox(SelectionModel* selection, QWidget* parent) : QComboBox(parent), selection_(selection) {
    setObjectName(QStringLiteral("basis"));
    setToolTip(tr("What cycles, times and bytes are per, in every view (U)"));
    setAccessibleName(tr("What figures are per"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    takeRemembered();
    connect(this, &QComboBox::activated, this, &BasisBox::choose);
    connect(selection_, &SelectionModel::changed, this, &BasisBox::show);
    show();
}

void BasisBox::takeRemembered() {
    Selection s = selection_->current();
    s.basis = remembered_basis();
    selection_->set(s);
}

void BasisBox::setSource(std::shared_ptr<ProfileSource> source) {
    if (!source_.set(std::move(source), [this] { ask(); }))
        return;
    loops_.reset();
    show();
    if (source_)
        ask();
}

void BasisBox::ask() {
    using Answer = std::optional<analyse::Loops>;
    if (loops_) // once compiled, a program stays as it is
        return;
    source_->ask<Answer>(
        this, QStringLiteral("basis"),
        [](const profile::Profile& file) -> Result<Answer> {
            TRY(const auto program, file.program());
            if (program.empty())
                return Answer();
            TRY(const auto loops, analyse::read_loops(file));
            return Answer(loops);
        },
        [this](const Result<Answer>& loops) {
            if (!loops || !*loops)
                return;
            loops_ = *loops;
            show();
        });
}

void BasisBox::choose(int index) {
    if (index < 0 || index >= count())
        return;
    Selection s = selection_->current();
    const int basis = itemData(index).toInt();
    s.basis = basis < 0 ? std::nullopt : std::optional(static_cast<analyse::Basis>(basis));
    QSettings().setValue(QLatin1String(basis_setting),
                         s.basis ? QString::fromStdString(analyse::key(*s.basis)) : QString());
    selection_->set(s);
}

void BasisBox::chooseNext() {
    if (count() > 0)
        choose((currentIndex() + 1) % count());
}

void BasisBox::show() {
    const QSignalBlocker quiet(this);
    clear();
    setVisible(loops_.has_value());
    if (!loops_)
        return;
    const auto text = [](analyse::Basis basis) { return QString::fromStdString(analyse::per(basis)); };
    addItem(tr("%1 (usual)").arg(text(loops_->usual())), -1);
    for (const analyse::Basis basis : loops_->bases())
        addItem(text(basis), static_cast<int>(basis));
    const std::optional<analyse::Basis> wanted = selection_->current().basis;
    const bool there = wanted && loops_->shown(wanted) == *wanted;
    setCurrentIndex(there ? findData(static_cast<int>(*wanted)) : 0);
}

} // namespace tilescope::ui
