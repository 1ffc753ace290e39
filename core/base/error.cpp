// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/error.h"

#include "base/shown_text.h"

#include <utility>

namespace tilescope {

std::string Error::line() const {
    std::string text = place.empty() ? message : place + ": " + message;
    if (!remedy.empty())
        text += "; " + remedy;
    return line_text(text);
}

int exit_code(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::NotMet:
        return 1;
    case ErrorKind::Usage:
        return 2;
    case ErrorKind::BadInput:
    case ErrorKind::NotSupported:
        return 3;
    case ErrorKind::OutOfMemory:
        return 4;
    case ErrorKind::Cancelled:
    case ErrorKind::System:
        break;
    }
    return 5;
}

namespace {
Failure failure(ErrorKind kind, std::string message, std::string place, std::string remedy) {
    return Failure(Error{kind, std::move(message), std::move(place), std::move(remedy)});
}
} // namespace

Failure bad_input(std::string message, std::string place, std::string remedy) {
    return failure(ErrorKind::BadInput, std::move(message), std::move(place), std::move(remedy));
}

Failure not_supported(std::string message, std::string place, std::string remedy) {
    return failure(ErrorKind::NotSupported, std::move(message), std::move(place), std::move(remedy));
}

Failure wrong_usage(std::string message, std::string place, std::string remedy) {
    return failure(ErrorKind::Usage, std::move(message), std::move(place), std::move(remedy));
}

Failure system_failure(std::string message, std::string place, std::string remedy) {
    return failure(ErrorKind::System, std::move(message), std::move(place), std::move(remedy));
}

Failure cancelled() {
    return failure(ErrorKind::Cancelled, "cancelled", {}, {});
}

} // namespace tilescope
