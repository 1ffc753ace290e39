// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/file.h"

namespace onnx {
class TensorProto;
}

namespace tilescope::onnx {

/// "float", "int64" … of a TensorProto::DataType.
std::string onnx_type_name(int number);

/// The tensor of a protocol buffer; external data lies in `folder`. Errors: BadInput where values are missing
/// or of a type that cannot be read.
Result<OnnxTensor> read_proto(const ::onnx::TensorProto& proto, const std::string& folder,
                              const std::string& place);

} // namespace tilescope::onnx
