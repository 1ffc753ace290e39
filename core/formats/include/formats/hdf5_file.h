// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "graph/tensor.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::formats {

/// An HDF5 file, open for reading. Objects are named by their path from the root: "model_weights/conv2d".
/// Every failure is BadInput with the file as its place; HDF5 itself prints nothing. A file is read once to
/// its end before it is used (hdf5_probe.h), so that no damage can end the program.
class Hdf5File {
  public:
    /// Errors: missing, no HDF5 file, damaged or cut short, data sets that unpack to more than they may
    /// (unpacked_size.h).
    static Result<Hdf5File> open(const std::string& path);
    /// A file that is held in memory; `path` names it in messages, and its data sets hold at most so many
    /// bytes.
    static Result<Hdf5File> from_bytes(std::string bytes, const std::string& path, std::uint64_t most_bytes);

    const std::string& path() const { return path_; }
    /// Whether there is a group of this name; "" is the root.
    bool has_group(const std::string& group) const;
    /// The names of what a group holds, sorted; none where there is no such group.
    std::vector<std::string> members(const std::string& group) const;
    /// A string attribute of a group; nullopt where it is absent. Errors: it is no string.
    Result<std::optional<std::string>> text(const std::string& group, const std::string& attribute) const;
    /// A list of strings, of fixed or variable length; one that Keras has cut into attributes NAME0, NAME1 …
    /// is put together. nullopt where it is absent.
    Result<std::optional<std::vector<std::string>>> texts(const std::string& group,
                                                          const std::string& attribute) const;
    /// The extents of a data set. Errors: it is absent.
    Result<graph::Shape> shape(const std::string& data_set) const;
    /// The values of a data set of real numbers as float32: those of float32 bit for bit. Errors: it is
    /// absent, of another type than integers and floats, or cannot be read.
    Result<graph::HostTensor> floats(const std::string& data_set) const;

  private:
    struct Open;
    static Result<Hdf5File> opened(const std::function<std::int64_t()>& open, const std::string& path,
                                   std::uint64_t most_bytes);
    std::string path_;
    std::shared_ptr<Open> file_; // shared: copies of the object read the same open file
};

/// Whether bytes begin as an HDF5 file does.
bool begins_as_hdf5(const std::string& bytes);

} // namespace tilescope::formats
