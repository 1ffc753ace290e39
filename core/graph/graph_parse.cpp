// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/nearest_name.h"
#include "graph/builder.h"
#include "graph/graph_text.h"
#include "graph_lexer.h"

#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace tilescope::graph {
namespace {

constexpr int deepest_body = 8; ///< loops within loops: a text cannot exhaust the stack
/// A text of one number may ask for any memory: all constants together may be as large as that, which is more
/// than passes make.
constexpr std::int64_t most_constant_elements = std::int64_t{1} << 24;

/// What is known of the graph that is read.
struct Unit {
    Graph graph;
    Builder build;
    std::map<std::string, ValueId> values; ///< by label
    std::map<std::string, LayerId> layers; ///< by label
    std::set<std::string> operations;      ///< names

    explicit Unit(const OperatorRegistry& registry) : build(graph, registry) {}
};

class Parser {
  public:
    Parser(std::string_view text, const OperatorRegistry& registry) : lexer_(text), registry_(registry) {
        advance();
    }

    Graph whole() {
        Graph result = graph(0);
        if (token_.kind != Token::Kind::End)
            fail_at(token_, "the graph has ended, \"" + token_.text + "\" does not belong to it");
        return result;
    }

  private:
    // --- words ---
    Token advance() { return std::exchange(token_, lexer_.next()); }
    bool is(std::string_view text, Token::Kind kind) const {
        return token_.kind == kind && token_.text == text;
    }
    bool take_symbol(std::string_view symbol) {
        const bool found = is(symbol, Token::Kind::Symbol);
        if (found)
            advance();
        return found;
    }
    bool take_word(std::string_view word) {
        const bool found = is(word, Token::Kind::Word);
        if (found)
            advance();
        return found;
    }
    [[noreturn]] void expected(const std::string& what) const {
        const std::string found =
            token_.kind == Token::Kind::End ? "the end of the text" : "\"" + token_.text + "\"";
        fail_at(token_, "expected " + what + ", found " + found);
    }
    void symbol(const char* symbol) {
        if (!take_symbol(symbol))
            expected("\"" + std::string(symbol) + "\"");
    }
    std::string word(const char* what) {
        if (token_.kind != Token::Kind::Word)
            expected(what);
        return advance().text;
    }
    std::string text(const char* what) {
        if (token_.kind != Token::Kind::Text)
            expected(what);
        return advance().text;
    }
    template<class Number>
    Number number(const char* what) {
        Number value{};
        const bool whole = std::is_integral_v<Number>;
        std::string digits = token_.text;
        if (token_.kind != Token::Kind::Number && (whole || !(take_nonfinite(digits))))
            expected(what);
        const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
        const char* end = digits.data() + digits.size();
        const auto read = std::from_chars(begin, end, value);
        if (read.ec != std::errc{} || read.ptr != end)
            expected(what);
        advance();
        return value;
    }
    bool take_nonfinite(const std::string& digits) const {
        return token_.kind == Token::Kind::Word && (digits == "inf" || digits == "nan");
    }

    // --- types and values ---
    Shape shape() {
        const Token begin = token_;
        Shape result;
        symbol("[");
        while (!take_symbol("]")) {
            if (!result.empty())
                symbol(",");
            result.push_back(number<std::int64_t>("an extent"));
        }
        if (const auto size = check_size(result); !size)
            fail_at(begin, size.error().message, size.error().remedy);
        return result;
    }
    TensorType type() {
        const Token begin = token_;
        const std::string name = word("a type, as float32 [2, 3]");
        const auto dtype = tilescope::parse<DType>(name);
        if (!dtype)
            fail_at(begin, "\"" + name + "\" is no type", "use float32, float16, int32 or bool");
        return {*dtype, shape()};
    }
    double element(DType dtype) {
        if (!is_floating(dtype))
            return static_cast<double>(number<std::int32_t>("a whole number"));
        return static_cast<double>(number<float>("a number"));
    }
    HostTensor tensor(const TensorType& type, const Token& begin) {
        if (type.elements() > most_constant_elements - constant_elements_)
            fail_at(begin, "a constant of " + to_string(type) + " is too large for a text");
        constant_elements_ += type.elements();
        HostTensor result(type);
        if (take_symbol("..."))
            return result;
        if (!take_symbol("[")) {
            const double value = element(type.dtype);
            for (std::int64_t i = 0; i < result.elements(); ++i)
                result.set(i, value);
        } else {
            for (std::int64_t i = 0; i < result.elements(); ++i) {
                if (i > 0)
                    symbol(",");
                result.set(i, element(type.dtype));
            }
            symbol("]");
        }
        result.round_to_type();
        return result;
    }
    InitialValue initial(const TensorType& type, const Token& begin) {
        if (is("[", Token::Kind::Symbol))
            return tensor(type, begin);
        return InitialValue::filled(type, take_symbol("...") ? 0 : element(type.dtype));
    }

    // --- attributes ---
    Attributes attributes(int depth) {
        Attributes result;
        if (!take_symbol("{"))
            return result;
        while (!take_symbol("}")) {
            if (!result.all().empty())
                symbol(",");
            const Token name = token_;
            word("the name of an attribute");
            if (result.has(name.text))
                fail_at(name, "the attribute \"" + name.text + "\" is there twice");
            symbol(":");
            result.set(name.text, attribute(depth));
        }
        return result;
    }
    Attribute attribute(int depth) {
        if (take_word("true"))
            return true;
        if (take_word("false"))
            return false;
        if (token_.kind == Token::Kind::Text)
            return advance().text;
        if (is("graph", Token::Kind::Word))
            return Body(std::make_shared<const Graph>(graph(depth + 1)));
        if (take_word("reals"))
            return list<double>([this] { return number<double>("a number"); });
        if (take_word("texts"))
            return list<std::string>([this] { return text("a text in quotes"); });
        if (is("[", Token::Kind::Symbol))
            return list_of_its_first();
        if (whole_number())
            return number<std::int64_t>("a whole number");
        return number<double>("a value: a number, a text in quotes, true, false, a list or a graph");
    }
    /// A number without point and exponent is a whole one.
    bool whole_number() const {
        return token_.kind == Token::Kind::Number && token_.text.find_first_of(".einf") == std::string::npos;
    }
    template<class T, class Read>
    std::vector<T> list(Read read) {
        std::vector<T> items;
        symbol("[");
        while (!take_symbol("]")) {
            if (!items.empty())
                symbol(",");
            items.push_back(read());
        }
        return items;
    }
    Attribute list_of_its_first() {
        GraphLexer ahead = lexer_;
        const Token first = ahead.next();
        if (first.kind == Token::Kind::Text)
            return list<std::string>([this] { return text("a text in quotes"); });
        const bool real =
            first.kind == Token::Kind::Word ||
            (first.kind == Token::Kind::Number && first.text.find_first_of(".einf") != std::string::npos);
        if (real)
            return list<double>([this] { return number<double>("a number"); });
        return list<std::int64_t>([this] { return number<std::int64_t>("a whole number"); });
    }

    // --- statements ---
    Graph graph(int depth) {
        const Token begin = token_;
        if (!take_word("graph"))
            expected("\"graph\"");
        if (depth > deepest_body)
            fail_at(begin, "loops lie " + std::to_string(depth) + " deep in each other");
        Unit unit(registry_);
        unit.graph.name = text("the graph's name in quotes");
        symbol("{");
        while (!take_symbol("}"))
            statement(unit, depth);
        return std::move(unit.graph);
    }

    void statement(Unit& unit, int depth) {
        if (token_.kind == Token::Kind::Value)
            return operation(unit, depth);
        if (take_word("layer"))
            return layer(unit);
        if (take_word("feed"))
            return feed(unit);
        if (take_word("variable"))
            return variable(unit, depth);
        if (take_word("constant"))
            return constant(unit);
        if (take_word("next"))
            return next(unit);
        if (take_word("fetch"))
            return fetch(unit);
        if (take_word("train"))
            return train(unit, depth);
        expected("\"}\", a value (%) or one of layer, feed, variable, constant, next, fetch and train");
    }

    void layer(Unit& unit) {
        const Token label = token_;
        if (label.kind != Token::Kind::Layer)
            expected("a layer (@)");
        advance();
        symbol(":");
        const std::string kind = text("the layer's kind in quotes");
        const LayerId id = unit.build.layer(label.name, kind);
        Layer& added = unit.graph.layers.back();
        added.output_shape = shape();
        if (take_word("parameters"))
            added.parameters = number<std::int64_t>("the number of parameters");
        if (!unit.layers.emplace(label.text, id).second)
            fail_at(label, "the layer " + label.text + " is there twice");
    }
    LayerId of_layer(const Unit& unit) {
        const Token label = advance();
        const auto found = unit.layers.find(label.text);
        if (found == unit.layers.end())
            fail_at(label, "there is no layer " + label.text + " above");
        return found->second;
    }
    void layer_of_next(Unit& unit) {
        unit.build.scope.layer = token_.kind == Token::Kind::Layer ? of_layer(unit) : no_layer;
    }

    Token label() {
        if (token_.kind != Token::Kind::Value)
            expected("a value (%)");
        return advance();
    }
    static void define(Unit& unit, const Token& label, ValueId id) {
        if (!unit.values.emplace(label.text, id).second)
            fail_at(label, label.text + " is there already",
                    "give it another name, or a number: " + label.text + "#1");
    }
    ValueId value(const Unit& unit) {
        const Token used = label();
        const auto found = unit.values.find(used.text);
        if (found != unit.values.end())
            return found->second;
        std::vector<std::string> names;
        for (const auto& [name, id] : unit.values)
            names.push_back(name);
        fail_at(used, "there is no " + used.text + " above", remedy_for(used.text, names));
    }

    static ValueId added(const Token& name, const Result<ValueId>& value) {
        if (!value)
            fail_at(name, value.error().message, value.error().remedy);
        return *value;
    }
    void feed(Unit& unit) {
        const Token name = label();
        symbol(":");
        TensorType of = type();
        const bool linear = take_word("linear");
        layer_of_next(unit);
        define(unit, name, added(name, unit.build.feed(name.name, std::move(of))));
        unit.graph.feeds.back().linear = linear;
    }
    void variable(Unit& unit, int depth) {
        const Token name = label();
        symbol(":");
        const Token begin = token_;
        const TensorType of = type();
        symbol("=");
        InitialValue value = initial(of, begin);
        const bool frozen = take_word("frozen");
        std::optional<Constraint> constraint;
        if (take_word("constraint")) {
            std::string kind = text("the constraint's name in quotes");
            constraint = Constraint{std::move(kind), attributes(depth)};
        }
        layer_of_next(unit);
        define(unit, name, added(name, unit.build.variable(name.name, std::move(value), !frozen)));
        unit.graph.variables.back().constraint = std::move(constraint);
    }
    void constant(Unit& unit) {
        const Token name = label();
        symbol(":");
        const Token begin = token_;
        const TensorType of = type();
        symbol("=");
        HostTensor value = tensor(of, begin);
        layer_of_next(unit);
        define(unit, name, unit.build.constant(name.name, std::move(value)));
    }

    void next(Unit& unit) {
        const Token name = token_;
        const ValueId state = value(unit);
        const Value& read = unit.graph.value(state);
        if (read.source != Source::Variable)
            fail_at(name, name.text + " is no variable");
        symbol("=");
        const Token made = token_;
        const ValueId id = value(unit);
        if (unit.graph.type(id) != read.type)
            fail_at(made, "the next value is " + to_string(unit.graph.type(id)) + ", the variable " +
                              to_string(read.type));
        unit.graph.variables[static_cast<std::size_t>(read.index)].next = id;
    }
    void fetch(Unit& unit) {
        const std::string name = text("the fetch's name in quotes");
        symbol("=");
        const ValueId id = value(unit);
        unit.build.fetch(name, id,
                         take_word("loss")     ? FetchKind::Loss
                         : take_word("metric") ? FetchKind::Metric
                                               : FetchKind::Output);
    }
    void train(Unit& unit, int depth) {
        Training training;
        training.loss = value(unit);
        training.optimiser.name = text("the optimiser's name in quotes");
        training.optimiser.settings = attributes(depth);
        if (take_word("schedule")) {
            std::string name = text("the schedule's name in quotes");
            training.optimiser.schedule = RateSchedule{std::move(name), attributes(depth)};
        }
        if (take_word("scale"))
            training.optimiser.loss_scale = number<double>("the loss scale");
        if (take_word("mean"))
            training.reduction = GradientReduction::Mean;
        else if (take_word("running_mean"))
            training.reduction = GradientReduction::RunningMean;
        unit.graph.training = std::move(training);
    }

    void operation(Unit& unit, int depth) {
        std::vector<Token> labels = {label()};
        while (take_symbol(","))
            labels.push_back(label());
        symbol("=");
        const Token begin = token_;
        const std::string kind = word("an operation");
        symbol("(");
        std::vector<ValueId> inputs;
        while (!take_symbol(")")) {
            if (!inputs.empty())
                symbol(",");
            inputs.push_back(value(unit));
        }
        Attributes settings = attributes(depth);
        const Token types_begin = token_;
        std::vector<TensorType> types;
        if (take_symbol(":"))
            do
                types.push_back(type());
            while (take_symbol(","));
        scope(unit);
        const std::string name = operation_name(unit, labels);
        const auto outputs = add(unit, begin, kind, inputs, std::move(settings), name);
        if (outputs.size() != labels.size())
            fail_at(begin, kind + " makes " + std::to_string(outputs.size()) + " values, not " +
                               std::to_string(labels.size()));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!types.empty() && (types.size() != outputs.size() || unit.graph.type(outputs[i]) != types[i]))
                fail_at(types_begin, kind + " makes " + to_string(unit.graph.type(outputs[i])) + " here");
            define(unit, labels[i], outputs[i]);
        }
    }
    /// What follows an operation's types.
    void scope(Unit& unit) {
        Builder::Scope& scope = unit.build.scope = {};
        for (const Phase phase : {Phase::Recompute, Phase::Backward, Phase::Update})
            if (take_word(to_string(phase)))
                scope.phase = phase;
        layer_of_next(unit);
        if (take_word("on"))
            scope.placement.device = text("a device in quotes");
        if (take_word("shard")) {
            const Token begin = token_;
            scope.placement.shard = number<std::int32_t>("the shard's number");
            if (scope.placement.shard < 0 || scope.placement.shard > 4096)
                fail_at(begin, "no system has shard " + begin.text);
        }
    }
    static std::string operation_name(Unit& unit, const std::vector<Token>& labels) {
        std::string name = labels.front().name;
        if (labels.size() > 1 && name.ends_with(":0"))
            name.resize(name.size() - 2);
        if (!unit.operations.insert(name).second)
            fail_at(labels.front(), "the operation \"" + name + "\" is there already",
                    "operations have names of their own");
        return name;
    }
    std::vector<ValueId> add(Unit& unit, const Token& begin, const std::string& kind,
                             const std::vector<ValueId>& inputs, Attributes settings,
                             const std::string& name) {
        auto outputs = unit.build.add(kind, inputs, std::move(settings), name);
        if (!outputs)
            fail_at(begin, outputs.error().message, outputs.error().remedy);
        return std::move(*outputs);
    }

    GraphLexer lexer_;
    const OperatorRegistry& registry_;
    Token token_;
    std::int64_t constant_elements_ = 0; ///< of all so far
};

} // namespace

Result<Graph> parse(std::string_view text, const OperatorRegistry& registry) try {
    return Parser(text, registry).whole();
} catch (const TextFailure& failure) {
    return Failure(failure.error);
}

} // namespace tilescope::graph
