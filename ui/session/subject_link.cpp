// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/subject_link.h"

#include "ui/session/format.h"

#include <array>
#include <utility>

namespace tilescope::ui {
namespace {

constexpr std::array names{std::pair(Subject::Operation, "operation"),
                           std::pair(Subject::Layer, "layer"),
                           std::pair(Subject::Step, "step"),
                           std::pair(Subject::Ipu, "ipu"),
                           std::pair(Subject::Tile, "tile"),
                           std::pair(Subject::Variable, "variable"),
                           std::pair(Subject::MicroBatch, "micro-batch")};

/// Views that show such a subject in themselves, and before them the one that is made for it.
QStringList viewsOf(Subject subject) {
    const auto views = [](std::initializer_list<const char*> ids) {
        QStringList all;
        for (const char* id : ids)
            all << QLatin1String(id);
        return all;
    };
    switch (subject) {
    case Subject::Operation:
        return views({"operations", "graph", "program", "trace", "liveness", "memory"});
    case Subject::Layer:
        return views({"graph", "operations", "program", "trace", "sharding", "summary"});
    case Subject::Step:
        return views({"program", "trace", "liveness"});
    case Subject::Tile:
        return views({"memory", "liveness", "exchange"});
    case Subject::Variable:
        return views({"memory", "liveness"});
    case Subject::MicroBatch:
        return views({"pipeline"});
    case Subject::Ipu: // wherever one is
        break;
    }
    return {};
}

QString nameOf(Subject subject) {
    for (const auto& [each, name] : names)
        if (each == subject)
            return QLatin1String(name);
    return {};
}

} // namespace

QString linkTo(Subject subject, std::int64_t id, std::int64_t ipu) {
    return id < 0 ? QString() : QStringLiteral("%1:%2:%3").arg(nameOf(subject)).arg(id).arg(ipu);
}

QStringList viewsShowing(const QString& link) {
    for (const auto& [subject, name] : names)
        if (link.startsWith(QLatin1String(name) + QLatin1Char(':')))
            return subject == Subject::Ipu ? QStringList{QStringLiteral("sharding"), QStringLiteral("memory"),
                                                         QStringLiteral("liveness"), QStringLiteral("trace"),
                                                         QStringLiteral("exchange")}
                                           : viewsOf(subject);
    return {};
}

QString subjectLink(Subject subject, std::int64_t id, const QString& name, std::int64_t ipu) {
    const QString link = linkTo(subject, id, ipu);
    return link.isEmpty()
               ? asHtml(name)
               : inHtml(QStringLiteral("<a style='color:@accent; text-decoration:none' href='%1'>%2</a>"),
                        {link, name});
}

QString placeOfLink(const QString& link, const QString& in_front) {
    for (const auto& [subject, name] : names)
        if (link.startsWith(QLatin1String(name) + QLatin1Char(':'))) {
            const QStringList views = viewsOf(subject);
            return views.isEmpty() || views.contains(in_front) ? in_front : views.front();
        }
    return {};
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
            next.lookAt(id);
            return next;
        case Subject::Tile:
            next.lookAt(parts[2].toLongLong(), {id});
            return next;
        default:
            break;
        }
        if (const std::int64_t ipu = parts[2].toLongLong(); ipu >= 0)
            next.lookAt(ipu);
        if (subject == Subject::MicroBatch) {
            next.follow(id);
            return next;
        }
        next.operation = next.layer = next.program = next.variable = -1;
        (subject == Subject::Operation  ? next.operation
         : subject == Subject::Layer    ? next.layer
         : subject == Subject::Variable ? next.variable
                                        : next.program) = id;
        return next;
    }
    return {};
}

} // namespace tilescope::ui
