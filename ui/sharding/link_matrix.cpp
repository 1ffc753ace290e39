// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sharding/link_matrix.h"

#include "analyse/matrix_sums.h"
#include "ui/session/format.h"
#include "ui/sharding/system_painter.h"
#include "ui/widgets/table_text.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tilescope::ui {
namespace {

using profile::LinkKind;

constexpr std::array link_kinds{LinkKind::Copy, LinkKind::AllReduce};

} // namespace

LinkMatrix::LinkMatrix(QWidget* parent)
    : BytesMatrix(tr("Bytes from IPU to IPU"), tr("Matrix of IPUs"),
                  {{tr("Return"), tr("to the exchanges between the two IPUs")},
                   {tr("Esc"), tr("lets go of the cell")}},
                  parent) {}

std::int64_t LinkMatrix::ipus() const {
    std::int64_t count = 0;
    for (const MappedIpu& ipu : map_->ipus)
        count = std::max(count, ipu.record.id + 1);
    return count;
}

void LinkMatrix::setMap(Map map, const QStringList& hidden, bool difference) {
    map_ = std::move(map);
    kinds_.clear();
    for (const LinkKind kind : link_kinds)
        if (!hidden.contains(linkLegendKind(kind)))
            kinds_.insert(kind);
    auto now = std::make_shared<const std::vector<std::int64_t>>(map_->traffic.matrix(ipus(), kinds_));
    const bool of_two = difference && map_->base;
    setTitle(of_two ? tr("From IPU (rows) to IPU, bytes %1 against the base").arg(linkPeriod(*map_))
                    : tr("From IPU (rows) to IPU, bytes %1").arg(linkPeriod(*map_)));
    const auto none = [](const std::vector<std::int64_t>& bytes) {
        return std::all_of(bytes.begin(), bytes.end(), [](std::int64_t each) { return each == 0; });
    };
    if (of_two) {
        const auto then = map_->base->traffic.matrix(ipus(), kinds_);
        auto by = std::make_shared<std::vector<std::int64_t>>(*now);
        std::transform(by->begin(), by->end(), then.begin(), by->begin(), std::minus<>());
        if (none(*by))
            return setBytes(nullptr, ipus(), tr("No difference in what goes over the links."));
        return setDifference(std::move(by), std::move(now), ipus());
    }
    if (none(*now))
        return setBytes(nullptr, ipus(), tr("Nothing crosses a link."));
    setBytes(std::move(now), ipus());
}

void LinkMatrix::setLink(std::int64_t link) {
    if (link < 0 || !map_)
        return;
    const profile::LinkTrafficRecord& of = map_->traffic.links[static_cast<std::size_t>(link)];
    setCurrent(of.ipu, of.peer);
}

QString LinkMatrix::nameOf(Range range) const {
    return range.count == 1 ? tr("IPU %1").arg(range.first)
                            : tr("IPUs %1 to %2").arg(range.first).arg(range.first + range.count - 1);
}

QString LinkMatrix::cellText(std::int64_t block) const {
    return block == 1 ? tr("what one IPU sends another") : tr("%1 × %1 IPUs").arg(block);
}

QStringList LinkMatrix::ends() const {
    return {tr("from IPU"), tr("to"), tr("to IPU"), tr("to")};
}

/// Each kind apart, and how long the links are in use of one IPU to one other.
QString LinkMatrix::moreOf(Range from, Range to) const {
    const auto ipus = [](Range range) { return std::pair(range.first, range.first + range.count); };
    const bool one = from.count == 1 && to.count == 1;
    QString words;
    for (const LinkKind kind : link_kinds) {
        const auto [exchanges, bytes, cycles] = map_->traffic.between(ipus(from), ipus(to), kind);
        if (bytes == 0 || !kinds_.contains(kind))
            continue;
        const auto link = one ? map_->traffic.most_between(from.first, to.first, {kind}) : std::nullopt;
        const auto in_use = link ? map_->traffic.in_use(map_->traffic.links[*link]) : std::nullopt;
        words += QLatin1Char('\n') + (kind == LinkKind::Copy ? tr("copies %1").arg(formatBytes(bytes))
                                                             : tr("collectives %1").arg(formatBytes(bytes)));
        if (one)
            words += tr(", %1").arg(formatTime(cycles, map_->clock_hz)) +
                     (in_use ? tr(", %1 of the time").arg(formatPercent(*in_use)) : QString());
    }
    return words;
}

void LinkMatrix::cellChosen(Range from, Range to, bool /*other*/) {
    const auto link = from.count == 1 && to.count == 1
                          ? map_->traffic.most_between(from.first, to.first, kinds_)
                          : std::nullopt;
    Q_EMIT linkChosen(link ? static_cast<qint64>(*link) : -1);
}

QString LinkMatrix::toText(QChar separator) const {
    QString text = tableLine({QStringLiteral("from_ipu"), QStringLiteral("to_ipu"), QStringLiteral("bytes"),
                              QStringLiteral("copied_bytes"), QStringLiteral("collective_bytes")},
                             separator);
    if (!map_)
        return text;
    const std::int64_t count = ipus();
    const auto copied = map_->traffic.matrix(count, {LinkKind::Copy});
    const auto collective = map_->traffic.matrix(count, {LinkKind::AllReduce});
    const auto all = map_->traffic.matrix(count, {LinkKind::Copy, LinkKind::AllReduce});
    std::size_t cell = 0;
    for (std::int64_t from = 0; from < count; ++from)
        for (std::int64_t to = 0; to < count; ++to, ++cell)
            if (all[cell] > 0)
                text += tableLine({QString::number(from), QString::number(to), QString::number(all[cell]),
                                   QString::number(copied[cell]), QString::number(collective[cell])},
                                  separator);
    return text;
}

} // namespace tilescope::ui
