// SPDX-License-Identifier: GPL-3.0-or-later
/// How long the window's thread computes for one event while a profile is looked at, beside the limits: 50 ms
/// for what one does in it, 100 ms for a change of theme or a page of help. Processor time of that thread, so
/// that what else the machine does counts for nothing. A large profile shows most: `bench_window FILE`, or
/// `bench_window FILE BASE` for the views as they show the difference, too.
#include "bench/table.h"
#include "ui/graph/graph_view.h"
#include "ui/theme/theme.h"
#include "ui/trace/trace_view.h"
#include "ui/widgets/data_table.h"
#include "ui/window/help_window.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>

using namespace tilescope::ui;

namespace {

constexpr int quiet_ms = 1200; ///< after an action, for what it starts later

double busy_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Measures every event that the application hands out.
class Application : public QApplication {
  public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (QThread::currentThread() != thread()) // what another thread hands to its own objects
            return QApplication::notify(receiver, event);
        if (depth_++ > 0) { // part of another event
            const bool done = QApplication::notify(receiver, event);
            --depth_;
            return done;
        }
        const double begin = busy_ms();
        const bool done = QApplication::notify(receiver, event);
        took(busy_ms() - begin);
        --depth_;
        return done;
    }
    void took(double ms) {
        longest_ms = std::max(longest_ms, ms);
        sum_ms += ms;
    }
    double longest_ms = 0;
    double sum_ms = 0;

  private:
    int depth_ = 0;
};

Application* application = nullptr;
tilescope::bench::Table table("window");

/// Does one thing after another, each as an event of its own, and waits until the window is quiet again.
void measure(const QString& name, double limit_ms, const QList<std::function<void()>>& actions) {
    application->longest_ms = application->sum_ms = 0;
    for (const auto& action : actions)
        QMetaObject::invokeMethod(application, action, Qt::QueuedConnection);
    QTest::qWait(quiet_ms);
    table.at_most(name.toStdString() + ", longest block", application->longest_ms, "ms", limit_ms);
}

void act(MainWindow& window, const QString& name) {
    for (QAction* action : window.findChildren<QAction*>())
        if (action->text() == name)
            return action->trigger();
    qFatal("no action %s", qPrintable(name));
}

void useProgram(MainWindow& window) {
    auto* field = window.findChild<QLineEdit*>(QStringLiteral("programFilter"));
    QList<std::function<void()>> keys;
    for (const char letter : {'r', 'e', 'd', 'u', 'c', 'e'})
        keys << [=] { QTest::keyClick(field, letter); };
    measure(QStringLiteral("Program: filter, 6 letters"), 50, keys);
    measure(QStringLiteral("Program: no filter again"), 50, {[&] {
                field->selectAll();
                QTest::keyClick(field, Qt::Key_Delete);
            }});
    measure(QStringLiteral("Program: expand all"), 50, {[&] { act(window, QStringLiteral("Expand all")); }});
    measure(QStringLiteral("Program: collapse"), 50, {[&] { act(window, QStringLiteral("Collapse")); }});
}

/// Lanes of tiles of two IPUs, where some thousand program steps are in view, and what is in that view.
void useTrace(MainWindow& window) {
    window.showView(QStringLiteral("trace"));
    auto* view = window.findChild<TraceView*>();
    TimelineWidget& timeline = view->timeline();
    const auto [from, to] = timeline.view().limits();
    const double middle = static_cast<double>(from + to) / 2;
    const auto span = [&](double cycles) { timeline.show(middle, middle + cycles); };
    measure(QStringLiteral("Trace: zoom in"), 50, {[&] { span(1e6); }});
    LaneChoice lanes = view->lanes();
    lanes.show(LaneKind::Tiles, true);
    lanes.setFilter(QStringLiteral("IPU [01] "));
    measure(QStringLiteral("Trace: show tiles"), 50, {[&] { view->setLanes(lanes); }});
    measure(QStringLiteral("Trace: move among tiles"), 50, {[&] { timeline.panBy(0.5); }});
    measure(QStringLiteral("Trace: zoom among tiles"), 50, {[&] { timeline.zoomBy(4); }});
    measure(QStringLiteral("Trace: fewer tiles"), 50, {[&] { view->zoomTiles(8, 0.5); }});
    measure(QStringLiteral("Trace: no tiles again"), 50, {[&] { view->setLanes({}); }});
}

/// From the folded graph to all operations and back, and over it.
void useGraph(MainWindow& window) {
    window.showView(QStringLiteral("graph"));
    auto* view = window.findChild<GraphView*>();
    const auto settle = [&] { (void)QTest::qWaitFor([&] { return window.pendingQueries() == 0; }, 60000); };
    for (const auto& [name, unfold] : {std::pair("layers", &GraphView::unfoldLayers),
                                       std::pair("all operations", &GraphView::unfoldOperations)}) {
        measure(QStringLiteral("Graph: ") + QLatin1String(name), 50,
                {[&, unfold = unfold] { (view->*unfold)(); }});
        settle();
        measure(QStringLiteral("Graph: zoom among ") + QLatin1String(name), 50,
                {[&] { view->canvas().zoomTo(1); }, [&] { view->canvas().zoomBy(0.5); },
                 [&] { view->canvas().fit(); }});
    }
    measure(QStringLiteral("Graph: search"), 50,
            {[&] { view->searchField().setText(QStringLiteral("query")); }});
    measure(QStringLiteral("Graph: next hit"), 50, {[&] { act(window, QStringLiteral("Next hit")); }});
    view->searchField().clear();
    measure(QStringLiteral("Graph: by cycles"), 50, {[&] { view->colorBy(GraphColoring::Cycles); }});
    measure(QStringLiteral("Graph: fold all"), 50, {[&] { view->unfold({}); }});
    settle();
}

/// The tables with most rows, and what is chosen in them.
void useTables(MainWindow& window) {
    const auto view = [&](const char* id) { window.showView(QLatin1String(id)); };
    view("operations");
    auto* operations = window.findChild<DataTable*>(QStringLiteral("operations"));
    measure(QStringLiteral("Operations: sort by name"), 50,
            {[&] { operations->view()->sortByColumn(0, Qt::AscendingOrder); }});
    measure(QStringLiteral("Operations: choose one"), 50, {[&] { operations->view()->selectRow(5); }});
    view("liveness");
    for (const char* step : {"Peak step", "Step after", "Next lower peak"})
        measure(QStringLiteral("Liveness: ") + QLatin1String(step).toString().toLower(), 50,
                {[&] { act(window, QLatin1String(step)); }});
    view("memory");
    for (const char* tile : {"Fullest tile", "Next fullest", "Ever live", "Ever live"})
        measure(QStringLiteral("Memory: ") + QLatin1String(tile).toString().toLower(), 50,
                {[&] { act(window, QLatin1String(tile)); }});
    view("exchange");
    for (const char* exchange : {"Next exchange", "Busiest tile"})
        measure(QStringLiteral("Exchange: ") + QLatin1String(exchange).toString().toLower(), 50,
                {[&] { act(window, QLatin1String(exchange)); }});
}

/// What finds things in the whole file.
void useSearch(MainWindow& window) {
    measure(QStringLiteral("Search: open"), 50, {[&] { act(window, QStringLiteral("Search…")); }});
    const auto key = [&](int which) {
        auto* search = window.findChild<QWidget*>(QStringLiteral("search"));
        if (search == nullptr)
            qFatal("the search is not open");
        QTest::keyClick(search->findChild<QLineEdit*>(), static_cast<Qt::Key>(which));
    };
    QList<std::function<void()>> keys;
    for (const Qt::Key letter : {Qt::Key_L, Qt::Key_A, Qt::Key_Y, Qt::Key_E, Qt::Key_R})
        keys << [key, letter] { key(letter); };
    measure(QStringLiteral("Search: five letters"), 50, keys);
    measure(QStringLiteral("Search: next hit"), 50, {[&] { key(Qt::Key_Down); }});
    measure(QStringLiteral("Search: go to the hit"), 50, {[&] { key(Qt::Key_Return); }});
    measure(QStringLiteral("back"), 50, {[&] { act(window, QStringLiteral("Back")); }});
}

/// Each view as it shows the difference to a base, and Liveness from step to step.
void useDifference(MainWindow& window, const QString& file, const QString& base) {
    const auto settle = [&] { (void)QTest::qWaitFor([&] { return window.pendingQueries() == 0; }, 120000); };
    const auto view = [&](const char* id) { return [&window, id] { window.showView(QLatin1String(id)); }; };
    measure(QStringLiteral("compare with the base"), 50, {[&] { window.compare({base, file}); }});
    settle();
    measure(QStringLiteral("show the difference"), 50, {[&] { window.setShowing(Showing::Difference); }});
    settle();
    for (const QString& id : window.viewIds())
        measure(QStringLiteral("difference: show ") + id, 50, {[&] { window.showView(id); }});
    settle();
    measure(QStringLiteral("difference: Liveness again"), 50, {view("liveness")});
    for (const char* step : {"Peak step", "Step after", "Step before", "Next lower peak"})
        measure(QStringLiteral("difference: Liveness, ") + QLatin1String(step).toString().toLower(), 50,
                {[&] { act(window, QLatin1String(step)); }});
}

void useHelp() {
    const auto pages = readHelp(QStringLiteral(":/docs"));
    std::unique_ptr<HelpWindow> help;
    measure(QStringLiteral("Help: open"), 100, {[&] {
                help = std::make_unique<HelpWindow>();
                help->show();
            }});
    for (const HelpPage& page : pages) {
        measure(QStringLiteral("Help: ") + page.name, 100, {[&] { help->showPage(page.name); }});
        if (!help->atRest())
            qFatal("the page %s is not shown", qPrintable(page.name));
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) {
        std::fprintf(stderr, "usage: bench_window FILE.tilescope [BASE.tilescope]\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    Application qt(argc, argv);
    application = &qt;
    applyTheme(qt, ThemeMode::Light);
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    measure(QStringLiteral("open the file"), 50, {[&] { window.openFile(QString::fromLocal8Bit(argv[1])); }});
    (void)QTest::qWaitFor([&] { return window.pendingQueries() == 0; }, 60000);
    for (const QString& id : window.viewIds())
        measure(QStringLiteral("show ") + id, 50, {[&] { window.showView(id); }});
    window.showView(QStringLiteral("program"));
    useProgram(window);
    useTrace(window);
    useGraph(window);
    useTables(window);
    useSearch(window);
    measure(QStringLiteral("theme: dark"), 100, {[&] { act(window, QStringLiteral("Dark")); }});
    measure(QStringLiteral("theme: light"), 100, {[&] { act(window, QStringLiteral("Light")); }});
    if (argc == 3)
        useDifference(window, QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]));
    useHelp();
    return table.exit_code();
}
