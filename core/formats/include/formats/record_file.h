// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct gzFile_s;

namespace tilescope::formats {

/// A file of records as TensorFlow writes them (TFRecord): of each its length, what checks that, its bytes,
/// and what checks those. Plain or gzip.
class RecordReader {
  public:
    /// Errors: BadInput for a file that cannot be opened.
    static Result<RecordReader> open(const std::string& path);

    /// The next record; none at the end. Errors: BadInput for a file that is cut short or damaged, with the
    /// number of the record.
    Result<std::optional<std::string>> next();

  private:
    struct Close {
        void operator()(gzFile_s* file) const;
    };
    RecordReader(std::string path, gzFile_s* file) : path_(std::move(path)), file_(file) {}
    Failure damaged(const std::string& what) const;
    /// How many of so many bytes are there; fewer at the end of the file only.
    Result<std::size_t> take(char* to, std::size_t bytes);

    std::string path_;
    std::unique_ptr<gzFile_s, Close> file_;
    std::int64_t number_ = 0; ///< of the record that is being read
};

class RecordWriter {
  public:
    /// Errors: System for a file that cannot be made.
    static Result<RecordWriter> create(const std::string& path);
    Result<void> write(std::string_view record); ///< errors: System where there is no room for it
    Result<void> flush();                        ///< the same

  private:
    RecordWriter(std::string path, std::ofstream file) : path_(std::move(path)), file_(std::move(file)) {}

    std::string path_;
    std::ofstream file_;
};

/// The checksum CRC-32C (Castagnoli) of some bytes.
std::uint32_t crc32c(std::string_view bytes);

} // namespace tilescope::formats
