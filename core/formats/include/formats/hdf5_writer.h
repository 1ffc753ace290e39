// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace tilescope::formats {

/// An HDF5 file that is being written, with groups, attributes of text and data sets, as Keras writes them.
/// Every failure is System with the file as its place. The file is complete once the object is gone.
class Hdf5Writer {
  public:
    /// A file that there may be of that name is replaced.
    static Result<Hdf5Writer> create(const std::string& path);

    /// Makes a group; those above it come to be as well.
    Result<void> group(const std::string& name);
    /// A string attribute of a group; "" is the root.
    Result<void> text(const std::string& group, const std::string& attribute, const std::string& value);
    /// A list of strings, each filled up to the length of the longest.
    Result<void> texts(const std::string& group, const std::string& attribute,
                       const std::vector<std::string>& values);
    /// A data set; groups on its path come to be.
    Result<void> data_set(const std::string& name, const graph::HostTensor& values);

  private:
    struct Open;
    std::string path_;
    std::shared_ptr<Open> file_;
};

} // namespace tilescope::formats
