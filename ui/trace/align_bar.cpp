// SPDX-License-Identifier: GPL-3.0-or-later
#include "align_bar.h"

#include "ui/session/format.h"

#include <QComboBox>
#include <QCompleter>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope::ui {
namespace {

/// From 1 on, as a field can hold it.
int bounded(std::int64_t number) {
    return static_cast<int>(std::clamp<std::int64_t>(number, 1, std::numeric_limits<int>::max()));
}

QLabel* makeLabel(const QString& text) {
    auto* label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

QSpinBox* makeNumber(const QString& name, const QString& tip) {
    auto* number = new QSpinBox;
    number->setObjectName(name);
    number->setToolTip(tip);
    number->setAccessibleName(tip);
    number->setKeyboardTracking(false);
    number->setGroupSeparatorShown(true);
    number->setMinimum(1);
    return number;
}

} // namespace

AlignBar::AlignBar(QWidget* parent)
    : QWidget(parent), on_(new QComboBox), epoch_label_(makeLabel(tr("epoch"))),
      epoch_(makeNumber(QStringLiteral("alignEpoch"), tr("The epoch of the step that is aligned"))),
      step_label_(makeLabel(tr("step"))),
      step_(makeNumber(QStringLiteral("alignStep"), tr("The step that is aligned, within its epoch"))),
      operation_(new QLineEdit), operations_(new QStringListModel(this)), offset_(new QDoubleSpinBox),
      words_(makeLabel({})) {
    on_->setObjectName(QStringLiteral("alignOn"));
    on_->setAccessibleName(tr("What of both runs is aligned"));
    on_->setToolTip(tr("What of both runs stands at the same place. Ctrl and dragging the base's lanes moves "
                       "them by hand."));
    on_->addItems({tr("beginnings"), tr("a step"), tr("an operation"), tr("by hand")});
    operation_->setObjectName(QStringLiteral("alignOperation"));
    operation_->setPlaceholderText(tr("name of an operation"));
    operation_->setAccessibleName(tr("The operation that is aligned"));
    operation_->setMinimumWidth(fontMetrics().averageCharWidth() * 26);
    auto* completer = new QCompleter(operations_, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    operation_->setCompleter(completer);
    offset_->setObjectName(QStringLiteral("alignOffset"));
    offset_->setAccessibleName(tr("Cycles by which the base stands later"));
    offset_->setToolTip(tr("Cycles by which the base stands later; another number moves it by hand"));
    offset_->setDecimals(0);
    offset_->setRange(-Alignment::most_offset, Alignment::most_offset);
    offset_->setKeyboardTracking(false);
    offset_->setGroupSeparatorShown(true);
    offset_->setSuffix(tr(" cycles"));
    offset_->setFixedWidth(fontMetrics().averageCharWidth() * 26);
    words_->setObjectName(QStringLiteral("alignWords"));
    words_->setWordWrap(true);
    words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 0, 12, 6);
    layout->setSpacing(4);
    auto* row = new QHBoxLayout;
    layout->addLayout(row);
    layout->addWidget(words_);
    for (QWidget* part : std::initializer_list<QWidget*>{makeLabel(tr("Aligned:")), on_, epoch_label_, epoch_,
                                                         step_label_, step_, operation_, offset_})
        row->addWidget(part);
    row->addStretch(1);
    connect(on_, &QComboBox::activated, this, &AlignBar::choose);
    connect(epoch_, &QSpinBox::valueChanged, this, &AlignBar::choose);
    connect(step_, &QSpinBox::valueChanged, this, &AlignBar::choose);
    connect(operation_, &QLineEdit::editingFinished, this, [this] {
        if (operation_->text() != alignment_.operation)
            choose();
    });
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this, &AlignBar::choose,
            Qt::QueuedConnection); // the name is in the field by then
    connect(offset_, &QDoubleSpinBox::valueChanged, this, [this] {
        on_->setCurrentIndex(static_cast<int>(Alignment::On::Offset));
        choose();
    });
    setCurrent({}, 0, true, {});
}

void AlignBar::setChoices(std::int64_t epochs, std::int64_t steps, const QStringList& operations) {
    const QSignalBlocker quiet_epoch(epoch_), quiet_step(step_);
    epochs_ = epochs;
    epoch_->setMaximum(bounded(std::max(epochs, alignment_.epoch + 1)));
    step_->setMaximum(bounded(std::max(steps, alignment_.step + 1)));
    if (operations_->stringList() != operations)
        operations_->setStringList(operations);
}

void AlignBar::setCurrent(const Alignment& alignment, std::int64_t shift, bool found, const QString& words) {
    const QSignalBlocker quiet_epoch(epoch_), quiet_step(step_), quiet_offset(offset_);
    alignment_ = alignment;
    on_->setCurrentIndex(static_cast<int>(alignment.on));
    epoch_->setMaximum(std::max(epoch_->maximum(), bounded(alignment.epoch + 1)));
    step_->setMaximum(std::max(step_->maximum(), bounded(alignment.step + 1)));
    epoch_->setValue(bounded(alignment.epoch + 1));
    step_->setValue(bounded(alignment.step + 1));
    if (!operation_->hasFocus() || operation_->text().isEmpty())
        operation_->setText(alignment.operation);
    offset_->setValue(static_cast<double>(shift));
    const bool of_operation = alignment.on == Alignment::On::Operation;
    const bool of_step = of_operation || alignment.on == Alignment::On::Step;
    epoch_label_->setVisible(of_step && epochs_ > 1);
    epoch_->setVisible(of_step && epochs_ > 1);
    step_label_->setVisible(of_step);
    step_->setVisible(of_step);
    operation_->setVisible(of_operation);
    words_->setText(words);
    words_->setForegroundRole(found ? QPalette::PlaceholderText : QPalette::WindowText);
}

/// What the fields say.
void AlignBar::choose() {
    Alignment wanted;
    wanted.on = static_cast<Alignment::On>(on_->currentIndex());
    wanted.epoch = epoch_->value() - 1;
    wanted.step = step_->value() - 1;
    wanted.operation = operation_->text().trimmed();
    if (wanted.on == Alignment::On::Operation && wanted.operation.isEmpty())
        wanted.operation = suggested_;
    wanted.offset = std::llround(offset_->value());
    if (wanted != alignment_)
        Q_EMIT chosen(wanted);
}

} // namespace tilescope::ui
