// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>
#include <memory>
#include <type_traits>
#include <utility>

namespace tilescope::ui {

/// Runs `work` on a thread of the pool, then `done` with what it returned on the GUI thread, unless
/// `receiver` is gone or the pool was cleared by then. `work` must not touch the receiver.
template<class Work, class Done>
void inBackground(QThreadPool* pool, QObject* receiver, Work work, Done done) {
    // Whether the receiver is gone is asked on its own thread: on another, it might go right after.
    pool->start([receiver = QPointer(receiver), work = std::move(work), done = std::move(done)]() mutable {
        auto outcome = std::make_shared<std::invoke_result_t<Work>>(work());
        QMetaObject::invokeMethod(
            qApp,
            [receiver, outcome, done = std::move(done)] {
                if (receiver)
                    done(std::move(*outcome));
            },
            Qt::QueuedConnection);
    });
}

/// The same in the pool that all share.
template<class Work, class Done>
void inBackground(QObject* receiver, Work work, Done done) {
    inBackground(QThreadPool::globalInstance(), receiver, std::move(work), std::move(done));
}

/// Frees `thing`, whose texts of thousands of rows take long to free, on a thread of the pool that all share.
template<class Thing>
void freeInBackground(Thing thing) {
    QThreadPool::globalInstance()->start(
        [held = std::make_shared<Thing>(std::move(thing))]() mutable { held.reset(); });
}

} // namespace tilescope::ui
