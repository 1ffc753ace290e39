// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/grab_views.h"

#include "base/text.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QThread>

namespace tilescope::ui {

/// A turn that takes long has brought an answer, which is laid out in those after it. Where other programs
/// keep the machine busy, time passes in which neither the window nor its readers do anything: so it is
/// turns that are counted.
bool settle(const MainWindow& window, qint64 patience_ms) {
    constexpr qint64 quiet_ms = 300; // views ask for what can wait a little later
    constexpr qint64 long_ms = 50;
    constexpr qint64 apart_ms = 10;
    QElapsedTimer all;
    QElapsedTimer turn;
    all.start();
    for (qint64 quiet = 0; quiet * apart_ms < quiet_ms; ++quiet) {
        if (all.elapsed() >= patience_ms)
            return false;
        turn.start();
        QApplication::processEvents(QEventLoop::AllEvents, 30);
        if (!window.atRest() || turn.elapsed() > long_ms)
            quiet = -1;
        QThread::msleep(apart_ms);
    }
    return true;
}

Result<void> grabViews(MainWindow& window, const QString& folder, qint64 patience_ms) {
    if (!QDir().mkpath(folder))
        return system_failure("the folder cannot be made", folder.toStdString(), "choose another for --grab");
    window.show();
    settle(window, patience_ms);
    QStringList restless;
    for (const QString& id : window.viewIds()) {
        window.showView(id);
        if (!settle(window, patience_ms))
            restless << id;
        const QString path = QDir(folder).filePath(id + QStringLiteral(".png"));
        if (!window.grab().save(path))
            return system_failure("the picture cannot be written", path.toStdString(),
                                  "check the free space");
    }
    if (!restless.isEmpty())
        return system_failure("not finished after " + time_text(static_cast<double>(patience_ms) * 1e-3) +
                                  ": " + restless.join(QStringLiteral(", ")).toStdString(),
                              folder.toStdString(), "grab again when the machine has less to do");
    return {};
}

} // namespace tilescope::ui
