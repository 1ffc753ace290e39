// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings_dialog.h"

#include "analyse/basis.h"
#include "key_bindings.h"
#include "key_file.h"
#include "key_table.h"
#include "ui/session/folders.h"
#include "ui/session/format.h"
#include "ui/theme/application_font.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page_wheel.h"
#include "ui/widgets/tree_rows.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr const char* basis_key = "window/basis";  ///< as BasisBox::first reads it
constexpr const char* memory_key = "views/memory"; ///< as the view says it
constexpr const char* order_key = "order";         ///< in that
constexpr const char* gaps_key = "gaps";

constexpr analyse::Basis bases[] = {analyse::Basis::MicroBatch, analyse::Basis::Step,
                                    analyse::Basis::WeightUpdate, analyse::Basis::Execution};

QJsonObject memoryState() {
    return QJsonDocument::fromJson(QSettings().value(QLatin1String(memory_key)).toByteArray()).object();
}

} // namespace

SettingsDialog::SettingsDialog(KeyBindings& keys, QWidget* parent)
    : QDialog(parent), keys_(keys), page_(new QVBoxLayout) {
    setWindowTitle(tr("Settings"));
    setObjectName(QStringLiteral("settings"));
    auto* search = new QLineEdit;
    search->setObjectName(QStringLiteral("settingSearch"));
    search->setPlaceholderText(tr("Search settings and keys"));
    search->setAccessibleName(search->placeholderText());
    search->setClearButtonEnabled(true);
    auto* inner = new QWidget;
    inner->setLayout(page_);
    page_->setContentsMargins(2, 2, 10, 2);
    page_->setSpacing(14);
    makeLook();
    makeFigures();
    makeFiles();
    makeFolders();
    makeKeys();
    page_->addStretch();
    leaveWheelToPage(*inner);
    auto* scroll = new QScrollArea;
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 12, 12);
    layout->addWidget(search);
    layout->addWidget(scroll, 1);
    constexpr int letters = 84;
    constexpr int lines = 44;
    resize(letters * fontMetrics().averageCharWidth(), lines * fontMetrics().height());
    show();
    connect(search, &QLineEdit::textChanged, this, &SettingsDialog::filter);
}

SettingsDialog::Group& SettingsDialog::addGroup(const QString& title, const std::function<void()>& reset) {
    Group group{title, new QFrame, new QFormLayout, {}};
    group.box->setProperty("card", true);
    auto* name = new QLabel(title);
    QFont bold = name->font();
    bold.setWeight(QFont::DemiBold);
    name->setFont(bold);
    auto* button = new QPushButton(tr("Reset"));
    button->setObjectName(QStringLiteral("reset ") + title);
    button->setAutoDefault(false);
    button->setAccessibleName(tr("Reset %1").arg(title));
    connect(button, &QPushButton::clicked, this, reset);
    auto* head = new QHBoxLayout;
    head->addWidget(name);
    head->addStretch();
    head->addWidget(button);
    auto* layout = new QVBoxLayout(group.box);
    layout->setContentsMargins(16, 12, 16, 14);
    layout->addLayout(head);
    layout->addLayout(group.form);
    group.form->setVerticalSpacing(10);
    group.form->setHorizontalSpacing(20);
    page_->addWidget(group.box);
    groups_.push_back(group);
    return groups_.back();
}

void SettingsDialog::addRow(Group& group, const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setBuddy(field);
    field->setAccessibleName(name);
    group.form->addRow(label, field);
    group.rows.emplace_back(label, field);
}

QComboBox* SettingsDialog::choice(const char* name, const QStringList& choices) {
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->addItems(choices);
    connect(box, &QComboBox::currentIndexChanged, this, &SettingsDialog::apply);
    return box;
}

void SettingsDialog::makeLook() {
    Group& group = addGroup(tr("Look"), [this] {
        theme_->setCurrentIndex(0);
        colours_->setCurrentIndex(0);
        scale_->setValue(100);
        font_->setCurrentIndex(0);
        motion_->setChecked(false);
    });
    theme_ = choice("settingTheme", {tr("Follow the desktop"), tr("Light"), tr("Dark")});
    colours_ =
        choice("settingColours", {tr("Standard"), tr("For colour-blind readers"), tr("High contrast")});
    scale_ = new QSpinBox;
    scale_->setObjectName(QStringLiteral("settingFont"));
    scale_->setRange(least_font_percent, most_font_percent);
    scale_->setSingleStep(10);
    scale_->setSuffix(tr(" %"));
    connect(scale_, &QSpinBox::valueChanged, this, &SettingsDialog::apply);
    addRow(group, tr("Theme"), theme_);
    addRow(group, tr("Colours"), colours_);
    QStringList families{tr("the usual one")};
    for (const QString& family : QFontDatabase::families())
        if (!QFontDatabase::isPrivateFamily(family))
            families << family;
    font_ = choice("settingFamily", families);
    font_->setMaximumWidth(fontMetrics().averageCharWidth() * 40);
    motion_ = new QCheckBox(tr("Nothing moves by itself: what is shown next is there at once"));
    motion_->setObjectName(QStringLiteral("settingMotion"));
    connect(motion_, &QCheckBox::toggled, this, &SettingsDialog::apply);
    addRow(group, tr("Size of text"), scale_);
    addRow(group, tr("Font of text"), font_);
    addRow(group, tr("Motion"), motion_);
}

void SettingsDialog::makeFigures() {
    Group& group = addGroup(tr("Figures"), [this] {
        for (QComboBox* box : {time_, bytes_, basis_, tiles_})
            box->setCurrentIndex(0);
        gaps_->setChecked(true);
    });
    time_ = choice("settingTime", {tr("Time (ns, µs, ms, s)"), tr("Cycles")});
    bytes_ = choice("settingBytes", {tr("KiB, MiB, GiB"), tr("Bytes")});
    QStringList names{tr("the usual one of each file")};
    for (const analyse::Basis basis : bases)
        names << QString::fromStdString(analyse::per(basis));
    basis_ = choice("settingBasis", names);
    tiles_ = choice("settingTiles", {tr("floor plan of the chip"), tr("by number")});
    addRow(group, tr("Time"), time_);
    addRow(group, tr("Memory"), bytes_);
    addRow(group, tr("Per, at first"), basis_);
    gaps_ = new QCheckBox(tr("The end of each tile's highest allocation, which must fit, is drawn"));
    gaps_->setObjectName(QStringLiteral("settingGaps"));
    connect(gaps_, &QCheckBox::toggled, this, &SettingsDialog::apply);
    addRow(group, tr("Order of tiles"), tiles_);
    addRow(group, tr("Gaps in Memory"), gaps_);
}

void SettingsDialog::makeFiles() {
    Group& group = addGroup(tr("Files"), [this] {
        reopen_->setChecked(true);
        reload_->setChecked(false);
    });
    reopen_ = new QCheckBox(tr("Open those of the last time"));
    reopen_->setObjectName(QStringLiteral("settingReopen"));
    reload_ = new QCheckBox(tr("Read the file in front anew, without asking"));
    reload_->setObjectName(QStringLiteral("settingReload"));
    for (QCheckBox* box : {reopen_, reload_})
        connect(box, &QCheckBox::toggled, this, &SettingsDialog::apply);
    addRow(group, tr("At the start"), reopen_);
    addRow(group, tr("When another takes its name"), reload_);
}

void SettingsDialog::makeKeys() {
    Group& group = addGroup(tr("Keys"), [this] {
        keys_.reset();
        table_->refresh();
    });
    table_ = new KeyTable(keys_);
    constexpr int rows = 14;
    table_->setMinimumHeight(rows * (fontMetrics().height() + 7));
    auto* note = new QLabel(tr("Enter asks for other keys, Del takes them away."));
    note->setForegroundRole(QPalette::PlaceholderText);
    note->setWordWrap(true);
    keys_note_ = new QLabel;
    keys_note_->setObjectName(QStringLiteral("keysNote"));
    keys_note_->setWordWrap(true);
    keys_note_->hide();
    auto* row = new QHBoxLayout;
    row->addWidget(note, 1);
    const auto button = [&](const QString& text, const char* name, const QString& tip,
                            void (SettingsDialog::*done)()) {
        auto* made = new QPushButton(text);
        made->setObjectName(QLatin1String(name));
        made->setToolTip(tip);
        made->setAutoDefault(false);
        connect(made, &QPushButton::clicked, this, done);
        row->addWidget(made);
    };
    button(tr("Import…"), "importKeys", tr("Take the keys of a file in place of those that were given here"),
           &SettingsDialog::importKeys);
    button(tr("Export…"), "exportKeys",
           tr("Save the keys that were given here, for another machine or person"),
           &SettingsDialog::exportKeys);
    auto* layout = static_cast<QVBoxLayout*>(group.box->layout());
    layout->addWidget(table_);
    layout->addLayout(row);
    layout->addWidget(keys_note_);
}

void SettingsDialog::exportKeys() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export keys"), QStringLiteral("tilescope-keys.json"), tr("Keys (*.json)"));
    if (path.isEmpty())
        return;
    const auto written = writeKeys(path, keys_);
    keys_note_->setText(written ? tr("Saved as %1.").arg(path) : text(written.error().line()));
    keys_note_->show();
}

void SettingsDialog::importKeys() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Import keys"), {}, tr("Keys (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    const auto unknown = readKeys(path, keys_);
    keys_note_->setText(!unknown ? text(unknown.error().line())
                        : unknown->isEmpty()
                            ? tr("Taken from %1.").arg(path)
                            : tr("Taken from %1, but for commands that are not known here: %2.")
                                  .arg(path, unknown->join(QStringLiteral(", "))));
    keys_note_->show();
    table_->refresh();
}

void SettingsDialog::show() {
    showing_ = true;
    const QSettings settings;
    theme_->setCurrentIndex(static_cast<int>(rememberedTheme()));
    colours_->setCurrentIndex(static_cast<int>(rememberedColours()));
    scale_->setValue(rememberedFontPercent());
    font_->setCurrentIndex(std::max(0, font_->findText(rememberedFontFamily())));
    motion_->setChecked(motionReduced());
    time_->setCurrentIndex(units().cycles ? 1 : 0);
    bytes_->setCurrentIndex(units().whole_bytes ? 1 : 0);
    basis_->setCurrentIndex(0);
    for (int i = 0; i < static_cast<int>(std::size(bases)); ++i)
        if (QString::fromStdString(analyse::key(bases[i])) ==
            settings.value(QLatin1String(basis_key)).toString())
            basis_->setCurrentIndex(i + 1);
    tiles_->setCurrentIndex(memoryState()[QLatin1String(order_key)].toInt());
    gaps_->setChecked(memoryState()[QLatin1String(gaps_key)].toBool(true));
    reopen_->setChecked(settings.value(QStringLiteral("window/reopen"), true).toBool());
    reload_->setChecked(settings.value(QStringLiteral("window/reload"), false).toBool());
    showFolders();
    showing_ = false;
}

void SettingsDialog::apply() {
    if (showing_)
        return;
    QSettings settings;
    const auto colours = std::pair(rememberedTheme(), rememberedColours());
    settings.setValue(QStringLiteral("window/theme"), theme_->currentIndex());
    settings.setValue(QStringLiteral("window/colours"), colours_->currentIndex());
    settings.setValue(QStringLiteral("window/reopen"), reopen_->isChecked());
    settings.setValue(QStringLiteral("window/reload"), reload_->isChecked());
    if (std::pair(rememberedTheme(), rememberedColours()) != colours)
        applyTheme(*qApp, rememberedTheme(), rememberedColours());
    const QString family = font_->currentIndex() <= 0 ? QString() : font_->currentText();
    if (rememberedFontPercent() != scale_->value() || rememberedFontFamily() != family)
        rememberFont(*qApp, family, scale_->value());
    if (motionReduced() != motion_->isChecked())
        setMotionReduced(motion_->isChecked());
    applyFigures();
    setNotesBeside(notes_->currentIndex() == 0);
}

void SettingsDialog::applyFigures() {
    QSettings settings;
    const int chosen = basis_->currentIndex();
    const QString basis = chosen == 0 ? QString() : QString::fromStdString(analyse::key(bases[chosen - 1]));
    if (basis != settings.value(QLatin1String(basis_key)).toString()) {
        settings.setValue(QLatin1String(basis_key), basis);
        Q_EMIT basisChanged();
    }
    QJsonObject memory = memoryState();
    if (memory[QLatin1String(order_key)].toInt() != tiles_->currentIndex() ||
        memory[QLatin1String(gaps_key)].toBool(true) != gaps_->isChecked()) {
        memory[QLatin1String(order_key)] = tiles_->currentIndex();
        memory[QLatin1String(gaps_key)] = gaps_->isChecked();
        settings.setValue(QLatin1String(memory_key), QJsonDocument(memory).toJson());
        Q_EMIT memoryChanged();
    }
    const Units wanted{time_->currentIndex() == 1, bytes_->currentIndex() == 1};
    if (wanted == units())
        return;
    setUnits(wanted);
    Q_EMIT unitsChanged();
}

/// Groups with nothing that matches go, but for one of that title; of keys, those that do not.
void SettingsDialog::filter(const QString& text) {
    const TextMatch match(text);
    for (Group& group : groups_) {
        bool any = group.rows.empty() && table_->setFilter(text);
        for (const auto& [label, field] : group.rows) {
            const auto* box = qobject_cast<const QCheckBox*>(field);
            const QStringList texts{group.title, label->text(), box == nullptr ? QString() : box->text()};
            const bool shown = match(texts.join(QLatin1Char('\n')).toLower());
            label->setVisible(shown);
            field->setVisible(shown);
            any = any || shown;
        }
        group.box->setVisible(any);
    }
}

} // namespace tilescope::ui
