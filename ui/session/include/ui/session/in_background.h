// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFuture>
#include <QPromise>
#include <QThreadPool>
#include <memory>
#include <type_traits>
#include <utility>

class QObject;

namespace tilescope::ui {

/// Runs `work` on a thread of the pool, then `done` with what it returned on the GUI thread, unless
/// `receiver` is gone or the pool was cleared by then. `work` must not touch the receiver.
template<class Work, class Done>
void inBackground(QThreadPool* pool, QObject* receiver, Work work, Done done) {
    using Outcome = std::shared_ptr<std::invoke_result_t<Work>>; // a future copies what it holds
    auto promise = std::make_shared<QPromise<Outcome>>();
    promise->start();
    promise->future().then(receiver,
                           [done = std::move(done)](const Outcome& outcome) { done(std::move(*outcome)); });
    pool->start([promise, work = std::move(work)] {
        promise->addResult(std::make_shared<std::invoke_result_t<Work>>(work()));
        promise->finish();
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
