// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/search/search_index.h"

#include "analyse/device_program.h"
#include "analyse/stage_ipus.h"
#include "analyse/summary.h"
#include "base/text.h"
#include "base/try.h"
#include "profile/profile.h"
#include "ui/session/format.h"
#include "ui/session/step_kind.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cctype>
#include <map>

namespace tilescope::ui {
namespace {

QString word(const char* source) {
    return QCoreApplication::translate("SearchIndex", source);
}

char lowered(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t place(HitKind kind) {
    return static_cast<std::size_t>(kind);
}

/// How good a match is, least first: the whole name, the beginning of its last part, of a part, within.
int quality(std::string_view name, std::string_view typed) {
    if (name == typed)
        return 0;
    const std::size_t slash = name.rfind('/');
    const std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
    if (last.starts_with(typed))
        return 1;
    for (std::size_t at = name.find(typed); at != std::string_view::npos; at = name.find(typed, at + 1))
        if (at == 0 || name[at - 1] == '/' || name[at - 1] == '_' || name[at - 1] == ' ')
            return 2;
    return 3;
}

} // namespace

QString hitKindName(HitKind kind) {
    static constexpr std::array names{"operation", "layer", "variable", "step",    "tile",
                                      "IPU",       "stage", "pass",     "finding", "log"};
    return word(names[place(kind)]);
}

QString SearchHit::view() const {
    switch (kind) {
    case HitKind::Operation:
        return QStringLiteral("operations");
    case HitKind::Layer:
        return QStringLiteral("graph");
    case HitKind::Variable:
        return QStringLiteral("liveness");
    case HitKind::Step:
        return QStringLiteral("program");
    case HitKind::Tile:
        return QStringLiteral("memory");
    case HitKind::Stage:
        return QStringLiteral("pipeline");
    case HitKind::Pass:
        return QStringLiteral("compile");
    case HitKind::Finding:
        return QStringLiteral("insights");
    case HitKind::Log:
        return QStringLiteral("live");
    case HitKind::Ipu:
        break;
    }
    return QStringLiteral("sharding");
}

Selection SearchHit::selected(const Selection& before) const {
    Selection s;
    s.basis = before.basis;
    s.device_program = before.device_program;
    s.ipu = ipu;
    s.ipu_chosen = ipu > 0 || kind == HitKind::Ipu || kind == HitKind::Tile ||
                   kind == HitKind::Stage; // else it is the first of all
    s.program = program;
    switch (kind) {
    case HitKind::Operation:
        s.operation = id;
        break;
    case HitKind::Layer:
        s.layer = id;
        break;
    case HitKind::Variable:
        s.variable = id;
        break;
    case HitKind::Step:
        s.program = id;
        break;
    case HitKind::Tile:
        s.tiles = {id};
        break;
    case HitKind::Pass:
        s.pass = id;
        break;
    case HitKind::Finding:
        s.finding = finding;
        break;
    case HitKind::Log:
        s.log = id;
        break;
    case HitKind::Ipu:
    case HitKind::Stage: // its IPU
        break;
    }
    return s;
}

void SearchIndex::add(HitKind kind, std::int64_t id, std::int64_t ipu, const std::string& name,
                      const std::string& remark, std::int64_t program) {
    entries_.push_back({kind, id, ipu, program, static_cast<std::uint32_t>(texts_.size()),
                        static_cast<std::uint32_t>(name.size())});
    texts_ += name;
    texts_ += ' ';
    texts_ += remark;
    texts_ += '\n';
}

Result<SearchIndex> SearchIndex::read(const profile::Profile& file) {
    SearchIndex index;
    TRY(const auto target, file.target());
    TRY(const auto ipus, file.ipus());
    TRY(const auto operations, file.operations());
    TRY(const auto layers, file.layers());
    index.tiles_ = target.tiles_per_ipu;
    index.several_ = ipus.size() > 1;
    const auto on = [&](std::int64_t ipu) {
        return index.several_ && ipu >= 0 ? ", IPU " + std::to_string(ipu) : std::string();
    };
    for (const auto& operation : operations)
        index.add(HitKind::Operation, operation.id, operation.ipu, operation.name,
                  operation.kind + on(operation.ipu));
    for (const auto& layer : layers)
        index.add(HitKind::Layer, layer.id, 0, layer.name, layer.kind);
    TRY(index.readProgram(file));
    TRY(index.readVariables(file));
    const auto stages = analyse::stage_ipus(operations, ipus);
    for (const auto& ipu : ipus) {
        index.ipus_.push_back(ipu.id);
        const std::string of_it = analyse::stages_text(analyse::stages_on(ipu, stages));
        index.add(HitKind::Ipu, ipu.id, ipu.id, "IPU " + std::to_string(ipu.id),
                  of_it.empty() ? ipu.device : ipu.device + ", " + of_it);
    }
    for (const auto& [stage, ipu] : stages)
        index.add(HitKind::Stage, stage, ipu, "stage " + std::to_string(stage), "IPU " + std::to_string(ipu));
    TRY(index.readRun(file));
    index.lower_.resize(index.texts_.size());
    std::transform(index.texts_.begin(), index.texts_.end(), index.lower_.begin(), lowered);
    return index;
}

Result<void> SearchIndex::readProgram(const profile::Profile& file) {
    TRY(const auto program, file.program());
    for (const auto& step : program) {
        add(HitKind::Step, step.id, std::max<std::int64_t>(step.ipu, 0), step.name,
            stepKindName(step.kind).toStdString() +
                (several_ && step.ipu >= 0 ? ", IPU " + std::to_string(step.ipu) : std::string()));
        if (step.liveness_step < 0)
            continue;
        const auto at = static_cast<std::size_t>(step.liveness_step);
        if (program_of_step_.size() <= at)
            program_of_step_.resize(at + 1, -1);
        program_of_step_[at] = step.id;
    }
    TRY(const auto programs, analyse::read_device_programs(file));
    TRY(const auto further, file.further_steps());
    std::map<std::int64_t, std::string> key_of;
    for (const analyse::DeviceProgram& one : programs)
        key_of[one.id] = one.key;
    for (const auto& step : further)
        add(HitKind::Step, step.id, std::max<std::int64_t>(step.ipu, 0), step.name,
            stepKindName(step.kind).toStdString() +
                (several_ && step.ipu >= 0 ? ", IPU " + std::to_string(step.ipu) : std::string()) + ", " +
                key_of[step.device_program_id]);
    return {};
}

Result<void> SearchIndex::readVariables(const profile::Profile& file) {
    TRY(const auto variables, file.variables());
    for (const auto& variable : variables) {
        const auto from = static_cast<std::size_t>(variable.live_from);
        const bool known = variable.live_from >= 0 && from < program_of_step_.size();
        add(HitKind::Variable, variable.id, variable.ipu, variable.name,
            bytes_text(static_cast<double>(variable.bytes)) +
                (several_ ? ", IPU " + std::to_string(variable.ipu) : std::string()),
            known ? program_of_step_[from] : -1);
    }
    return {};
}

/// What compiling and running left: passes, findings, lines of the log.
Result<void> SearchIndex::readRun(const profile::Profile& file) {
    TRY(const auto passes, file.compile_events());
    for (const auto& pass : passes)
        add(HitKind::Pass, pass.id, 0, pass.name, formatWallTime(pass.duration_us).toStdString());
    TRY(const auto summary, analyse::summarise(file));
    for (const analyse::Insight& insight : summary.insights) {
        add(HitKind::Finding, static_cast<std::int64_t>(findings_.size()), 0, insight.title,
            std::string(profile::to_string(insight.severity)));
        findings_.push_back(analyse::identity(insight));
    }
    TRY(const auto log, file.log());
    for (std::size_t line = 0; line < log.size(); ++line)
        add(HitKind::Log, static_cast<std::int64_t>(line), 0, log[line].message,
            "at " + time_text(static_cast<double>(log[line].time_ms) * 1e-3));
    return {};
}

std::string_view SearchIndex::lower(std::size_t entry) const {
    const std::size_t begin = entries_[entry].begin;
    const std::size_t end = entry + 1 < entries_.size() ? entries_[entry + 1].begin : lower_.size();
    return std::string_view(lower_).substr(begin, end - begin - 1);
}

/// -1: it does not match.
int SearchIndex::rank(std::size_t entry, const std::vector<std::string>& words) const {
    const std::string_view all = lower(entry);
    for (std::size_t i = 1; i < words.size(); ++i)
        if (all.find(words[i]) == std::string_view::npos)
            return -1;
    return quality(all.substr(0, entries_[entry].name_length), words.front());
}

SearchHit SearchIndex::hit(std::size_t entry) const {
    const Entry& e = entries_[entry];
    const std::size_t end = e.begin + lower(entry).size();
    const std::size_t remark = e.begin + e.name_length + 1;
    return {e.kind,
            e.id,
            e.ipu,
            e.program,
            text(texts_.substr(e.begin, e.name_length)),
            text(texts_.substr(remark, end - remark)),
            e.kind == HitKind::Finding ? findings_[static_cast<std::size_t>(e.id)] : std::string()};
}

SearchAnswer SearchIndex::find(const QString& typed, std::optional<HitKind> only, std::size_t most) const {
    SearchAnswer answer;
    std::vector<std::string> words;
    for (const QString& each : typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts))
        words.push_back(each.toStdString());
    if (words.empty())
        return answer;
    findNumbers(typed, only, most, answer);
    std::array<std::vector<Ranked>, hit_kinds> found;
    for (std::size_t at = lower_.find(words.front()); at != std::string::npos;) {
        const auto after =
            std::upper_bound(entries_.begin(), entries_.end(), at,
                             [](std::size_t position, const Entry& e) { return position < e.begin; });
        const auto entry = static_cast<std::size_t>(after - entries_.begin()) - 1;
        if (const int how = rank(entry, words); how >= 0)
            found[place(entries_[entry].kind)].push_back({how, entry});
        at = after == entries_.end() ? std::string::npos : lower_.find(words.front(), after->begin);
    }
    for (std::size_t kind = 0; kind < hit_kinds; ++kind) {
        auto& ranked = found[kind];
        answer.counts[kind] += static_cast<std::int64_t>(ranked.size());
        if (only && place(*only) != kind)
            continue;
        const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(std::min(most, ranked.size()));
        std::partial_sort(ranked.begin(), end, ranked.end(), [this](const Ranked& a, const Ranked& b) {
            return std::tuple(a.rank, entries_[a.entry].name_length, a.entry) <
                   std::tuple(b.rank, entries_[b.entry].name_length, b.entry);
        });
        std::transform(ranked.begin(), end, std::back_inserter(answer.hits),
                       [this](const Ranked& each) { return hit(each.entry); });
    }
    return answer;
}

/// Tiles, which have no names, and program steps by their number.
void SearchIndex::findNumbers(const QString& typed, std::optional<HitKind> only, std::size_t most,
                              SearchAnswer& answer) const {
    static const QRegularExpression tile(
        QStringLiteral("^\\s*(?:(?:ipu\\s*)?(\\d+)\\s*(?::|,|\\s)\\s*)?(?:tile\\s*)?(\\d+)\\s*$"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression step(QStringLiteral("^\\s*step\\s*#?(\\d+)\\s*$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const auto add = [&](const SearchHit& hit) {
        const auto so_far = ++answer.counts[place(hit.kind)];
        if ((!only || *only == hit.kind) && so_far <= static_cast<std::int64_t>(most))
            answer.hits.push_back(hit);
    };
    if (const auto match = step.match(typed); match.hasMatch()) {
        for (std::size_t i = 0; i < entries_.size(); ++i)
            if (entries_[i].kind == HitKind::Step && entries_[i].id == match.captured(1).toLongLong())
                add(hit(i));
        return;
    }
    const auto match = tile.match(typed);
    if (!match.hasMatch() || match.captured(2).toLongLong() >= tiles_)
        return;
    for (const std::int64_t ipu : ipus_)
        if (match.captured(1).isEmpty() || match.captured(1).toLongLong() == ipu)
            add({HitKind::Tile, match.captured(2).toLongLong(), ipu, -1,
                 word("tile %1").arg(match.captured(2).toLongLong()),
                 several_ ? word("IPU %1").arg(ipu) : QString()});
}

} // namespace tilescope::ui
