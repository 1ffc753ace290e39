// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <utility>

/// The short form of passing an error on. In a function that returns a Result,
///     TRY(auto shape, read_shape(json));    // the value, or the function ends with read_shape's error
///     TRY(layer.shape, read_shape(json));   // the same, into what there is
///     TRY(check_name(name));                // of a Result<void>, or of one whose value is not wanted
/// It is a statement of its own: not the branch of an `if` without braces.
#define TRY(...) TILESCOPE_TRY_CHOICE(__VA_ARGS__, TILESCOPE_TRY_VALUE, TILESCOPE_TRY_VOID, )(__VA_ARGS__)

#define TILESCOPE_TRY_CHOICE(first, second, chosen, ...) chosen
#define TILESCOPE_TRY_JOIN_(a, b) a##b
#define TILESCOPE_TRY_JOIN(a, b) TILESCOPE_TRY_JOIN_(a, b)

#define TILESCOPE_TRY_VOID(expression)                                                                       \
    do {                                                                                                     \
        if (auto tried = (expression); !tried)                                                               \
            return ::tilescope::Failure(std::move(tried.error()));                                           \
    } while (false)

#define TILESCOPE_TRY_VALUE(declaration, expression)                                                         \
    TILESCOPE_TRY_VALUE_(TILESCOPE_TRY_JOIN(tried_, __LINE__), declaration, expression)
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration and a name of a variable stand in none
#define TILESCOPE_TRY_VALUE_(tried, declaration, expression)                                                 \
    auto tried = (expression);                                                                               \
    if (!tried)                                                                                              \
        return ::tilescope::Failure(std::move(tried.error()));                                               \
    declaration = std::move(*tried)
// NOLINTEND(bugprone-macro-parentheses)
