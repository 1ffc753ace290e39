// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/run_form.h"

#include "ui/live/override_table.h"
#include "ui/live/samples.h"
#include "ui/live/workload_settings.h"
#include "ui/session/folders.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/page_wheel.h"
#include "ui/widgets/view_action.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QDateTime>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGridLayout>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr int most_lines = 45; // of text, as wide as they are high

QLabel* muted(const QString& text) {
    auto* label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setWordWrap(true);
    return label;
}

QString folderOf(const QString& path) {
    return path.isEmpty() ? QString() : QFileInfo(path).absolutePath();
}

/// "run.tilescope of today 14:02"
QString nameAndTime(const QString& path) {
    const QFileInfo file(path);
    const QDateTime written = file.lastModified();
    const QString time = written.toString(QStringLiteral("HH:mm"));
    return written.date() == QDate::currentDate()
               ? RunForm::tr("%1 of today %2").arg(file.fileName(), time)
               : RunForm::tr("%1 of %2 %3").arg(file.fileName(), written.date().toString(Qt::ISODate), time);
}

const QString batch_key = QStringLiteral("fit.batch_size");
const QString seed_key = QStringLiteral("seed");
const QString system_key = QStringLiteral("system");

/// "fit.batch_size" of "fit.batch_size=8"
QString keyOf(const QString& setting) {
    return setting.section(QLatin1Char('='), 0, 0);
}

QJsonObject written(const RunRequest& r) {
    return {{QStringLiteral("workload"), r.workload},
            {QStringLiteral("data"), r.data_folder},
            {QStringLiteral("output"), r.output},
            {QStringLiteral("epochs"), r.epochs},
            {QStringLiteral("estimate"), r.estimate},
            {QStringLiteral("overrides"), QJsonArray::fromStringList(r.overrides)}};
}

RunRequest readRequest(const QJsonObject& state) {
    RunRequest r;
    r.workload = state[QStringLiteral("workload")].toString();
    r.data_folder = state[QStringLiteral("data")].toString();
    r.output = state[QStringLiteral("output")].toString();
    r.epochs = state[QStringLiteral("epochs")].toInt();
    r.estimate = state[QStringLiteral("estimate")].toBool();
    for (const auto& one : state[QStringLiteral("overrides")].toArray())
        r.overrides.append(one.toString());
    return r;
}

} // namespace

RunForm::RunForm(QWidget* parent)
    : QWidget(parent), samples_(sampleFiles()), workload_(new QLineEdit), data_(new QLineEdit),
      output_(new QLineEdit), epochs_(new QSpinBox), batch_(new QSpinBox), seed_(new QSpinBox),
      system_(new QComboBox), recent_button_(new QToolButton),
      estimate_(new QCheckBox(tr("Estimate only: time it without computing values"))),
      overrides_(new OverrideTable), hint_(muted({})), command_(new QLabel), error_(new QLabel),
      start_(new QPushButton(tr("Start the run"))), back_(new QPushButton) {
    setAcceptDrops(true);
    auto* title = new QLabel(tr("Start a run"));
    QFont big = title->font();
    big.setPointSizeF(big.pointSizeF() * 1.6);
    big.setWeight(QFont::DemiBold);
    title->setFont(big);

    workload_->setPlaceholderText(
        tr("a workload (.json), a model, a script (.py), or a part of a sample's name"));
    output_->setPlaceholderText(tr("the .tilescope file to write"));
    workload_->setObjectName(QStringLiteral("workload"));
    data_->setObjectName(QStringLiteral("data"));
    output_->setObjectName(QStringLiteral("output"));
    start_->setObjectName(QStringLiteral("start"));
    error_->setObjectName(QStringLiteral("form error"));
    start_->setDefault(true);

    auto* card = new Card({});
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(10);
    const auto row = [&](int at, const QString& name, QLineEdit* edit, void (RunForm::*browse)()) {
        auto* label = new QLabel(name);
        label->setBuddy(edit);
        edit->setClearButtonEnabled(true);
        auto* button = new QPushButton(tr("Browse…"));
        button->setAccessibleName(tr("Browse: %1").arg(QString(name).remove(QLatin1Char('&'))));
        grid->addWidget(label, at, 0);
        grid->addWidget(edit, at, 1);
        grid->addWidget(button, at, 2);
        connect(button, &QPushButton::clicked, this, browse);
        connect(edit, &QLineEdit::textChanged, this, &RunForm::update);
        connect(edit, &QLineEdit::returnPressed, this, [this, edit] {
            const auto* offered = edit->completer() == nullptr ? nullptr : edit->completer()->popup();
            if (offered == nullptr || !offered->isVisible() || !offered->currentIndex().isValid())
                start(); // else it takes the one that is marked
        });
    };
    row(0, tr("&Workload"), workload_, &RunForm::browseWorkload);
    auto* samples = new QCompleter(samples_, workload_); // a part of a sample's name is enough
    samples->setFilterMode(Qt::MatchContains);
    samples->setCaseSensitivity(Qt::CaseInsensitive);
    workload_->setCompleter(samples);
    connect(samples, qOverload<const QString&>(&QCompleter::activated), this, &RunForm::setWorkload);
    auto* begin = addKeyAction(this, tr("Start the run"), Qt::CTRL | Qt::Key_Return, [this] { start(); });
    start_->addAction(begin);
    begin->setShortcuts({Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter});
    start_->setToolTip(tr("Ctrl+Return"));
    row(1, tr("&Data folder"), data_, &RunForm::browseData);
    row(2, tr("&Profile"), output_, &RunForm::browseOutput);
    makeFields(*grid, 3);
    auto* overrides_label = new QLabel(tr("&Settings"));
    overrides_label->setToolTip(tr("Other than in the workload; Delete takes a row away"));
    overrides_label->setBuddy(overrides_);
    grid->addWidget(overrides_label, 5, 0, Qt::AlignTop);
    grid->addWidget(overrides_, 5, 1, 1, 2);
    card->body()->addLayout(grid);

    auto* shell = new QHBoxLayout;
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(command_->font().pointSizeF()); // as large as other text
    command_->setFont(fixed);
    command_->setForegroundRole(QPalette::PlaceholderText);
    command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    command_->setWordWrap(true);
    auto* copy = new QToolButton;
    copy->setIcon(themeIcon(QStringLiteral("copy"), &Theme::muted));
    copy->setObjectName(QStringLiteral("copy command"));
    copy->setToolTip(tr("Copy the same run as a command line"));
    copy->setAccessibleName(copy->toolTip());
    connect(copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(request().inFolders().commandLine()); });
    shell->addWidget(command_, 1);
    shell->addWidget(copy, 0, Qt::AlignTop);
    card->body()->addSpacing(4);
    card->body()->addLayout(shell);
    error_->setWordWrap(true);
    error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    error_->setProperty("error", QStringLiteral("text"));
    error_->hide();
    card->body()->addWidget(error_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(hint_, 1);
    buttons->addWidget(back_);
    buttons->addWidget(start_);
    card->body()->addLayout(buttons);

    auto* follow_card = new Card({});
    auto* follow_line = new QHBoxLayout;
    auto* follow = new QPushButton(tr("Follow a run…"));
    follow_line->addWidget(
        muted(tr("A run that was started elsewhere can be followed while it writes its profile: "
                 "drop the .tilescope file here, or choose it.")),
        1);
    follow_line->addWidget(follow);
    follow_card->body()->addLayout(follow_line);
    connect(follow, &QPushButton::clicked, this, &RunForm::browseFollow);

    auto* column = column_ = new QWidget;
    fitText();
    auto* column_layout = new QVBoxLayout(column);
    column_layout->setSpacing(12);
    makeRecent();
    auto* head = new QHBoxLayout;
    head->addWidget(title, 1);
    head->addWidget(recent_button_, 0, Qt::AlignBottom);
    column_layout->addLayout(head);
    column_layout->addWidget(
        muted(tr("Tilescope compiles the workload for simulated IPUs, runs it beside the "
                 "window, and shows its profile while it grows.")));
    column_layout->addWidget(card);
    column_layout->addWidget(follow_card);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(24, 20, 24, 24);
    layout->addStretch(2);
    auto* middle = new QHBoxLayout;
    middle->addStretch(1);
    middle->addWidget(column, 100);
    middle->addStretch(1);
    layout->addLayout(middle);
    leaveWheelToPage(*page);
    fillScrolling(this, page);
    layout->addStretch(3);

    connect(output_, &QLineEdit::textEdited, this,
            [this](const QString& text) { output_named_ = !text.isEmpty(); });
    connect(workload_, &QLineEdit::textEdited, this, &RunForm::setWorkload);
    connect(epochs_, &QSpinBox::valueChanged, this, &RunForm::update);
    connect(estimate_, &QCheckBox::toggled, this, &RunForm::update);
    connect(overrides_, &OverrideTable::edited, this, [this] {
        readFields();
        update();
    });
    connect(start_, &QPushButton::clicked, this, &RunForm::start);
    connect(back_, &QPushButton::clicked, this, &RunForm::backRequested);
    back_->hide();
    update();
}

/// Those that have what is typed in their names; the one that is named so in whole, alone.
QStringList RunForm::samplesNamed(const QString& typed) const {
    QStringList found;
    for (const QString& path : samples_) {
        const QFileInfo file(path);
        if (file.completeBaseName().compare(typed, Qt::CaseInsensitive) == 0)
            return {path};
        if (file.fileName().contains(typed, Qt::CaseInsensitive))
            found << path;
    }
    return found;
}

/// A file that is typed, or the only sample that may be meant.
QString RunForm::workloadFile() const {
    QString typed = workload_->text().trimmed();
    if (typed.isEmpty() || QFileInfo(typed).isFile())
        return typed;
    const QStringList samples = samplesNamed(typed);
    return samples.size() == 1 ? samples.front() : typed;
}

RunRequest RunForm::request() const {
    return {workloadFile(),   data_->text().trimmed(), output_->text().trimmed(),
            epochs_->value(), estimate_->isChecked(),  overrides_->overrides()};
}

void RunForm::setRun(const QString& workload, const QStringList& changes) {
    epochs_->setValue(0);
    estimate_->setChecked(false);
    overrides_->setOverrides({});
    setWorkload(workload);
    for (const QString& change : changes)
        setOverride(change);
}

void RunForm::setOverride(const QString& one) {
    if (one.section(QLatin1Char('='), 0, 0) == QLatin1String("estimate")) // which is no setting of a workload
        return estimate_->setChecked(one.section(QLatin1Char('='), 1) == QLatin1String("true"));
    overrides_->setOverride(one);
}

QString RunForm::problem() const {
    const RunRequest r = request().inFolders();
    if (r.workload.isEmpty())
        return tr("Choose a workload to begin, or drop one here.");
    if (!QFileInfo(r.workload).isFile()) {
        const qsizetype samples = samplesNamed(workload_->text().trimmed()).size();
        return samples == 0 ? tr("There is no such workload file.")
                            : tr("%1 samples have that in their names: Return lists them.").arg(samples);
    }
    if (!r.data_folder.isEmpty() && !QFileInfo(r.data_folder).isDir())
        return tr("There is no such data folder.");
    if (r.output.isEmpty())
        return tr("Name the profile to write.");
    if (!QFileInfo(folderOf(r.output)).isWritable())
        return tr("The profile's folder does not exist or cannot be written.");
    return overrides_->problem();
}

void RunForm::update() {
    const QString wrong = problem();
    const bool script = request().ofScript();
    epochs_->setEnabled(!script);
    epochs_->setSpecialValueText(script ? tr("as in the script") : tr("as in the workload"));
    epochs_->setToolTip(script ? tr("A script says itself how many epochs it trains") : QString());
    start_->setEnabled(wrong.isEmpty() && !starting_);
    start_->setText(starting_ ? tr("Starting…") : tr("Start the run"));
    const QString of_settings = QDir::toNativeSeparators(dataFolder());
    data_->setPlaceholderText(of_settings.isEmpty()
                                  ? tr("optional; without it TILESCOPE_DATA, or the built-in digits")
                                  : tr("optional; without it %1, as the settings have it").arg(of_settings));
    hint_->setText(!wrong.isEmpty() ? wrong
                   : QFileInfo::exists(request().output)
                       ? tr("Replaces %1 once it is complete.").arg(nameAndTime(request().output))
                       : QString());
    command_->setText(request().workload.isEmpty()
                          ? QStringLiteral("tilescope profile %1 -o %2").arg(tr("WORKLOAD"), tr("PROFILE"))
                          : request().inFolders().commandLine());
}

/// The settings may be others by then.
bool RunForm::event(QEvent* event) {
    if (event->type() == QEvent::Show || event->type() == QEvent::WindowActivate)
        update();
    if (event->type() == QEvent::FontChange)
        fitText();
    return QWidget::event(event);
}

void RunForm::fitText() {
    column_->setMaximumWidth(most_lines * fontMetrics().height());
}

void RunForm::setWorkload(const QString& path) {
    if (workload_->text() != path)
        workload_->setText(path);
    if (output_named_ || path.isEmpty())
        return;
    const QString folder = output_->text().isEmpty() ? QDir::currentPath() : folderOf(output_->text());
    output_->setText(
        QDir(folder).filePath(QFileInfo(workloadFile()).completeBaseName() + QStringLiteral(".tilescope")));
}

void RunForm::showError(const QString& line) {
    error_->setText(line);
    error_->setVisible(!line.isEmpty());
}

void RunForm::setStarting(bool starting) {
    starting_ = starting;
    update();
}

void RunForm::setWayBack(const QString& file) {
    back_->setText(tr("Back to %1").arg(file));
    back_->setVisible(!file.isEmpty());
}

QJsonObject RunForm::saveState() const {
    QJsonObject state = written(request());
    state[QStringLiteral("output_named")] = output_named_;
    QJsonArray recent;
    for (const RunRequest& one : recent_)
        recent.append(written(one));
    state[QStringLiteral("recent")] = recent;
    return state;
}

void RunForm::restoreState(const QJsonObject& state) {
    take(readRequest(state));
    output_named_ = state[QStringLiteral("output_named")].toBool();
    setWorkload(workload_->text());
    recent_.clear();
    for (const auto& one : state[QStringLiteral("recent")].toArray())
        recent_.append(readRequest(one.toObject()));
    fillRecent();
}

void RunForm::take(const RunRequest& request) {
    data_->setText(request.data_folder);
    output_->setText(request.output);
    epochs_->setValue(request.epochs);
    estimate_->setChecked(request.estimate);
    overrides_->setOverrides(request.overrides);
    workload_->setText(request.workload);
}

/// What is changed most often has fields of its own; but for the epochs they are rows of the table below.
void RunForm::makeFields(QGridLayout& grid, int row) {
    constexpr int apart = 20;
    constexpr int lines_apart = 8;
    const auto named = [](const QString& name, QWidget* field) {
        auto* label = new QLabel(name);
        label->setBuddy(field);
        auto* both = new QWidget;
        auto* line = new QHBoxLayout(both);
        line->setContentsMargins({});
        line->setSpacing(8);
        line->addWidget(label);
        line->addWidget(field);
        return both;
    };
    for (const auto& [field, name, least] :
         {std::tuple(epochs_, "epochs", 0), {batch_, "batch", 0}, {seed_, "seed", -1}}) {
        field->setObjectName(QLatin1String(name));
        field->setSpecialValueText(tr("as in the workload"));
        field->setRange(least, std::numeric_limits<int>::max());
        field->setValue(least);
    }
    epochs_->setMaximum(100000);
    system_->setObjectName(QStringLiteral("system"));
    system_->addItem(tr("as in the workload"));
    for (const WorkloadSetting& setting : workloadSettings())
        if (setting.key == system_key + QStringLiteral(".name"))
            system_->addItems(setting.choices);
    auto* label = new QLabel(tr("&Epochs"));
    label->setBuddy(epochs_);
    auto* numbers = new FlowLayout(apart, lines_apart);
    numbers->addWidget(epochs_);
    numbers->addWidget(named(tr("&Batch"), batch_));
    numbers->addWidget(named(tr("Se&ed"), seed_));
    grid.addWidget(label, row, 0);
    grid.addLayout(numbers, row, 1, 1, 2);
    auto* system_label = new QLabel(tr("S&ystem"));
    system_label->setBuddy(system_);
    auto* machine = new FlowLayout(apart, lines_apart);
    machine->addWidget(system_);
    machine->addWidget(estimate_);
    machine->setAlignment(estimate_, Qt::AlignVCenter);
    grid.addWidget(system_label, row + 1, 0);
    grid.addLayout(machine, row + 1, 1, 1, 2);
    connect(batch_, &QSpinBox::valueChanged, this,
            [this](int value) { setField(batch_key, value > 0 ? QString::number(value) : QString()); });
    connect(seed_, &QSpinBox::valueChanged, this,
            [this](int value) { setField(seed_key, value >= 0 ? QString::number(value) : QString()); });
    connect(system_, &QComboBox::activated, this,
            [this](int index) { setField(system_key, index > 0 ? system_->itemText(index) : QString()); });
}

void RunForm::setField(const QString& key, const QString& value) {
    if (!value.isEmpty())
        return overrides_->setOverride(key + QLatin1Char('=') + value);
    QStringList others = overrides_->overrides();
    others.removeIf([&](const QString& one) { return keyOf(one) == key; });
    overrides_->setOverrides(others);
}

void RunForm::readFields() {
    std::map<QString, QString> values;
    for (const QString& one : overrides_->overrides())
        values[keyOf(one)] = one.section(QLatin1Char('='), 1);
    for (const auto& [field, key] : {std::pair(batch_, batch_key), {seed_, seed_key}}) {
        const QSignalBlocker quiet(field);
        bool number = false;
        const int value = values[key].toInt(&number);
        field->setValue(number ? value : field->minimum());
    }
    const QSignalBlocker quiet(system_);
    system_->setCurrentIndex(std::max(0, system_->findText(values[system_key])));
}

void RunForm::makeRecent() {
    recent_button_->setText(tr("Last runs"));
    recent_button_->setObjectName(QStringLiteral("recentRuns"));
    recent_button_->setToolTip(tr("Set up one of the last ten runs again"));
    recent_button_->setPopupMode(QToolButton::InstantPopup);
    recent_button_->setMenu(new QMenu(recent_button_));
    fillRecent();
}

void RunForm::fillRecent() {
    QMenu* menu = recent_button_->menu();
    menu->clear();
    menu->setToolTipsVisible(true);
    for (const RunRequest& one : recent_) {
        QStringList words{QFileInfo(one.workload).completeBaseName()};
        if (one.epochs > 0)
            words << (one.epochs == 1 ? tr("1 epoch") : tr("%1 epochs").arg(one.epochs));
        if (one.estimate)
            words << tr("estimate");
        words << one.overrides;
        QAction* action = menu->addAction(words.join(QStringLiteral(", ")), this, [this, one] {
            output_named_ = true;
            take(one);
        });
        action->setToolTip(one.commandLine());
    }
    recent_button_->setVisible(!recent_.isEmpty());
}

void RunForm::begin() {
    workload_->setFocus();
    workload_->selectAll();
}

void RunForm::start() {
    showError({});
    QCompleter* const samples = workload_->completer();
    samples->popup()->hide(); // what it offers would stay above the page of the run
    if (const QString file = workloadFile(); file != workload_->text().trimmed())
        setWorkload(file);
    if (const QString typed = workload_->text().trimmed();
        !typed.isEmpty() && !QFileInfo(typed).isFile() && !samplesNamed(typed).isEmpty()) {
        workload_->setFocus();
        samples->setCompletionPrefix(typed);
        QTimer::singleShot(0, samples, [samples] { samples->complete(); }); // after the key, which closes it
    }
    if (!problem().isEmpty())
        return;
    recent_.removeAll(request());
    recent_.prepend(request());
    recent_.resize(std::min(recent_.size(), most_recent));
    fillRecent();
    Q_EMIT startRequested(request().inFolders());
}

void RunForm::browseWorkload() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Choose a workload"), folderOf(workload_->text()),
                                     tr("Workloads, models and scripts (*.json *.onnx *.py);;All files (*)"));
    if (!path.isEmpty())
        setWorkload(path);
}

void RunForm::browseData() {
    const QString path = QFileDialog::getExistingDirectory(this, tr("Choose the data folder"), data_->text());
    if (!path.isEmpty())
        data_->setText(path);
}

void RunForm::browseOutput() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Name the profile"), output_->text(),
                                                      tr("Profiles (*.tilescope)"));
    if (path.isEmpty())
        return;
    output_->setText(path);
    output_named_ = true;
}

void RunForm::browseFollow() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Follow a run"), folderOf(output_->text()),
                                                      tr("Profiles (*.tilescope);;All files (*)"));
    if (!path.isEmpty())
        Q_EMIT followRequested(path);
}

void RunForm::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls())
        event->acceptProposedAction();
}

void RunForm::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls()) {
        const QString path = url.toLocalFile();
        if (path.endsWith(QStringLiteral(".tilescope")))
            Q_EMIT followRequested(path);
        else if (!path.isEmpty())
            setWorkload(path);
    }
    event->acceptProposedAction();
}

} // namespace tilescope::ui
