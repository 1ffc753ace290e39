// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/interrupt.h"

#include <csignal>

namespace tilescope::app {
namespace {

CancelToken& cancel_token() {
    static CancelToken token; // reached from the signal handler
    return token;
}

extern "C" void on_interrupt(int signal) {
    cancel_token().cancel();
    std::signal(signal, SIG_DFL);
}

} // namespace

const CancelToken& cancelled_by_signals() {
    const CancelToken& token = cancel_token(); // made before a signal can come
    for (const int signal : {SIGINT, SIGTERM})
        std::signal(signal, on_interrupt);
    return token;
}

} // namespace tilescope::app
