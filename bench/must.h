// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace tilescope::bench {

/// The value of a result that a benchmark cannot go on without.
template<class T>
T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().line().c_str());
        std::exit(1);
    }
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

} // namespace tilescope::bench
