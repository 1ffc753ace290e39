// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/live/run_form.h"

#include "ui/live/override_table.h"
#include "ui/live/samples.h"
#include "ui/theme/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/headed_page.h"
#include "ui/widgets/view_action.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
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
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

constexpr int form_width = 720;

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

} // namespace

RunForm::RunForm(QWidget* parent)
    : QWidget(parent), workload_(new QLineEdit), data_(new QLineEdit), output_(new QLineEdit),
      epochs_(new QSpinBox), estimate_(new QCheckBox(tr("Estimate only: time it without computing values"))),
      overrides_(new OverrideTable), hint_(muted({})), command_(new QLabel), error_(new QLabel),
      start_(new QPushButton(tr("Start the run"))), back_(new QPushButton) {
    setAcceptDrops(true);
    auto* title = new QLabel(tr("Start a run"));
    QFont big = title->font();
    big.setPointSizeF(big.pointSizeF() * 1.6);
    big.setWeight(QFont::DemiBold);
    title->setFont(big);

    workload_->setPlaceholderText(tr("a workload (.json), a Keras model, or a part of a sample's name"));
    data_->setPlaceholderText(tr("optional; without it TILESCOPE_DATA, or the built-in digits"));
    output_->setPlaceholderText(tr("the .tilescope file to write"));
    workload_->setObjectName(QStringLiteral("workload"));
    data_->setObjectName(QStringLiteral("data"));
    output_->setObjectName(QStringLiteral("output"));
    start_->setObjectName(QStringLiteral("start"));
    error_->setObjectName(QStringLiteral("form error"));
    epochs_->setSpecialValueText(tr("as in the workload"));
    epochs_->setRange(0, 100000);
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
        grid->addWidget(label, at, 0);
        grid->addWidget(edit, at, 1);
        grid->addWidget(button, at, 2);
        connect(button, &QPushButton::clicked, this, browse);
        connect(edit, &QLineEdit::textChanged, this, &RunForm::update);
        connect(edit, &QLineEdit::returnPressed, this, [this, edit] {
            if (edit->completer() == nullptr || !edit->completer()->popup()->isVisible())
                start(); // else it takes what is offered
        });
    };
    row(0, tr("&Workload"), workload_, &RunForm::browseWorkload);
    auto* samples = new QCompleter(sampleFiles(), workload_); // a part of a sample's name is enough
    samples->setFilterMode(Qt::MatchContains);
    samples->setCaseSensitivity(Qt::CaseInsensitive);
    workload_->setCompleter(samples);
    connect(samples, qOverload<const QString&>(&QCompleter::activated), this, &RunForm::setWorkload);
    auto* begin = addKeyAction(this, tr("Start the run"), Qt::CTRL | Qt::Key_Return, [this] { start(); });
    begin->setShortcuts({Qt::CTRL | Qt::Key_Return, Qt::CTRL | Qt::Key_Enter});
    start_->setToolTip(tr("Ctrl+Return"));
    row(1, tr("&Data folder"), data_, &RunForm::browseData);
    row(2, tr("&Profile"), output_, &RunForm::browseOutput);
    auto* epochs_label = new QLabel(tr("&Epochs"));
    epochs_label->setBuddy(epochs_);
    grid->addWidget(epochs_label, 3, 0);
    auto* options = new QHBoxLayout;
    options->addWidget(epochs_);
    options->addSpacing(12);
    options->addWidget(estimate_);
    options->addStretch();
    grid->addLayout(options, 3, 1, 1, 2);
    auto* overrides_label = new QLabel(tr("&Settings"));
    overrides_label->setToolTip(tr("Other than in the workload; Delete takes a row away"));
    overrides_label->setBuddy(overrides_);
    grid->addWidget(overrides_label, 4, 0, Qt::AlignTop);
    grid->addWidget(overrides_, 4, 1, 1, 2);
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
    connect(copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(request().commandLine()); });
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

    auto* column = new QWidget;
    column->setMaximumWidth(form_width);
    auto* column_layout = new QVBoxLayout(column);
    column_layout->setSpacing(12);
    column_layout->addWidget(title);
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
    fillScrolling(this, page);
    layout->addStretch(3);

    connect(output_, &QLineEdit::textEdited, this,
            [this](const QString& text) { output_named_ = !text.isEmpty(); });
    connect(workload_, &QLineEdit::textEdited, this, &RunForm::setWorkload);
    connect(epochs_, &QSpinBox::valueChanged, this, &RunForm::update);
    connect(estimate_, &QCheckBox::toggled, this, &RunForm::update);
    connect(overrides_, &OverrideTable::edited, this, &RunForm::update);
    connect(start_, &QPushButton::clicked, this, &RunForm::start);
    connect(back_, &QPushButton::clicked, this, &RunForm::backRequested);
    back_->hide();
    update();
}

RunRequest RunForm::request() const {
    return {workload_->text().trimmed(), data_->text().trimmed(), output_->text().trimmed(), epochs_->value(),
            estimate_->isChecked(),      overrides_->overrides()};
}

void RunForm::setOverride(const QString& one) {
    overrides_->setOverride(one);
}

QString RunForm::problem() const {
    const RunRequest r = request();
    if (r.workload.isEmpty())
        return tr("Choose a workload to begin, or drop one here.");
    if (!QFileInfo(r.workload).isFile())
        return tr("There is no such workload file.");
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
    start_->setEnabled(wrong.isEmpty() && !starting_);
    start_->setText(starting_ ? tr("Starting…") : tr("Start the run"));
    hint_->setText(!wrong.isEmpty() ? wrong
                   : QFileInfo::exists(request().output)
                       ? tr("Replaces %1 once it is complete.").arg(nameAndTime(request().output))
                       : QString());
    command_->setText(request().workload.isEmpty()
                          ? QStringLiteral("tilescope profile %1 -o %2").arg(tr("WORKLOAD"), tr("PROFILE"))
                          : request().commandLine());
}

void RunForm::setWorkload(const QString& path) {
    if (workload_->text() != path)
        workload_->setText(path);
    if (output_named_ || path.isEmpty())
        return;
    const QString folder = output_->text().isEmpty() ? QDir::currentPath() : folderOf(output_->text());
    output_->setText(
        QDir(folder).filePath(QFileInfo(path).completeBaseName() + QStringLiteral(".tilescope")));
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
    const RunRequest r = request();
    return {{QStringLiteral("workload"), r.workload},
            {QStringLiteral("data"), r.data_folder},
            {QStringLiteral("output"), r.output},
            {QStringLiteral("output_named"), output_named_},
            {QStringLiteral("epochs"), r.epochs},
            {QStringLiteral("estimate"), r.estimate},
            {QStringLiteral("overrides"), QJsonArray::fromStringList(r.overrides)}};
}

void RunForm::restoreState(const QJsonObject& state) {
    data_->setText(state[QStringLiteral("data")].toString());
    output_->setText(state[QStringLiteral("output")].toString());
    output_named_ = state[QStringLiteral("output_named")].toBool();
    epochs_->setValue(state[QStringLiteral("epochs")].toInt());
    estimate_->setChecked(state[QStringLiteral("estimate")].toBool());
    QStringList overrides;
    for (const auto& one : state[QStringLiteral("overrides")].toArray())
        overrides.append(one.toString());
    overrides_->setOverrides(overrides);
    setWorkload(state[QStringLiteral("workload")].toString());
}

void RunForm::begin() {
    workload_->setFocus();
    workload_->selectAll();
}

void RunForm::start() {
    showError({});
    workload_->completer()->popup()->hide(); // what it offers would stay above the page of the run
    if (problem().isEmpty())
        Q_EMIT startRequested(request());
}

void RunForm::browseWorkload() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Choose a workload"), folderOf(workload_->text()),
                                     tr("Workloads and models (*.json *.onnx);;All files (*)"));
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
