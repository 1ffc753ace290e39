// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "ui/session/selection.h"

#include <QString>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::profile {
class Profile;
}

namespace tilescope::ui {

/// What can be searched for, in the order in which it is listed.
enum class HitKind : std::uint8_t { Operation, Layer, Variable, Step, Tile, Ipu, Stage, Pass, Finding, Log };
inline constexpr std::size_t hit_kinds = 10;
QString hitKindName(HitKind kind); ///< "operation"

struct SearchHit {
    HitKind kind{};
    std::int64_t id = 0; ///< of the table of its kind; number of a tile, an IPU, a stage or a line of the log
    std::int64_t ipu = 0;
    std::int64_t program = -1; ///< step: the first at which a variable is live; -1: from the start
    QString name;
    QString remark;           ///< "matmul, IPU 3"
    std::string finding = {}; ///< analyse::identity of it

    QString view() const; ///< the one that shows it
    /// It as what is selected; the basis stays as it was.
    Selection selected(const Selection& before) const;
};

struct SearchAnswer {
    std::vector<SearchHit> hits;                  ///< best first within each kind
    std::array<std::int64_t, hit_kinds> counts{}; ///< of all that match, by kind
};

/// All names of a profile. It does not change once it is made, so that any thread may search it.
class SearchIndex {
  public:
    /// Errors: those of reading.
    static Result<SearchIndex> read(const profile::Profile& file);

    /// Everything in whose name, kind and IPU all typed words occur; "tile 45", "IPU 3", "IPU 3 tile 45",
    /// "3:45" and "step 7614" are found by their numbers. At most `most` of each kind, or of `only`.
    SearchAnswer find(const QString& typed, std::optional<HitKind> only, std::size_t most) const;
    std::size_t size() const { return entries_.size(); }

  private:
    struct Entry {
        HitKind kind{};
        std::int64_t id = 0, ipu = 0, program = -1;
        std::uint32_t begin = 0, name_length = 0; ///< in `texts_`: the name, then its remark
    };
    struct Ranked {
        int rank = 0;
        std::size_t entry = 0;
    };
    void add(HitKind kind, std::int64_t id, std::int64_t ipu, const std::string& name,
             const std::string& remark, std::int64_t program = -1);
    Result<void> readProgram(const profile::Profile& file);
    Result<void> readVariables(const profile::Profile& file);
    Result<void> readRun(const profile::Profile& file);
    std::string_view lower(std::size_t entry) const; ///< name and remark
    int rank(std::size_t entry, const std::vector<std::string>& words) const;
    SearchHit hit(std::size_t entry) const;
    void findNumbers(const QString& typed, std::optional<HitKind> only, std::size_t most,
                     SearchAnswer& answer) const;

    std::vector<Entry> entries_;
    std::string texts_;                 ///< as they are shown, each with a line break behind it
    std::string lower_;                 ///< the same in lower case
    std::vector<std::string> findings_; ///< analyse::identity of each
    std::vector<std::int64_t> ipus_;
    std::vector<std::int64_t> program_of_step_; ///< by index in `liveness`; -1: none
    std::int64_t tiles_ = 0;                    ///< of each IPU
    bool several_ = false;                      ///< IPUs
};

} // namespace tilescope::ui
