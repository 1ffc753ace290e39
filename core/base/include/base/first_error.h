// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

namespace tilescope {

/// The first failure among several results, or null: a view reads all it needs in one query.
template<class... Results>
const Error* first_error(const Results&... results) {
    const Error* error = nullptr;
    ((error == nullptr && !results ? static_cast<void>(error = &results.error()) : static_cast<void>(0)),
     ...);
    return error;
}

} // namespace tilescope
