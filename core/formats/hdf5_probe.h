// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <hdf5.h>

namespace tilescope::formats {

/// Outside: what it holds lies in other files.
enum class Hdf5Outcome { Reads, Damaged, TooLarge, Outside };

/// Whether every text and every data set of an HDF5 file can be read, and the data sets hold no more than
/// `most_bytes` as float32. `open` opens it and is called in a process of its own: on files with damaged
/// metadata the library itself may crash, and then only that process ends; nor may it take for ever, or more
/// memory than that allows: it has a few seconds and one for every 32 MiB of the file. The file must not be
/// used where the outcome is another than Reads.
Hdf5Outcome read_to_the_end(const std::function<hid_t()>& open, std::uint64_t most_bytes);

} // namespace tilescope::formats
