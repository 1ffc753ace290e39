// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings_dialog.h"

#include "ui/session/format.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <utility>

namespace tilescope::ui {

SettingsDialog::SettingsDialog(QWidget* parent)
    : QDialog(parent), theme_(new QComboBox), colours_(new QComboBox), scale_(new QSpinBox),
      time_(new QComboBox), bytes_(new QComboBox),
      reopen_(new QCheckBox(tr("Open them again at the start"))) {
    setWindowTitle(tr("Settings"));
    setObjectName(QStringLiteral("settings"));
    theme_->addItems({tr("Follow the desktop"), tr("Light"), tr("Dark")});
    theme_->setObjectName(QStringLiteral("settingTheme"));
    colours_->addItems({tr("Standard"), tr("For colour-blind readers")});
    colours_->setObjectName(QStringLiteral("settingColours"));
    scale_->setRange(least_font_percent, most_font_percent);
    scale_->setSingleStep(10);
    scale_->setSuffix(tr(" %"));
    scale_->setObjectName(QStringLiteral("settingFont"));
    time_->addItems({tr("Time (ns, µs, ms, s)"), tr("Cycles")});
    time_->setObjectName(QStringLiteral("settingTime"));
    bytes_->addItems({tr("KiB, MiB, GiB"), tr("Bytes")});
    bytes_->setObjectName(QStringLiteral("settingBytes"));
    reopen_->setObjectName(QStringLiteral("settingReopen"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(20, 18, 20, 14);
    form->setVerticalSpacing(10);
    form->addRow(tr("Theme"), theme_);
    form->addRow(tr("Colours of time"), colours_);
    form->addRow(tr("Size of text"), scale_);
    form->addRow(tr("Figures of time"), time_);
    form->addRow(tr("Figures of memory"), bytes_);
    form->addRow(tr("Last files"), reopen_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::RestoreDefaults | QDialogButtonBox::Close);
    form->addRow(buttons);
    show();
    for (QComboBox* box : {theme_, colours_, time_, bytes_})
        connect(box, &QComboBox::currentIndexChanged, this, &SettingsDialog::apply);
    connect(scale_, &QSpinBox::valueChanged, this, &SettingsDialog::apply);
    connect(reopen_, &QCheckBox::toggled, this, &SettingsDialog::apply);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
            &SettingsDialog::reset);
}

void SettingsDialog::show() {
    const QSettings settings;
    theme_->setCurrentIndex(static_cast<int>(rememberedTheme()));
    colours_->setCurrentIndex(static_cast<int>(rememberedColours()));
    scale_->setValue(rememberedFontPercent());
    time_->setCurrentIndex(units().cycles ? 1 : 0);
    bytes_->setCurrentIndex(units().whole_bytes ? 1 : 0);
    reopen_->setChecked(settings.value(QStringLiteral("window/reopen"), true).toBool());
}

void SettingsDialog::apply() {
    QSettings settings;
    const auto colours = std::pair(rememberedTheme(), rememberedColours());
    settings.setValue(QStringLiteral("window/theme"), theme_->currentIndex());
    settings.setValue(QStringLiteral("window/colours"), colours_->currentIndex());
    settings.setValue(QStringLiteral("window/reopen"), reopen_->isChecked());
    if (std::pair(rememberedTheme(), rememberedColours()) != colours)
        applyTheme(*qApp, rememberedTheme(), rememberedColours());
    if (rememberedFontPercent() != scale_->value()) {
        settings.setValue(QStringLiteral("window/font"), scale_->value());
        applyFontPercent(*qApp, scale_->value());
    }
    const Units wanted{time_->currentIndex() == 1, bytes_->currentIndex() == 1};
    if (wanted == units())
        return;
    setUnits(wanted);
    Q_EMIT unitsChanged();
}

void SettingsDialog::reset() {
    for (QComboBox* box : {theme_, colours_, time_, bytes_})
        box->setCurrentIndex(0);
    scale_->setValue(100);
    reopen_->setChecked(true);
}

} // namespace tilescope::ui
