// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session/selection.h"

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>

namespace tilescope::ui {

/// What a name in the panel at the side leads to.
enum class Subject { Operation, Layer, Step, Ipu, Tile, Variable, MicroBatch };

/// Names a subject for followed() and viewsShowing(); "" where there is no such thing (id below 0).
/// `ipu`: of a tile, and of a variable or a micro-batch where it is known.
QString linkTo(Subject subject, std::int64_t id, std::int64_t ipu = -1);

/// Views, by id, in which what a link names is found, the one that is made for it first. Empty: it is no link
/// to a subject.
QStringList viewsShowing(const QString& link);

/// A name as rich text that selects what it names: a link, in the colour of links; the mere name where there
/// is no such thing (id below 0).
QString subjectLink(Subject subject, std::int64_t id, const QString& name, std::int64_t ipu = -1);

/// Where what a link names shows: the view in front, by id, where that shows such things; else the one that
/// is made for them. "": it is no link to a subject.
QString placeOfLink(const QString& link, const QString& in_front);

/// The selection with what a link names as its subject; nullopt: it is no link to a subject.
std::optional<Selection> followed(const QString& link, const Selection& selection);

} // namespace tilescope::ui
