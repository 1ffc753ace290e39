// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/imports.h"

#include <cstddef>
#include <cstdint>

/// One libFuzzer target for each import: TILESCOPE_FUZZED_IMPORT is its name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const tilescope::tests::Import& import = tilescope::tests::import_named(TILESCOPE_FUZZED_IMPORT);
    import.take({reinterpret_cast<const char*>(data), size});
    return 0;
}
