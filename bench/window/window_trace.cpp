// SPDX-License-Identifier: GPL-3.0-or-later
/// The window on trainings of 100 million steps, which are only estimated: how long it takes until the first
/// picture of the trace is there, what a zoom, a move or a search asks for is drawn and two such files are
/// compared, and how much memory it takes, beside the limits that it is to keep. Wall time, and beside it the
/// processor time of all its threads, for which what else the machine does counts for little: that is held
/// against the limit. The files are made in a process of its own.
///
///     bench_window_trace [SAMPLE BASE]    (default: keras_mnist_8ipu keras_mnist_pipelined)
///
/// Each is a sample's name, or a profile (NAME.tilescope) that is there already; twice the same is made once.
#include "base/host_memory.h"
#include "bench/table.h"
#include "bench/trace/long_training.h"
#include "ui/theme/theme.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/trace/trace_feed.h"
#include "ui/trace/trace_view.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilescope;
using namespace tilescope::ui;

namespace {

constexpr std::int64_t steps = 100'000'000;
std::string subject; ///< the sample that is looked at
bench::Table table("window");

/// Processor time of all threads, or of the one that asks.
double cpu_ms(clockid_t of = CLOCK_PROCESS_CPUTIME_ID) {
    timespec time{};
    clock_gettime(of, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void row(const char* what, double value, double limit, const char* unit, const char* note = "") {
    table.at_most(subject + ": " + what, value, unit, limit, note);
}

/// What one action, or the longest of several, took until what it asked for was drawn.
struct Taken {
    double wall_ms = 0;
    double cpu_ms = 0;
};

class Window {
  public:
    Window() {
        window_.resize(1440, 900);
        window_.show();
        settle();
    }
    MainWindow& main() { return window_; }
    TimelineWidget& timeline() { return *timeline_; }

    /// Until nothing is asked for any more and the time line, or the view, is drawn.
    Taken measure(const std::function<void()>& action) {
        return measure(action, [this] { return window_.pendingQueries() == 0; });
    }
    /// Until `done` holds, whatever other views still ask for.
    Taken measure(const std::function<void()>& action, const std::function<bool()>& done) {
        QElapsedTimer wall;
        wall.start();
        const double cpu = cpu_ms();
        action();
        wait(done);
        timeline().viewport()->repaint();
        const Taken taken{static_cast<double>(wall.nsecsElapsed()) / 1e6, cpu_ms() - cpu};
        QTest::qWait(300); // what waits for a rest, the totals of what is in view, is another matter
        settle();
        return taken;
    }

  private:
    void settle() {
        wait([this] { return window_.pendingQueries() == 0; });
    }
    static void wait(const std::function<bool()>& done) {
        QElapsedTimer waited;
        waited.start();
        QTimer
            wake; // else it would sleep where nothing happens; with a limit of time it would not sleep at all
        wake.start(5);
        while (!done() && waited.elapsed() < 60'000)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        QCoreApplication::processEvents();
    }
    MainWindow window_;
    TimelineWidget* timeline_ = window_.findChild<TimelineWidget*>(QStringLiteral("timeline"));
};

void print(const char* what, const Taken& taken, double limit_ms) {
    char note[64];
    std::snprintf(note, sizeof note, "(%.1f ms of wall time)", taken.wall_ms);
    row(what, taken.cpu_ms, limit_ms, "ms", note);
}

bool copied(const QString& from, const QString& to) {
    const bool done = QFile::copy(from, to);
    if (!done)
        std::fprintf(stderr, "bench_window_trace: %s: cannot be copied\n", qPrintable(from));
    return done;
}

bool trained(const std::string& sample, const QString& path) {
    if (const QString file = QString::fromStdString(sample); file.endsWith(QStringLiteral(".tilescope")))
        return copied(file, path);
    const pid_t child = fork();
    if (child == 0) {
        const auto made = bench::estimate_training(sample, steps, path.toStdString());
        if (!made)
            std::fprintf(stderr, "bench_window_trace: %s\n", made.error().line().c_str());
        _exit(made ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void move(Window& window) {
    std::mt19937_64 random(1);
    TimelineWidget& timeline = window.timeline();
    timeline.setAnimated(false); // the way there takes its time
    const double first = timeline.view().from();
    const double whole = timeline.view().span();
    const auto drawn = [&window] {
        const auto feeds = window.main().findChildren<TraceFeed*>();
        return std::all_of(feeds.begin(), feeds.end(),
                           [](const TraceFeed* feed) { return feed->hasAllSeen(); });
    };
    Taken zoom;
    Taken pan;
    const auto longer = [](Taken& longest, const Taken& taken) {
        longest = {std::max(longest.wall_ms, taken.wall_ms), std::max(longest.cpu_ms, taken.cpu_ms)};
    };
    for (int i = 0; i < 25; ++i) {
        const double span = std::max(1000.0, whole * std::pow(0.5, static_cast<double>(random() % 40)));
        const double from = first + (whole - span) * static_cast<double>(random() % 10'000) / 10'000;
        longer(zoom, window.measure([&] { timeline.show(from, from + span); }, drawn));
        const double onward = std::min(from + span * 1.5, first + whole - span);
        longer(pan, window.measure([&] { timeline.show(onward, onward + span); }, drawn));
    }
    print("zoom, longest of 25", zoom, 50);
    print("pan, longest of 25", pan, 50);
    timeline.show(first, first + whole);
    QTest::qWait(500);
}

/// A zoom into the run and along it and out again, frame by frame, as keys and the wheel do: the longest that
/// the window's thread takes for the move, the answers that have come since the last one, and the picture.
void animate(Window& window) {
    constexpr int frames = 300;
    constexpr double second_at_60 = 1000.0 / 60;
    TimelineWidget& timeline = window.timeline();
    const auto [from, to] = timeline.view().limits();
    timeline.show(static_cast<double>(from), static_cast<double>(to));
    (void)window.measure([] {});
    Taken longest;
    std::vector<double> all;
    for (int i = 0; i < frames; ++i) {
        QElapsedTimer wall;
        wall.start();
        const double cpu = cpu_ms(CLOCK_THREAD_CPUTIME_ID);
        if (i < frames / 3)
            timeline.zoomBy(1.15);
        else if (i < 2 * frames / 3)
            timeline.panBy(0.03);
        else
            timeline.zoomBy(1 / 1.15);
        QCoreApplication::processEvents();
        timeline.viewport()->repaint();
        all.push_back(cpu_ms(CLOCK_THREAD_CPUTIME_ID) - cpu);
        longest = {std::max(longest.wall_ms, static_cast<double>(wall.nsecsElapsed()) / 1e6),
                   std::max(longest.cpu_ms, all.back())};
        QTest::qWait(1); // what was asked for is read meanwhile
    }
    std::nth_element(all.begin(), all.begin() + frames / 2, all.end());
    char note[96];
    std::snprintf(note, sizeof note, "(median %.1f ms; %.1f ms of wall time)", all[frames / 2],
                  longest.wall_ms);
    row("longest of 300 frames of moving", longest.cpu_ms, second_at_60, "ms", note);
}

void search(Window& window) {
    auto* field = window.main().findChild<QLineEdit*>(QStringLiteral("traceSearch"));
    auto* found = window.main().findChild<QLabel*>(QStringLiteral("traceFound"));
    for (const char* text : {"conv2d", "gradient", "infeed", "update", "e"}) {
        const Taken taken = window.measure([&] { field->setText(QLatin1String(text)); },
                                           [&] {
                                               return window.main().pendingQueries() == 0 &&
                                                      found->text() != TraceView::tr("searching …");
                                           });
        print((std::string("search for \"") + text + '"').c_str(), taken, 50);
    }
    field->clear();
}

} // namespace

int main(int argc, char** argv) {
    return_freed_memory(); // as the program does
    const std::string sample = argc > 2 ? argv[1] : "keras_mnist_8ipu";
    const std::string base = argc > 2 ? argv[2] : "keras_mnist_pipelined";
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("new.tilescope"));
    const QString base_path = folder.filePath(QStringLiteral("base.tilescope"));
    if (!trained(sample, path) || !(base == sample ? copied(path, base_path) : trained(base, base_path)))
        return 1;
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    const QApplication qt(argc, argv);
    applyTheme(*qApp, ThemeMode::Light);
    subject = QFileInfo(QString::fromStdString(sample)).completeBaseName().toStdString();
    Window window;
    MainWindow& main = window.main();
    const auto ready = [&] { return !window.timeline().groups().empty(); };
    const auto memory = [](const char* what) {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        row(what, static_cast<double>(usage.ru_maxrss) / 1024, 300, "MiB");
    };
    memory("memory of an empty window");
    main.showView(QStringLiteral("trace"));
    print("open, and first picture of the trace", window.measure([&] { main.openFile(path); }, ready), 200);
    memory("memory with the first picture");
    move(window);
    animate(window);
    search(window);
    memory("memory after all that");
    main.openFile(base_path);
    (void)window.measure([] {});
    main.showView(QStringLiteral("compare"));
    const auto* answer = main.findChild<QLabel*>(QStringLiteral("compareAnswer"));
    const auto compared = [&] { return answer->isVisible() && !answer->text().isEmpty(); };
    print("comparison with another", window.measure([&] { main.setBase(0); }, compared), 2000);
    main.showView(QStringLiteral("trace"));
    print("both traces", window.measure([] {}), 2000);
    memory("memory with both files");
    return table.exit_code();
}
