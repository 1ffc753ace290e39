// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/desktop/screen.h"

#include "tests/ui/shown_text.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QDBusReply>
#include <QDBusVariant>
#include <QVariant>
#include <algorithm>
#include <array>
#include <utility>

namespace tilescope::tests {
namespace {

/// Numbers of states, as AT-SPI counts them (AtspiStateType).
enum State : unsigned { Focused = 12, Enabled = 8, Selected = 23, Showing = 25 };

const QString accessible = QStringLiteral("org.a11y.atspi.Accessible");
const QString component = QStringLiteral("org.a11y.atspi.Component");
const QString table = QStringLiteral("org.a11y.atspi.Table");
const QString text = QStringLiteral("org.a11y.atspi.Text");

constexpr int most_read = 400; ///< parts of one thing: nobody reads out more

} // namespace

/// The program, on the bus of accessibility.
class Screen::Bus {
  public:
    explicit Bus(const std::string& session)
        : name_(QString::fromStdString("screen of " + session)),
          session_name_(QString::fromStdString(session)) {
        auto on_session = QDBusConnection::connectToBus(session_name_, session_name_);
        // Asking starts it.
        const QDBusReply<QString> address = on_session.call(
            QDBusMessage::createMethodCall(QStringLiteral("org.a11y.Bus"), QStringLiteral("/org/a11y/bus"),
                                           QStringLiteral("org.a11y.Bus"), QStringLiteral("GetAddress")));
        if (address.isValid())
            bus_ = std::make_unique<QDBusConnection>(QDBusConnection::connectToBus(address.value(), name_));
    }
    ~Bus() {
        QDBusConnection::disconnectFromBus(name_);
        QDBusConnection::disconnectFromBus(session_name_);
    }
    Bus(const Bus&) = delete;
    Bus& operator=(const Bus&) = delete;

    bool works() const { return bus_ && bus_->isConnected(); }

    std::vector<SeenPart> parts() const {
        std::vector<SeenPart> all;
        for (const QString& service : bus_->interface()->registeredServiceNames().value())
            if (service.startsWith(QLatin1Char(':')) && service != bus_->baseService())
                add(service, children({service, QStringLiteral("/org/a11y/atspi/accessible/root")}), all);
        return all;
    }

  private:
    struct Place {
        QString service, path;
    };

    QDBusPendingCall ask(const Place& of, const QString& interface, const char* method,
                         const QVariantList& with = {}) const {
        QDBusMessage call =
            QDBusMessage::createMethodCall(of.service, of.path, interface, QLatin1String(method));
        call.setArguments(with);
        return bus_->asyncCall(call, 5000);
    }
    QDBusPendingCall askProperty(const Place& of, const QString& interface, const char* property) const {
        return ask(of, QStringLiteral("org.freedesktop.DBus.Properties"), "Get",
                   {interface, QString(QLatin1String(property))});
    }
    static QVariant answer(QDBusPendingCall call) {
        call.waitForFinished();
        const QVariantList values = call.reply().arguments();
        if (call.isError() || values.isEmpty())
            return {};
        return values[0].canConvert<QDBusVariant>() ? values[0].value<QDBusVariant>().variant() : values[0];
    }
    static QString pathIn(const QDBusArgument& from) {
        QString service;
        QDBusObjectPath path;
        from.beginStructure();
        from >> service >> path;
        from.endStructure();
        return path.path();
    }

    QStringList children(const Place& of) const {
        QStringList paths;
        if (answer(askProperty(of, accessible, "ChildCount")).toInt() > most_read)
            return paths;
        const QVariant all = answer(ask(of, accessible, "GetChildren"));
        if (!all.canConvert<QDBusArgument>())
            return paths;
        const auto list = all.value<QDBusArgument>();
        for (list.beginArray(); !list.atEnd();)
            paths << pathIn(list);
        return paths;
    }

    /// What is asked of a part: of those beside each other all is asked before the first answer is awaited.
    struct Asked {
        Place of;
        QDBusPendingCall states, role, name, description, extents, interfaces;
    };
    Asked askAll(const Place& of) const {
        return {of,
                ask(of, accessible, "GetState"),
                ask(of, accessible, "GetRoleName"),
                askProperty(of, accessible, "Name"),
                askProperty(of, accessible, "Description"),
                ask(of, component, "GetExtents", {0U}),
                ask(of, accessible, "GetInterfaces")};
    }
    void add(const QString& service, const QStringList& paths, std::vector<SeenPart>& all) const {
        std::vector<Asked> asked;
        for (const QString& path : paths)
            asked.push_back(askAll({service, path}));
        for (const Asked& each : asked)
            add(each, all);
    }

    /// It and what is in it, if it shows.
    bool add(const Asked& asked, std::vector<SeenPart>& all) const {
        std::array<unsigned, 2> bits{};
        if (const QVariant words = answer(asked.states); words.canConvert<QDBusArgument>()) {
            const auto list = words.value<QDBusArgument>();
            list.beginArray();
            list >> bits[0] >> bits[1];
        }
        const auto is = [&](State state) { return (bits[0] >> state & 1U) != 0; };
        if (!is(Showing))
            return false;
        SeenPart part;
        part.role = answer(asked.role).toString().toStdString();
        part.name = as_read(answer(asked.name).toString()).toStdString();
        part.words = as_read(answer(asked.description).toString()).toStdString();
        if (const QVariant box = answer(asked.extents); box.canConvert<QDBusArgument>()) {
            const auto of_it = box.value<QDBusArgument>();
            of_it.beginStructure();
            of_it >> part.left >> part.top >> part.width >> part.height;
        }
        const QStringList interfaces = answer(asked.interfaces).toStringList();
        if (interfaces.contains(text)) {
            QString words = answer(ask(asked.of, text, "GetText", {0, -1})).toString();
            // Spaces of no width, where names may break, and what begins and ends cells of tables.
            words.remove(QChar(0x200b)).replace(QChar(0xfdd0), QLatin1Char(' ')).remove(QChar(0xfdd1));
            if (!words.isEmpty())
                part.words = as_read(words).toStdString();
        }
        part.selected = is(Selected);
        part.focused = is(Focused);
        part.enabled = is(Enabled);
        all.push_back(part);
        if (interfaces.contains(table))
            addRows(asked.of, all);
        else
            add(asked.of.service, children(asked.of), all);
        return true;
    }

    /// The cells that are in view.
    void addRows(const Place& of, std::vector<SeenPart>& all) const {
        const int rows = answer(askProperty(of, table, "NRows")).toInt();
        const int columns = answer(askProperty(of, table, "NColumns")).toInt();
        const auto add_line = [&](const auto& ask_cell) {
            std::vector<QDBusPendingCall> cells;
            cells.reserve(static_cast<std::size_t>(std::max(columns, 0)));
            for (int column = 0; column < columns; ++column)
                cells.push_back(ask_cell(column));
            std::vector<Asked> asked;
            asked.reserve(cells.size());
            for (const QDBusPendingCall& cell : cells)
                if (const QVariant found = answer(cell); found.canConvert<QDBusArgument>())
                    asked.push_back(askAll({of.service, pathIn(found.value<QDBusArgument>())}));
            bool shows = false;
            for (const Asked& each : asked)
                shows = add(each, all) || shows;
            return shows;
        };
        add_line([&](int column) { return ask(of, table, "GetColumnHeader", {column}); });
        bool any = false;
        for (int row = 0; row < rows; ++row) {
            const bool shows = add_line([&](int column) {
                return ask(of, table, "GetAccessibleAt", {row, column});
            });
            if (any && !shows)
                return;
            any = any || shows;
        }
    }

    QString name_, session_name_;
    std::unique_ptr<QDBusConnection> bus_;
};

Screen::Screen(const std::string& session) : bus_(std::make_unique<Bus>(session)) {}
Screen::~Screen() = default;

bool Screen::works() const {
    return bus_->works();
}

std::vector<SeenPart> Screen::parts() const {
    return works() ? bus_->parts() : std::vector<SeenPart>();
}

} // namespace tilescope::tests
