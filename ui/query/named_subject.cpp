// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/query/named_subject.h"

#include "base/try.h"
#include "profile/lookup.h"
#include "ui/session/format.h"

namespace tilescope::ui {

std::optional<Subject> subjectOf(const std::string& column) {
    for (const auto& [name, subject] :
         {std::pair("operation_id", Subject::Operation), std::pair("layer_id", Subject::Layer),
          std::pair("program_id", Subject::Step), std::pair("variable_id", Subject::Variable),
          std::pair("tile", Subject::Tile), std::pair("ipu", Subject::Ipu)})
        if (column == name)
            return subject;
    return {};
}

Result<std::string> nameOf(const profile::Profile& file, Subject what, std::int64_t id) {
    switch (what) {
    case Subject::Operation:
        return profile::name_of(file, profile::Named::Operation, id);
    case Subject::Layer:
        return profile::name_of(file, profile::Named::Layer, id);
    case Subject::Step:
        return profile::name_of(file, profile::Named::ProgramStep, id);
    case Subject::Variable:
        return profile::name_of(file, profile::Named::Variable, id);
    case Subject::Ipu:
    case Subject::Tile:
    case Subject::MicroBatch:
        break;
    }
    return std::string();
}

Result<std::optional<NamedSubject>> named(const profile::Profile& file, const std::string& name) {
    std::string quoted = "'";
    for (const char c : name)
        quoted += c == '\'' ? std::string("''") : std::string(1, c);
    quoted += "'";
    for (const auto& [what, columns] : {std::pair(Subject::Operation, "id, -1 FROM operation"),
                                        {Subject::Layer, "id, -1 FROM layer"},
                                        {Subject::Step, "id, -1 FROM program"},
                                        {Subject::Variable, "id, ipu FROM variable"}}) {
        TRY(const auto found,
            file.query(std::string("SELECT ") + columns + " WHERE name = " + quoted + " LIMIT 1"));
        if (!found.rows.empty())
            return NamedSubject{what, text(found.rows[0][0].text.value_or("")).toLongLong(),
                                text(found.rows[0][1].text.value_or("-1")).toLongLong()};
    }
    return std::nullopt;
}

Result<std::optional<NamedSubject>> namedIn(const profile::Profile& file,
                                            const std::vector<profile::QueryCell>& row) {
    for (const profile::QueryCell& cell : row) {
        if (cell.number || !cell.text || cell.text->empty())
            continue;
        TRY(const auto found, named(file, *cell.text));
        if (found)
            return found;
    }
    return std::nullopt;
}

} // namespace tilescope::ui
