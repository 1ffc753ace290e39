// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_log.h"

#include "ui/session/format.h"
#include "ui/widgets/data_table.h"

#include <QTime>
#include <QVBoxLayout>

namespace tilescope::ui {
namespace {

constexpr qsizetype most_said = 1000; ///< those before are let go

} // namespace

MessageLog::MessageLog(QWidget* parent)
    : QDialog(parent),
      table_(new DataTable(tr("Messages"),
                           {{tr("Time")}, {tr("Of")}, {tr("Kind")}, {tr("Message"), false, true}})) {
    setWindowTitle(tr("Messages"));
    table_->setObjectName(QStringLiteral("messages"));
    table_->setCaption(tr("none yet in this session"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins({});
    layout->addWidget(table_);
    const int wide = fontMetrics().averageCharWidth();
    resize(120 * wide, 50 * wide);
}

void MessageLog::add(const QString& of, const QString& text, bool bad) {
    if (text.isEmpty())
        return;
    const QString now = QTime::currentTime().toString(QStringLiteral("HH:mm:ss"));
    if (!said_.isEmpty() && said_.front().of == of && said_.front().text == text) {
        ++said_.front().times;
        said_.front().time = now;
    } else {
        said_.prepend({now, of, text, bad});
    }
    if (said_.size() > most_said)
        said_.removeLast();
    if (isVisible())
        showAll();
}

void MessageLog::showEvent(QShowEvent* event) {
    showAll();
    QDialog::showEvent(event);
}

void MessageLog::showAll() {
    if (said_.isEmpty())
        return;
    std::vector<TableRow> rows;
    for (const Said& said : said_)
        rows.push_back(
            {-1,
             {textCell(said.time), textCell(said.of), textCell(said.bad ? tr("error") : tr("notice")),
              textCell(said.times > 1 ? tr("%1 (%2 times)").arg(said.text).arg(said.times) : said.text)}});
    table_->setCaption(tr("of this session, the newest first: %1").arg(formatCount(said_.size())));
    table_->setRows(std::move(rows));
}

} // namespace tilescope::ui
