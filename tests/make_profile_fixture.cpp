// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/profile_fixture.h"

#include <cstdio>
#include <string>

/// Records the made-up profiles of the tests at given paths, to look at them by hand.
int main(int argc, char** argv) {
    using namespace tilescope;
    if (argc != 2 && argc != 3) {
        std::fputs("usage: make_profile_fixture SMALL.tilescope [LARGE.tilescope]\n", stderr);
        return exit_code(ErrorKind::Usage);
    }
    for (int i = 1; i < argc; ++i) {
        const auto done =
            tests::record_fixture(argv[i], i == 1 ? tests::small_fixture : tests::large_fixture);
        if (!done) {
            std::fprintf(stderr, "make_profile_fixture: %s\n", done.error().line().c_str());
            return exit_code(done.error().kind);
        }
    }
    return 0;
}
