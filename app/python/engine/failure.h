// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "base/spelling.h"

#include <string>
#include <utility>

namespace tilescope::python {

/// An error on its way to Python, where it is `tilescope_engine.Error`.
struct Thrown {
    Error error;
};

/// A kind as the modules spell it.
template<Spelled Kind>
Kind kind_or_throw(const std::string& text) {
    if (const auto known = parse<Kind>(text))
        return *known;
    throw Thrown{Error{ErrorKind::BadInput,
                       "there is no " + std::string(spelling(Kind{}).what) + " \"" + text + "\"",
                       {},
                       {}}};
}

template<class T>
T value_or_throw(Result<T> result) {
    if (!result)
        throw Thrown{std::move(result.error())};
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}
/// Of what cannot fail.
template<class T>
T value_or_throw(T value) {
    return value;
}

} // namespace tilescope::python
