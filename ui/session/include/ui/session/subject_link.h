// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/selection.h"

#include <QString>
#include <cstdint>
#include <optional>

namespace tilescope::ui {

/// What a name in the panel at the side leads to.
enum class Subject { Operation, Layer, Step, Ipu, Tile };

/// A name as rich text that selects what it names: a link, in the colour of links; the mere name where there
/// is no such thing (id below 0). `ipu`: of a tile.
QString subjectLink(Subject subject, std::int64_t id, const QString& name, std::int64_t ipu = 0);

/// The selection with what a link names as its subject; nullopt: it is no link to a subject.
std::optional<Selection> followed(const QString& link, const Selection& selection);

} // namespace tilescope::ui
