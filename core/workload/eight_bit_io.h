// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "formats/json_reader.h"
#include "graph/builder.h"
#include "workload/workload.h"

namespace tilescope::workload {

/// Reads `data.eight_bit_io`: true, or what is done to each channel.
void read_eight_bit_io(const formats::Json& given, formats::ObjectReader& data, formats::Reading& reading,
                       Workload& workload);
formats::Json eight_bit_io_json(const EightBitIo& io);

/// Makes the floating inputs of the model, which is all that the graph has yet, bytes that are converted
/// first. Errors: BadInput where channels and settings do not fit, or no input is floating.
Result<void> add_eight_bit_inputs(graph::Builder& build, const Workload& workload);

} // namespace tilescope::workload
