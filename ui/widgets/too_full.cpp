// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/too_full.h"

#include "base/try.h"
#include "profile/lookup.h"
#include "ui/session/format.h"
#include "ui/session/subject_link.h"
#include "ui/session/view.h"

#include <QLabel>

namespace tilescope::ui {
namespace {

const QString remedies = QStringLiteral("summary"); ///< link to the view that has them

} // namespace

QString TooFull::text() const {
    return View::tr("This program was never run: IPU %1 tile %2 needs %3 of %4 at step %5.")
        .arg(ipu)
        .arg(tile)
        .arg(formatBytes(bytes), formatBytes(bytes_per_tile), step);
}

QString TooFull::links() const {
    return inHtml(QStringLiteral("<a href='%1'>%2</a> · <a href='%3'>%4</a>"),
                  {linkTo(Subject::Tile, tile, ipu), View::tr("Show the tile"), remedies,
                   View::tr("What would make it fit")});
}

Result<std::optional<TooFull>> tooFull(const profile::Profile& file) {
    TRY(const auto run, file.run());
    if (run.status != profile::RunStatus::OutOfMemory)
        return std::nullopt;
    TRY(const auto tiles, file.oversize_tiles());
    if (tiles.empty())
        return std::nullopt;
    TRY(const auto target, file.target());
    const profile::OversizeTileRecord& worst = tiles.front(); // the one that needs most
    TRY(const auto step, profile::name_of(file, profile::Named::ProgramStep, worst.program_id));
    return TooFull{worst.ipu, worst.tile, worst.bytes, target.bytes_per_tile, ui::text(step)};
}

void leadFrom(QLabel& label, View& view) {
    label.setTextInteractionFlags(Qt::TextBrowserInteraction);
    QObject::connect(&label, &QLabel::linkActivated, &view, [&view](const QString& link) {
        link == remedies ? view.goTo(remedies, {}) : view.goTo(QStringLiteral("memory"), link);
    });
}

} // namespace tilescope::ui
