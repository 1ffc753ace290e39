// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kinds.h"

#include <compare>
#include <string>

namespace tilescope {

/// What a leaf of the program does, apart from the operation that it does it for: "Convolve", "exchange" of
/// "partials".
struct StepWork {
    StepRole role = StepRole::Structure;
    std::string verb; ///< after the path of an operation in the body of a loop: "matmul/Convolve"; with the
                      ///< host that of a HostWork (base/host_work.h): "" moves a stream, "begin" …
    std::string of;   ///< a tensor, "input", "weights" or what the operation makes on the way; with the host
                      ///< the stream; "": none
    auto operator<=>(const StepWork&) const = default;
    /// "exchange(partials)"; with the host "labels", "labels/rearrange".
    std::string text() const {
        if (role == StepRole::Host)
            return verb.empty() ? of : of + "/" + verb;
        return of.empty() ? verb : verb + "(" + of + ")";
    }
};

} // namespace tilescope
