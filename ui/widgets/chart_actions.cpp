// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_actions.h"

#include "ui/session/subject_menu.h"

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QHelpEvent>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPointer>
#include <QSaveFile>
#include <QScrollArea>
#include <QSvgGenerator>
#include <QToolTip>
#include <QWidget>

namespace tilescope::ui {

namespace {

constexpr const char* title_property = "partTitle";

QByteArray svgOf(QWidget& widget) {
    QByteArray picture;
    QBuffer lines(&picture);
    QSvgGenerator svg;
    svg.setOutputDevice(&lines);
    svg.setSize(widget.size());
    svg.setViewBox(QRect(QPoint(), widget.size()));
    svg.setTitle(QStringLiteral("Tilescope"));
    QPainter painter(&svg);
    widget.render(&painter);
    painter.end();
    return picture;
}

QImage imageOf(QWidget& widget) {
    constexpr qreal scale = 2;
    QImage picture(widget.size() * scale, QImage::Format_ARGB32_Premultiplied);
    picture.setDevicePixelRatio(scale);
    picture.fill(widget.palette().color(QPalette::Base));
    widget.render(&picture);
    return picture;
}

} // namespace

bool isSvg(const QString& path) {
    return path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
}

Result<void> writePicture(const QByteArray& svg, const QImage& image, const QString& path) {
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) &&
        (isSvg(path) ? file.write(svg) == svg.size() : image.save(&file, "PNG")) && file.commit())
        return {};
    return system_failure("the picture cannot be written", path.toStdString(),
                          "check the folder and the free space");
}

Result<void> savePicture(QWidget& widget, const QString& path) {
    return isSvg(path) ? writePicture(svgOf(widget), {}, path) : writePicture({}, imageOf(widget), path);
}

QKeySequence csvKeys() {
    return Qt::CTRL | Qt::SHIFT | Qt::Key_S;
}

void saveTextAs(const QWidget& shown, const QString& title, const QString& csv) {
    QWidget* window = shown.window();
    const QString path = QFileDialog::getSaveFileName(
        window, QObject::tr("Export figures"), title + QStringLiteral(".csv"), QObject::tr("CSV (*.csv)"));
    if (path.isEmpty())
        return;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(csv.toUtf8()) < 0 || !file.commit())
        QMessageBox::warning(window, QObject::tr("Export figures"),
                             QObject::tr("%1 cannot be written: %2").arg(path, file.errorString()));
}

void savePictureAs(QWidget& widget, const QString& title) {
    const QPointer<QWidget> window = widget.window();
    const QPointer<QWidget> shown = &widget;
    const QString path =
        QFileDialog::getSaveFileName(window, QObject::tr("Save picture"), title + QStringLiteral(".png"),
                                     QObject::tr("Pictures (*.png *.svg)"));
    if (path.isEmpty())
        return;
    const QString wrong = [&] {
        if (shown == nullptr)
            return QObject::tr("What was to be saved is no longer shown: save what has come in its place.");
        const auto saved = savePicture(*shown, path);
        return saved ? QString() : QString::fromStdString(saved.error().line());
    }();
    if (!wrong.isEmpty())
        QMessageBox::warning(window, QObject::tr("Save picture"), wrong);
}

void addPictureActions(QWidget* widget, const QString& title) {
    widget->setProperty(title_property, title);
    auto* copy = new QAction(QObject::tr("Copy as picture"), widget);
    QObject::connect(copy, &QAction::triggered, widget,
                     [widget] { QApplication::clipboard()->setPixmap(widget->grab()); });
    auto* save = new QAction(QObject::tr("Save as PNG or SVG…"), widget);
    QObject::connect(save, &QAction::triggered, widget, [widget, title] { savePictureAs(*widget, title); });
    for (QAction* action : {copy, save})
        markExport(action);
    widget->addActions({copy, save});
}

QString titleOf(const QWidget& part) {
    return part.property(title_property).toString();
}

void offerActions(QWidget* widget) {
    offerMenu(
        widget, [](const QPoint&) {}, [widget] { return widget->rect().center(); },
        [widget](const QPoint& global) {
            auto* menu = new QMenu(widget);
            menu->setObjectName(QStringLiteral("actionsMenu"));
            menu->setAttribute(Qt::WA_DeleteOnClose);
            menu->addActions(widget->actions());
            menu->popup(global); // not exec: an answer may delete the widget meanwhile
        });
}

void addChartActions(QWidget* chart, const QString& title, std::function<QString(QChar)> text) {
    offerActions(chart);
    const auto add = [chart](const QString& name, std::function<void()> done) {
        auto* action = new QAction(name, chart);
        QObject::connect(action, &QAction::triggered, chart, std::move(done));
        markExport(action);
        chart->addAction(action);
        return action;
    };
    addPictureActions(chart, title);
    QAction* copy = add(QObject::tr("Copy figures"),
                        [text] { QApplication::clipboard()->setText(text(QLatin1Char('\t'))); });
    copy->setObjectName(QStringLiteral("copy"));
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    QAction* save = add(QObject::tr("Export figures as CSV…"), [chart, title, text = std::move(text)] {
        saveTextAs(*chart, title, text(QLatin1Char(',')));
    });
    save->setObjectName(QStringLiteral("save csv"));
    save->setShortcut(csvKeys());
    save->setShortcutContext(Qt::WidgetShortcut);
}

void makeChart(QWidget* chart, const QString& name, const QSize& least, std::function<QString(QChar)> text) {
    chart->setMouseTracking(true);
    chart->setFocusPolicy(Qt::StrongFocus);
    chart->setMinimumSize(least);
    chart->setAccessibleName(name);
    addChartActions(chart, name, std::move(text));
}

void tellAtKeys(QWidget& chart, const QRect& place, const QString& text) {
    for (QWidget* above = chart.parentWidget(); above != nullptr; above = above->parentWidget())
        if (auto* scrolls = qobject_cast<QScrollArea*>(above);
            scrolls != nullptr && scrolls->widget() == &chart)
            scrolls->ensureVisible(place.center().x(), place.center().y(), 0, place.height());
    if (chart.isVisible())
        QToolTip::showText(chart.mapToGlobal(place.center()), text, &chart);
}

bool showTip(QEvent* event, QWidget* widget, const std::function<QString(const QPoint& point)>& text) {
    if (event->type() != QEvent::ToolTip)
        return false;
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), text(help->pos()), widget);
    return true;
}

} // namespace tilescope::ui
