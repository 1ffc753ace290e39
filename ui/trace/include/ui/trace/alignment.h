// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <QJsonObject>
#include <QString>
#include <cstdint>

namespace tilescope::ui {

/// What of two runs stands at the same place of a time line.
struct Alignment {
    enum class On {
        Beginning, ///< of both
        Step,      ///< begins in both at once
        Operation, ///< begins its first run within the step in both at once
        Offset     ///< chosen by hand
    };
    /// Cycles; beyond it, a double is no exact number of them.
    static constexpr double most_offset = 9e15;
    On on = On::Beginning;
    std::int64_t epoch = 0;  ///< from 0 on, as the next
    std::int64_t step = 0;   ///< within its epoch
    QString operation;       ///< name in the new run
    std::int64_t offset = 0; ///< cycles by which the base stands later
    bool operator==(const Alignment&) const = default;
    /// The same of the two runs in each other's place.
    Alignment swapped() const;

    QJsonObject written() const;
    /// BadInput names the member that is wrong.
    static Result<Alignment> read(const QJsonObject& object);
};

} // namespace tilescope::ui
