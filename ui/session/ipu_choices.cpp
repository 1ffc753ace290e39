// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session/ipu_choices.h"

#include "analyse/costs.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace tilescope::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("IpuChoices", text);
}

} // namespace

std::vector<std::int64_t> idsOf(const std::vector<profile::IpuRecord>& ipus) {
    std::vector<std::int64_t> ids;
    ids.reserve(ipus.size());
    for (const profile::IpuRecord& ipu : ipus)
        ids.push_back(ipu.id);
    return ids;
}

void offerIpus(QComboBox& box, const QString& all, const std::vector<std::int64_t>& ipus) {
    std::vector<std::int64_t> wanted = ipus;
    if (ipus.size() > 1)
        wanted.insert(wanted.begin(), analyse::every_ipu);
    std::vector<std::int64_t> offered;
    offered.reserve(static_cast<std::size_t>(box.count()));
    for (int i = 0; i < box.count(); ++i)
        offered.push_back(box.itemData(i).toLongLong());
    if (offered == wanted)
        return;
    box.clear();
    for (const std::int64_t ipu : wanted)
        box.addItem(ipu == analyse::every_ipu ? all : tr("IPU %1").arg(ipu), static_cast<qlonglong>(ipu));
}

QString noSuchIpu(std::int64_t ipu, const std::vector<std::int64_t>& ipus) {
    if (std::find(ipus.begin(), ipus.end(), ipu) != ipus.end())
        return {};
    const auto count = std::ssize(ipus);
    if (count > 0 && ipus.front() == 0 && ipus.back() == count - 1)
        return tr("IPU %1: this run has IPUs 0 to %2").arg(ipu).arg(count - 1);
    QStringList ids; // of a file that was trimmed
    for (const std::int64_t each : ipus)
        ids << QString::number(each);
    return tr("IPU %1: this file has IPU %2").arg(ipu).arg(ids.join(QStringLiteral(", ")));
}

} // namespace tilescope::ui
