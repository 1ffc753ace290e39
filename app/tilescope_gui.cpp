// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/version.h"
#include "base/host_memory.h"
#include "base/nearest_name.h"
#include "ui/session/whole_options.h"
#include "ui/theme/theme.h"
#include "ui/window/grab_views.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using tilescope::Error;
using tilescope::ErrorKind;
using tilescope::Failure;
using tilescope::Result;

int fail(const Error& error) {
    std::fprintf(stderr, "tilescope-gui: %s\n", error.line().c_str());
    return tilescope::exit_code(error.kind);
}

/// From here on settings are read as the user has them, and what is written is forgotten with `folder`.
void borrow_settings(const QTemporaryDir& folder) {
    const QSettings own;
    QSettings::setPath(own.format(), own.scope(), folder.path());
    QSettings copy;
    for (const QString& key : own.allKeys())
        copy.setValue(key, own.value(key));
}

struct Options {
    QCommandLineOption compare{QStringLiteral("compare"),
                               QStringLiteral("Compare the other files with the first, the base.")};
    QCommandLineOption showing{QStringLiteral("showing"),
                               QStringLiteral("Of two files: new, base, both or difference."),
                               QStringLiteral("NAME")};
    QCommandLineOption view{QStringLiteral("view"), QStringLiteral("Show this view."),
                            QStringLiteral("NAME")};
    QCommandLineOption grab{QStringLiteral("grab"),
                            QStringLiteral("Save every view as DIR/VIEW.png and exit."),
                            QStringLiteral("DIR")};
    QCommandLineOption theme{QStringLiteral("theme"), QStringLiteral("light, dark or desktop."),
                             QStringLiteral("NAME")};
    QCommandLineOption colours{QStringLiteral("colours"),
                               QStringLiteral("Standard, colour-blind or high-contrast."),
                               QStringLiteral("NAME")};
    QCommandLineOption size{QStringLiteral("size"), QStringLiteral("Size of the window."),
                            QStringLiteral("WxH")};
};

void describe(QCommandLineParser& parser, const Options& options) {
    parser.setApplicationDescription(
        QStringLiteral("Shows profiles of IPU workloads.\n\nExamples:\n"
                       "  tilescope-gui run.tilescope\n"
                       "  tilescope-gui --compare base.tilescope new.tilescope\n"
                       "  tilescope-gui saved.tilescope-compare\n"
                       "  tilescope-gui profiles/\n"
                       "  tilescope-gui run.tilescope --grab pictures --theme dark"));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(
        QStringLiteral("FILE"), QStringLiteral("Profiles, saved comparisons or folders of profiles to open."),
        QStringLiteral("[FILE]..."));
    parser.addOptions({options.compare, options.showing, options.view, options.grab, options.theme,
                       options.colours, options.size});
}

void name_application() {
    QCoreApplication::setApplicationName(QStringLiteral("tilescope"));
    QCoreApplication::setOrganizationName(QStringLiteral("tilescope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.tilescope.tilescope"));
    QCoreApplication::setApplicationVersion(QString::fromUtf8(tilescope::app::version));
}

/// Help and version need no display, which QApplication ends without. Returns where neither was asked for.
void print_help(int argc, char** argv) {
    const auto asks = [](const char* argument) {
        const std::string text = argument;
        return text == "--help" || text == "-h" || text == "--help-all" || text == "--version" ||
               text == "-v";
    };
    if (std::none_of(argv + 1, argv + argc, asks))
        return;
    const QCoreApplication application(argc, argv);
    name_application();
    QCommandLineParser parser;
    describe(parser, {});
    parser.process(application); // ends the program
}

/// Qt ends a program that has no display with an abort.
bool has_display(int argc, char** argv) {
#if defined(Q_OS_LINUX)
    const auto names_platform = [](const char* argument) {
        return std::string(argument).ends_with("-platform");
    };
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") ||
           std::any_of(argv + 1, argv + argc, names_platform);
#else
    return true;
#endif
}

/// Which of `names` the option gives; `otherwise` where it is not set.
Result<int> choice(const QCommandLineParser& parser, const QCommandLineOption& option,
                   const std::vector<std::string>& names, int otherwise) {
    if (!parser.isSet(option))
        return otherwise;
    const std::string wanted = parser.value(option).toStdString();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == wanted)
            return static_cast<int>(i);
    std::string all;
    for (std::size_t i = 0; i < names.size(); ++i)
        all += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    const std::string name = option.names().front().toStdString();
    return Failure(
        {ErrorKind::Usage, "there is no " + name + " \"" + wanted + "\"", "--" + name, "use " + all});
}

} // namespace

int main(int argc, char** argv) {
    tilescope::return_freed_memory();
    if (argc > 1)
        print_help(argc, argv);
    if (!has_display(argc, argv))
        return fail(
            {ErrorKind::System,
             "there is no display to open the window on",
             {},
             "'tilescope report' needs none, and QT_QPA_PLATFORM=offscreen saves pictures with --grab"});
    QApplication application(argc, argv);
    name_application();

    const Options options;
    QCommandLineParser parser;
    describe(parser, options);
    if (!parser.parse(QApplication::arguments()))
        return fail({ErrorKind::Usage, parser.errorText().toStdString(), {}, "see tilescope-gui --help"});

    const bool grabbing = parser.isSet(options.grab);
    const QTemporaryDir unused_settings;
    if (grabbing)
        borrow_settings(unused_settings);
    const auto theme = choice(parser, options.theme, {"desktop", "light", "dark"},
                              static_cast<int>(tilescope::ui::rememberedTheme()));
    if (!theme)
        return fail(theme.error());
    const auto colours = choice(parser, options.colours, {"standard", "colour-blind", "high-contrast"},
                                static_cast<int>(tilescope::ui::rememberedColours()));
    if (!colours)
        return fail(colours.error());
    tilescope::ui::applyTheme(application, static_cast<tilescope::ui::ThemeMode>(*theme),
                              static_cast<tilescope::ui::ThemeColours>(*colours));
    tilescope::ui::copyWithoutJoiners(application);

    const auto showing = choice(parser, options.showing, {"new", "base", "both", "difference"},
                                static_cast<int>(tilescope::ui::Showing::Both));
    if (!showing)
        return fail(showing.error());

    const QStringList files = parser.positionalArguments();
    if (parser.isSet(options.compare) && files.size() < 2)
        return fail(
            {ErrorKind::Usage, "--compare takes two files or more", {}, "tilescope-gui --compare BASE NEW"});
    tilescope::ui::MainWindow window;
    if (parser.isSet(options.size)) {
        const QStringList parts = parser.value(options.size).split(QLatin1Char('x'));
        if (parts.size() != 2 || parts[0].toInt() < 400 || parts[1].toInt() < 300)
            return fail({ErrorKind::Usage,
                         "--size is not WxH of at least 400x300",
                         {},
                         "for example --size 1280x800"});
        window.resize(parts[0].toInt(), parts[1].toInt());
    }
    int failure = 0; // of the files, as they are opened
    QObject::connect(&window, &tilescope::ui::MainWindow::fileFailed,
                     [&failure](const Error& error) { failure = fail(error); });
    for (const QString& file : files)
        window.openFile(file);
    if (grabbing)
        tilescope::ui::settle(window);
    if (grabbing && failure != 0)
        return failure;
    if (parser.isSet(options.compare))
        window.compare(files);
    window.setShowing(static_cast<tilescope::ui::Showing>(*showing));
    if (parser.isSet(options.view) && !window.showView(parser.value(options.view))) {
        std::vector<std::string> ids;
        for (const QString& id : window.viewIds())
            ids.push_back(id.toStdString());
        return fail({ErrorKind::Usage,
                     "there is no view \"" + parser.value(options.view).toStdString() + "\"", "--view",
                     tilescope::remedy_for(parser.value(options.view).toStdString(), ids,
                                           "there are " +
                                               window.viewIds().join(QStringLiteral(", ")).toStdString())});
    }
    if (grabbing) {
        const auto saved = tilescope::ui::grabViews(window, parser.value(options.grab));
        return saved ? 0 : fail(saved.error());
    }
    if (files.empty())
        window.reopenLastFiles();
    window.show();
    return QApplication::exec();
}
