// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/trace/alignment.h"

#include "base/try.h"

#include <array>
#include <cmath>
#include <utility>

namespace tilescope::ui {
namespace {

using On = Alignment::On;
constexpr std::array<std::pair<On, const char*>, 4> names{
    {{On::Beginning, "beginning"}, {On::Step, "step"}, {On::Operation, "operation"}, {On::Offset, "offset"}}};

/// A whole number from `least` on; `otherwise` where there is no such member.
Result<std::int64_t> number(const QJsonObject& object, const char* member, std::int64_t otherwise,
                            double least, const char* remedy) {
    const QJsonValue value = object[QLatin1String(member)];
    if (value.isUndefined())
        return otherwise;
    const double given = value.toDouble(0.5);
    if (given != std::floor(given) || given > Alignment::most_offset || given < least)
        return bad_input("\"" + std::string(member) + "\" is no such number", "align", remedy);
    return static_cast<std::int64_t>(given);
}

} // namespace

Alignment Alignment::swapped() const {
    Alignment other = *this;
    other.offset = -offset;
    return other;
}

QJsonObject Alignment::written() const {
    QJsonObject object;
    for (const auto& [of, name] : names)
        if (of == on)
            object[QStringLiteral("on")] = QLatin1String(name);
    if (on == On::Step || on == On::Operation) {
        object[QStringLiteral("epoch")] = static_cast<qint64>(epoch + 1);
        object[QStringLiteral("step")] = static_cast<qint64>(step + 1);
    }
    if (on == On::Operation)
        object[QStringLiteral("operation")] = operation;
    if (on == On::Offset)
        object[QStringLiteral("cycles")] = static_cast<qint64>(offset);
    return object;
}

Result<Alignment> Alignment::read(const QJsonObject& object) {
    Alignment alignment;
    const std::string on = object[QStringLiteral("on")].toString().toStdString();
    bool known = false;
    for (const auto& [of, name] : names)
        if (on == name) {
            alignment.on = of;
            known = true;
        }
    if (!known)
        return bad_input("\"on\" is \"" + on + "\"", "align",
                         "use \"beginning\", \"step\", \"operation\" or \"offset\"");
    TRY(alignment.epoch, number(object, "epoch", 1, 1, "count epochs from 1 on"));
    TRY(alignment.step, number(object, "step", 1, 1, "count steps from 1 on"));
    --alignment.epoch;
    --alignment.step;
    TRY(alignment.offset,
        number(object, "cycles", 0, -Alignment::most_offset, "give a whole number of cycles"));
    alignment.operation = object[QStringLiteral("operation")].toString();
    if (alignment.on == On::Operation && alignment.operation.isEmpty())
        return bad_input("\"operation\" has no name", "align", "name an operation of the new run");
    return alignment;
}

} // namespace tilescope::ui
