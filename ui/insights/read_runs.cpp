// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/insights/read_runs.h"

#include "analyse/headline.h"
#include "base/try.h"
#include "ui/session/loops_of_base.h"

namespace tilescope::ui {
namespace {

Result<ReadRun> readRun(const profile::Profile& file, std::optional<analyse::Basis> basis) {
    ReadRun read;
    TRY(read.summary, analyse::summarise(file, basis));
    TRY(read.parts, analyse::Parts::read(file));
    TRY(read.remedies, analyse::compiled_remedies(file));
    return read;
}

} // namespace

void readRuns(QObject* by, const Sources& sources, std::optional<analyse::Basis> wanted,
              const std::function<void(Result<ReadRun>)>& have_run,
              const std::function<void(ReadBase)>& have_base) {
    // A source that waits for an answer must not be what keeps itself alive.
    const std::weak_ptr<ProfileSource> file = sources.current;
    const std::weak_ptr<ProfileSource> base = sources.base;
    const auto ask_base = [=, by_hand = sources.by_hand](const ReadRun& now) {
        if (const auto source = base.lock())
            source->ask<ReadBase>(
                by, QStringLiteral("summary of the base"),
                [basis = now.summary.basis, parts = now.parts,
                 by_hand](const profile::Profile& of) -> Result<ReadBase> {
                    ReadBase read;
                    TRY(read.run, readRun(of, basis));
                    read.matching = analyse::match(read.run.parts, parts, by_hand);
                    read.names = analyse::OldNames(read.run.parts, parts, read.matching);
                    return read;
                },
                [have_base](Result<ReadBase> read) {
                    if (read)
                        have_base(std::move(*read));
                });
    };
    const auto ask = [=](const std::optional<analyse::Loops>& of_base) {
        if (const auto source = file.lock())
            source->ask<ReadRun>(
                by, QStringLiteral("summary"),
                [wanted, of_base](const profile::Profile& of) -> Result<ReadRun> {
                    TRY(const auto loops, analyse::read_loops(of));
                    return readRun(of, analyse::common_basis(of_base ? &*of_base : nullptr, loops, wanted));
                },
                [=](Result<ReadRun> read) {
                    if (read)
                        ask_base(*read);
                    have_run(std::move(read));
                });
    };
    askLoopsOfBase(by, sources, ask);
}

} // namespace tilescope::ui
