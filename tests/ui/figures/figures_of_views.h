// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyse/basis.h"
#include "build_paths.h"
#include "profile/profile.h"
#include "tests/temporary_folder.h"
#include "tests/ui/shown_text.h"
#include "ui/session/format.h"
#include "ui/session/view.h"

#include <QApplication>
#include <QProcess>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <vector>

/// Every view of a run shows the figures that its report has. The runs are made by the program itself.
namespace tilescope::ui {

using Json = nlohmann::ordered_json;

inline QByteArray tilescope(const QStringList& arguments) {
    QProcess program;
    program.start(QStringLiteral(TILESCOPE_BIN_DIR "/tilescope"), arguments);
    EXPECT_TRUE(program.waitForFinished(120'000));
    EXPECT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
    return program.readAllStandardOutput();
}

struct Way {
    const char* name;
    const char* sample;
    int steps; ///< of one engine run; 0: as the sample says
    std::vector<const char*> settings = {};
};

inline std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << way.name;
}

class FiguresOfViews : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        path_ = record(GetParam(), "run");
        source = ProfileSource::open(path_);
        report = report_of(path_);
    }

    QString record(const Way& way, const char* name) const {
        QString path = QString::fromStdString(folder_ / (std::string(name) + ".tilescope"));
        QStringList arguments{
            QStringLiteral("profile"),
            QStringLiteral(TILESCOPE_SOURCE_DIR "/samples/%1.json").arg(QLatin1String(way.sample)),
            QStringLiteral("-o"), path, QStringLiteral("--estimate")};
        if (way.steps > 0) {
            for (const QString& change : {QStringLiteral("data.train.samples=%1").arg(64 * way.steps),
                                          QStringLiteral("fit.steps_per_epoch=%1").arg(way.steps),
                                          QStringLiteral("compile.steps_per_execution=%1").arg(way.steps),
                                          QStringLiteral("data.evaluate.samples=64")})
                arguments << QStringLiteral("--set") << change;
            arguments << QStringLiteral("--epochs") << QStringLiteral("1");
        }
        for (const char* setting : way.settings)
            arguments << QStringLiteral("--set") << QLatin1String(setting);
        tilescope(arguments);
        return path;
    }

    static Json report_of(const QString& path) {
        return Json::parse(
            tilescope({QStringLiteral("report"), path, QStringLiteral("--format"), QStringLiteral("json")})
                .toStdString());
    }
    /// Another run to compare with: a plain one.
    void open_base() {
        const QString path = record({"Base", "keras_mnist_faster", 20}, "base");
        base = ProfileSource::open(path);
        base_report = report_of(path);
    }

    /// A view of the run, its questions answered.
    template<class V>
    std::unique_ptr<V> shown() {
        auto view = std::make_unique<V>();
        view->resize(1300, 900);
        view->setSelection(&selection);
        view->setSources({source, base});
        view->setVisible(true);
        settle();
        return view;
    }

    /// The table with this first column, line by line, its heads first: what a person reads, or with
    /// `SortRole` the numbers behind it.
    static QList<QStringList> lines(const QWidget& view, const QString& first_column,
                                    int role = Qt::DisplayRole) {
        QList<QStringList> found;
        for (const QTableView* table : view.findChildren<QTableView*>()) {
            const QAbstractItemModel& model = *table->model();
            if (model.headerData(0, Qt::Horizontal).toString() != first_column)
                continue;
            for (int r = -1; r < model.rowCount(); ++r) {
                found.emplaceBack();
                for (int c = 0; c < model.columnCount(); ++c)
                    found.back() << (r < 0 ? model.headerData(c, Qt::Horizontal)
                                           : model.index(r, c).data(role))
                                        .toString();
            }
        }
        return found;
    }
    /// The line of that table whose first cell is `name`.
    static QStringList row(const QWidget& view, const QString& first_column, const QString& name) {
        for (const QStringList& line : lines(view, first_column))
            if (line[0] == name)
                return line;
        return {};
    }
    /// "1,234" as a number; a dash is 0.
    static double parsed(QString cell) { return cell.remove(QLatin1Char(',')).toDouble(); }

    std::int64_t number(const char* place) const {
        return report.at(Json::json_pointer(place)).get<std::int64_t>();
    }
    double real(const char* place) const { return report.at(Json::json_pointer(place)).get<double>(); }
    QString per() const {
        return QStringLiteral("per ") +
               QString::fromStdString(report.at("timing").at("layers_per").get<std::string>())
                   .replace(QLatin1Char('_'), QLatin1Char(' '));
    }

    /// Until the views that are shown ask nothing any more.
    void settle() const {
        const auto rests = [this] {
            const auto all = QApplication::topLevelWidgets();
            return source->pending() == 0 && (!base || base->pending() == 0) &&
                   std::ranges::all_of(all, [](const QWidget* each) {
                       const auto* view = qobject_cast<const View*>(each);
                       return view == nullptr || view->atRest();
                   });
        };
        for (int round = 0; round < 3; ++round) {
            QTest::qWait(1);
            EXPECT_TRUE(QTest::qWaitFor(rests, 60'000));
        }
    }
    void choose(std::optional<analyse::Basis> basis) {
        Selection s = selection.current();
        s.basis = basis;
        selection.set(s);
        settle();
    }
    profile::PhaseCycles phases() const {
        profile::PhaseCycles all;
        all.compute = number("/timing/by_phase/compute");
        all.exchange = number("/timing/by_phase/exchange");
        all.sync = number("/timing/by_phase/sync");
        all.inter_ipu = number("/timing/by_phase/inter_ipu");
        all.host = number("/timing/by_phase/host");
        all.waiting = number("/timing/by_phase/waiting");
        return all;
    }
    /// How many weight updates, say, one engine run of a report has.
    static double count(const Json& of, const std::string& basis) {
        const Json& elapsed = of.at("timing").at("elapsed");
        return elapsed.at("execution").at("cycles").get<double>() /
               elapsed.at(basis).at("cycles").get<double>();
    }
    /// What figures of this run and of the base are compared per.
    analyse::Basis common(std::optional<analyse::Basis> chosen) const {
        const auto has = [&](const Json& of) {
            return of.at("timing").at("elapsed").contains(analyse::key(*chosen));
        };
        if (chosen && has(report) && has(base_report))
            return *chosen;
        const std::string usual = report.at("timing").at("layers_per");
        for (const auto& [basis, ratio] : bases())
            if (analyse::key(basis) == usual && base_report.at("timing").at("layers_per") == usual)
                return basis;
        return analyse::Basis::MicroBatch;
    }
    /// What can be chosen; none at first.
    std::vector<std::optional<analyse::Basis>> choices() const {
        std::vector<std::optional<analyse::Basis>> found{std::nullopt};
        for (const auto& [basis, ratio] : bases())
            found.emplace_back(basis);
        return found;
    }
    /// The bases of the run, and how much of the one that layers are per each of them is.
    std::vector<std::pair<analyse::Basis, double>> bases() const {
        using analyse::Basis;
        const Json& elapsed = report.at("timing").at("elapsed");
        const std::string usual = report.at("timing").at("layers_per");
        std::vector<std::pair<Basis, double>> found;
        for (const Basis basis : {Basis::MicroBatch, Basis::Step, Basis::WeightUpdate, Basis::Execution})
            if (elapsed.contains(analyse::key(basis)))
                found.emplace_back(basis, elapsed.at(analyse::key(basis)).at("cycles").get<double>() /
                                              elapsed.at(usual).at("cycles").get<double>());
        return found;
    }

    tests::TemporaryFolder folder_;
    QString path_;
    SelectionModel selection;
    std::shared_ptr<ProfileSource> source;
    std::shared_ptr<ProfileSource> base;
    Json report;
    Json base_report;
};

} // namespace tilescope::ui
