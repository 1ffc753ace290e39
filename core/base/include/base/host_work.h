// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_work.h"

#include <string>
#include <utility>

namespace tilescope {

/// What a step of StepRole::Host does: moves a stream; brings its bytes into the order of the tiles, or out
/// of it; begins and ends the meeting of several streams; waits until the tiles kept for the host are done.
enum class HostWork { Stream, Rearrange, Begin, End, Wait };
constexpr auto spelling(HostWork) {
    return spelled("work with the host", "", "rearrange", "begin", "end", "wait");
}

/// `of`: the stream.
inline StepWork host_work(HostWork verb, std::string of) {
    return {StepRole::Host, to_string(verb), std::move(of)};
}
inline bool is_host_work(const StepWork& work, HostWork verb) {
    return work.role == StepRole::Host &&
           work.verb == spelling(verb).values.at(static_cast<std::size_t>(verb));
}

} // namespace tilescope
