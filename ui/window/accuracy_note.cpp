// SPDX-License-Identifier: GPL-3.0-or-later
#include "accuracy_note.h"

#include "ui/session/format.h"
#include "ui/theme/whole_figures.h"

#include <QStringList>
#include <utility>

namespace tilescope::ui {

AccuracyNote::AccuracyNote() {
    setObjectName(QStringLiteral("accuracy"));
    setAccessibleName(tr("How far to trust what is predicted"));
    setForegroundRole(QPalette::PlaceholderText);
    setWordWrap(true);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setContentsMargins(10, 4, 10, 6);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    write();
}

void AccuracyNote::setSource(std::shared_ptr<ProfileSource> source) {
    if (!source_.set(std::move(source), [this] { ask(); }))
        return;
    bands_.clear();
    write();
    if (source_)
        ask();
}

void AccuracyNote::setKinds(const analyse::FigureKinds& kinds) {
    kinds_ = kinds;
    write();
}

void AccuracyNote::ask() {
    source_->ask<analyse::ErrorBands>(
        this, QStringLiteral("accuracy"), [](const profile::Profile& file) { return file.error_bands(); },
        [this](Result<analyse::ErrorBands> bands) {
            bands_ = bands ? std::move(*bands) : analyse::ErrorBands{};
            write();
        });
}

void AccuracyNote::write() {
    const QString error = ui::text(analyse::typical_error(bands_, kinds_));
    QString whole; // wraps, as plain text in a tip does not
    QStringList lines;
    for (const FigureKind kind : kinds_)
        if (const auto* band = analyse::band_of(bands_, kind)) {
            lines << ui::text(analyse::error_text(*band));
            whole += inHtml(QStringLiteral("<p>%1</p>"), {lines.back()});
        }
    setText(error.isEmpty() ? QString() : keepFiguresWhole(tr("predicted; %1").arg(error)));
    setToolTip(whole);
    setAccessibleDescription(lines.join(u'\n'));
    setVisible(!error.isEmpty());
    Q_EMIT told(whole, accessibleDescription());
}

} // namespace tilescope::ui
