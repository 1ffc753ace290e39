// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/subject_link.h"

#include <array>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::array names{std::pair(Subject::Operation, "operation"), std::pair(Subject::Layer, "layer"),
                           std::pair(Subject::Step, "step"), std::pair(Subject::Ipu, "ipu"),
                           std::pair(Subject::Tile, "tile")};

QString nameOf(Subject subject) {
    for (const auto& [each, name] : names)
        if (each == subject)
            return QLatin1String(name);
    return {};
}

} // namespace

QString subjectLink(Subject subject, std::int64_t id, const QString& name, std::int64_t ipu) {
    if (id < 0)
        return name.toHtmlEscaped();
    return QStringLiteral("<a style='color:@accent; text-decoration:none' href='%1:%2:%3'>%4</a>")
        .arg(nameOf(subject))
        .arg(id)
        .arg(ipu)
        .arg(name.toHtmlEscaped());
}

std::optional<Selection> followed(const QString& link, const Selection& selection) {
    const QStringList parts = link.split(QLatin1Char(':'));
    if (parts.size() != 3)
        return {};
    const std::int64_t id = parts[1].toLongLong();
    Selection next = selection;
    for (const auto& [subject, name] : names) {
        if (parts[0] != QLatin1String(name))
            continue;
        switch (subject) {
        case Subject::Ipu:
            next.ipu = id;
            next.tiles.clear(); // they were another IPU's
            return next;
        case Subject::Tile:
            next.ipu = parts[2].toLongLong();
            next.tiles = {id};
            return next;
        default:
            break;
        }
        next.operation = next.layer = next.program = next.variable = -1;
        (subject == Subject::Operation ? next.operation
         : subject == Subject::Layer   ? next.layer
                                       : next.program) = id;
        return next;
    }
    return {};
}

} // namespace tilescope::ui
