// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QString>
#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

class QTimer;

namespace tilescope::ui {

/// One open profile file: a thread with its own connection answers queries, so that the window never waits.
class ProfileSource : public QObject {
    Q_OBJECT
  public:
    /// The file, or the run that is being written to take its name. Its thread opens it: what is asked
    /// meanwhile waits, and opened() or failed() follows.
    static std::shared_ptr<ProfileSource> open(const QString& path);
    ~ProfileSource() override; ///< waits for nothing: a query that is under way ends by itself

    QString path() const;
    QString stem() const; ///< file name without folder and ending
    QString name() const; ///< the same, unless the window calls it otherwise beside another of that name
    void setName(const QString& name) { name_ = name; }
    /// Of the IPUs that the file has, known once it is opened: one of some IPUs of a run need not have IPU 0.
    std::int64_t firstIpu() const { return first_ipu_; }

    /// Runs `query` on the source's thread, then `done` on the GUI thread, unless `receiver` is gone or has
    /// asked again under the same `topic`: a newer request cancels the older one, also while it runs.
    /// What is part of a widget that cannot be seen waits until what can be seen has its answers: such a
    /// query may be interrupted, and begun again later.
    template<class T>
    void ask(QObject* receiver, const QString& topic, std::function<Result<T>(const profile::Profile&)> query,
             std::function<void(Result<T>)> done) {
        post(
            receiver, topic,
            [query = std::move(query)](const profile::Profile& file) -> std::any { return query(file); },
            [done = std::move(done)](std::any result) { done(std::any_cast<Result<T>>(std::move(result))); },
            [](const Error& error) -> std::any { return Result<T>(Failure(error)); });
    }

    /// Drops the answer that `receiver` still waits for under that topic, and ends the query.
    void cancel(QObject* receiver, const QString& topic);
    /// Ends the query, whose answer then is that it was cancelled: nobody but a person wants that.
    void stop(QObject* receiver, const QString& topic);
    /// `whole` is seen now: what it and its parts wait for comes before what others do.
    void putInFront(const QObject& whole);
    /// Drops the answers that `receiver` still waits for: it shows another file now.
    void forget(QObject* receiver);
    /// Queries asked and not yet answered, opening among them (for tests and for grabbing pictures).
    int pending() const;
    /// A query that is not answered yet.
    struct Waiting {
        QPointer<QObject> receiver; ///< who has asked; null: the file is being opened
        QString topic;
        double seconds = 0;   ///< since it was asked
        bool running = false; ///< the source's thread is at it
    };
    /// What is asked and not answered yet, the oldest first; what the source asks itself is left out.
    QList<Waiting> waiting() const;
    /// It, or a part of it, has asked for what is not answered yet.
    bool waitsFor(const QObject& whole) const;

  Q_SIGNALS:
    void opened();
    /// It cannot be opened, as profile::Profile::follow says: nothing that was asked is answered.
    void failed(const tilescope::Error& error);
    void changed(); ///< the file has grown (polled four times a second while its run is going on)
    void idle();    ///< pending() became 0

  private:
    ProfileSource();
    void post(QObject* receiver, const QString& topic, std::function<std::any(const profile::Profile&)> query,
              std::function<void(std::any)> done, std::function<std::any(const Error&)> failed);
    void dropQueries(const std::pair<QObject*, QString>& key); ///< the mutex is held
    void answer(std::uint64_t id, const std::pair<QObject*, QString>& key,
                const std::function<void(std::any)>& done, std::any result);
    void haveOpened(std::int64_t version, bool running, std::int64_t first_ipu);
    void haveFailed(const Error& error);
    void pollFile();
    struct State;
    std::shared_ptr<State> state_; ///< shared with its thread
    QTimer* poll_;
    struct Asked {
        std::uint64_t id = 0;
        QPointer<QObject> receiver;
        QElapsedTimer since;
    };
    std::map<std::pair<QObject*, QString>, Asked> newest_; ///< the last request of each topic
    QElapsedTimer opening_;                                ///< valid until it is opened, or cannot be
    std::uint64_t ids_ = 0;
    int pending_ = 1; ///< it is being opened
    QString name_;    ///< empty: the stem
    bool bad_ = false;
    std::int64_t version_ = -1;
    std::int64_t first_ipu_ = 0;
};

} // namespace tilescope::ui
