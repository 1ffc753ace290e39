// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "ui/theme/theme.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QSettings>
#include <QThread>
#include <cstdio>

namespace {

using tilescope::Error;
using tilescope::ErrorKind;

int fail(const Error& error) {
    std::fprintf(stderr, "tilescope-gui: %s\n", error.line().c_str());
    return tilescope::exit_code(error.kind);
}

/// Lets the window work until no query is open and what was asked is painted.
void settle(const tilescope::ui::MainWindow& window) {
    QElapsedTimer timer;
    timer.start();
    int quiet = 0;
    while (quiet < 6 && timer.elapsed() < 30000) {
        QApplication::processEvents(QEventLoop::AllEvents, 30);
        quiet = window.pendingQueries() == 0 ? quiet + 1 : 0;
        QThread::msleep(10);
    }
}

int grab(tilescope::ui::MainWindow& window, const QString& folder) {
    if (!QDir().mkpath(folder))
        return fail({ErrorKind::System, "the folder cannot be made", folder.toStdString(),
                     "choose another for --grab"});
    window.show();
    settle(window);
    for (const QString& id : window.viewIds()) {
        window.showView(id);
        settle(window);
        const QString path = QDir(folder).filePath(id + QStringLiteral(".png"));
        if (!window.grab().save(path))
            return fail({ErrorKind::System, "the picture cannot be written", path.toStdString(),
                         "check the free space"});
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("tilescope"));
    QApplication::setOrganizationName(QStringLiteral("tilescope"));
    QApplication::setApplicationVersion(QStringLiteral(TILESCOPE_VERSION));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Shows profiles of IPU workloads.\n\nExamples:\n"
                       "  tilescope-gui run.tilescope\n"
                       "  tilescope-gui --compare base.tilescope new.tilescope\n"
                       "  tilescope-gui run.tilescope --grab pictures --theme dark"));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("Profiles to open."),
                                 QStringLiteral("[FILE]..."));
    const QCommandLineOption compare(QStringLiteral("compare"),
                                     QStringLiteral("Compare the first file (base) with the second (new)."));
    const QCommandLineOption view(QStringLiteral("view"), QStringLiteral("Show this view."),
                                  QStringLiteral("NAME"));
    const QCommandLineOption grab_option(QStringLiteral("grab"),
                                         QStringLiteral("Save every view as DIR/VIEW.png and exit."),
                                         QStringLiteral("DIR"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or desktop."),
                                   QStringLiteral("NAME"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Size of the window."),
                                  QStringLiteral("WxH"));
    parser.addOptions({compare, view, grab_option, theme, size});
    if (!parser.parse(QApplication::arguments()))
        return fail({ErrorKind::Usage, parser.errorText().toStdString(), {}, "see tilescope-gui --help"});
    if (parser.isSet(QStringLiteral("help")))
        parser.showHelp();
    if (parser.isSet(QStringLiteral("version")))
        parser.showVersion();

    int mode = QSettings().value(QStringLiteral("window/theme"), 0).toInt();
    if (parser.isSet(theme)) {
        const QStringList names{QStringLiteral("desktop"), QStringLiteral("light"), QStringLiteral("dark")};
        mode = static_cast<int>(names.indexOf(parser.value(theme)));
        if (mode < 0)
            return fail({ErrorKind::Usage, "there is no theme \"" + parser.value(theme).toStdString() + "\"",
                         "--theme", "use light, dark or desktop"});
    }
    tilescope::ui::applyTheme(application, static_cast<tilescope::ui::ThemeMode>(mode));

    const QStringList files = parser.positionalArguments();
    if (parser.isSet(compare) && files.size() != 2)
        return fail({ErrorKind::Usage, "--compare takes two files", {}, "tilescope-gui --compare BASE NEW"});
    tilescope::ui::MainWindow window;
    if (parser.isSet(size)) {
        const QStringList parts = parser.value(size).split(QLatin1Char('x'));
        if (parts.size() != 2 || parts[0].toInt() < 400 || parts[1].toInt() < 300)
            return fail({ErrorKind::Usage,
                         "--size is not WxH of at least 400x300",
                         {},
                         "for example --size 1280x800"});
        window.resize(parts[0].toInt(), parts[1].toInt());
    }
    const bool grabbing = parser.isSet(grab_option);
    for (const QString& file : files)
        if (const auto opened = window.openFile(file); !opened && (grabbing || files.size() == 1)) {
            if (grabbing)
                return fail(opened.error());
            std::fprintf(stderr, "tilescope-gui: %s\n", opened.error().line().c_str());
        }
    if (parser.isSet(compare))
        window.setBase(0);
    if (parser.isSet(view) && !window.showView(parser.value(view))) {
        std::vector<std::string> ids;
        for (const QString& id : window.viewIds())
            ids.push_back(id.toStdString());
        const std::string nearest = tilescope::nearest_name(parser.value(view).toStdString(), ids);
        return fail({ErrorKind::Usage, "there is no view \"" + parser.value(view).toStdString() + "\"",
                     "--view",
                     nearest.empty() ? "see the rail of the window" : "did you mean \"" + nearest + "\"?"});
    }
    if (grabbing)
        return grab(window, parser.value(grab_option));
    window.show();
    return QApplication::exec();
}
