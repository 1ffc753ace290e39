// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace tilescope {

/// What went wrong, as far as a caller must tell cases apart. The program's exit code follows from it.
/// `NotSupported` is input that is right elsewhere, as in Keras or ONNX, and asks for what is not there yet:
/// who needs it can ask for it.
enum class ErrorKind { NotMet, Usage, BadInput, NotSupported, OutOfMemory, Cancelled, System };

/// One failure that a user can act on: what, where (file, JSON path, layer) and what to do about it.
struct Error {
    ErrorKind kind = ErrorKind::System;
    std::string message;
    std::string place;
    std::string remedy;
    /// Bytes before the mistake in the text that was given, where that is known.
    std::optional<std::size_t> offset = {};

    /// "PLACE: MESSAGE; REMEDY" on one line, without the parts that are empty. Line breaks become spaces.
    std::string line() const;
};

template<class T>
using Result = tl::expected<T, Error>;
using Failure = tl::unexpected<Error>;

/// 1 a budget or expectation is not met, 2 wrong usage, 3 bad input, 4 out of memory, 5 anything else.
int exit_code(ErrorKind kind);

Failure bad_input(std::string message, std::string place = {}, std::string remedy = {});
Failure not_supported(std::string message, std::string place = {}, std::string remedy = {});
Failure wrong_usage(std::string message, std::string place = {}, std::string remedy = {});
Failure system_failure(std::string message, std::string place = {}, std::string remedy = {});
Failure cancelled();

} // namespace tilescope
