// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilescope::graph {

class Graph;
/// A graph within an operation: the body of a loop. A type of its own, so that an Attribute whose copy fails
/// for want of memory is destroyed as what it is: libstdc++ 12 destroys a variant of nothing but numbers,
/// texts, lists and shared pointers by a kind that it does not have yet (variant, _M_valid).
struct Body : std::shared_ptr<const Graph> {
    using std::shared_ptr<const Graph>::shared_ptr;
    Body(std::shared_ptr<const Graph> graph) // NOLINT(google-explicit-constructor): as the pointer itself
        : std::shared_ptr<const Graph>(std::move(graph)) {}
};

using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                               std::vector<double>, std::vector<std::string>, Body>;

/// What asking for an attribute by another type than it has throws: those that come from workloads and texts
/// of graphs may have any.
class WrongAttribute : public std::bad_variant_access {
  public:
    explicit WrongAttribute(std::string_view name) : name_(name) {}
    const std::string& name() const { return name_; }

  private:
    std::string name_;
};

/// The static arguments of an operation, by name, in a stable order. Looking one up allocates nothing but
/// what it returns.
class Attributes {
  public:
    Attributes() = default;
    Attributes(std::initializer_list<std::pair<const std::string, Attribute>> values) : values_(values) {}

    bool has(std::string_view name) const { return values_.contains(name); }
    void set(const std::string& name, Attribute value) { values_[name] = std::move(value); }

    /// The value, or `otherwise` where it is absent. Throws WrongAttribute where it has another type, which
    /// is found where the operation is added; later it is a bug.
    template<class T>
    T get(std::string_view name, T otherwise) const {
        const auto found = values_.find(name);
        if (found == values_.end())
            return otherwise;
        if (const T* value = std::get_if<T>(&found->second))
            return *value;
        throw WrongAttribute(name);
    }
    bool flag(std::string_view name, bool otherwise = false) const { return get(name, otherwise); }
    std::int64_t integer(std::string_view name, std::int64_t otherwise = 0) const {
        return get(name, otherwise);
    }
    double real(std::string_view name, double otherwise = 0) const { return get(name, otherwise); }
    std::string text(std::string_view name, std::string otherwise = {}) const {
        return get(name, std::move(otherwise));
    }
    std::vector<std::int64_t> integers(std::string_view name,
                                       std::vector<std::int64_t> otherwise = {}) const {
        return get(name, std::move(otherwise));
    }

    /// Null where it is absent.
    Body body(std::string_view name) const { return get(name, Body()); }

    using ByName = std::map<std::string, Attribute, std::less<>>;
    const ByName& all() const { return values_; }
    /// One line, stable: {"groups":1,"strides":[1,1]}. Equal attributes give equal text. A body is given as
    /// its operations and a digest of its constants.
    std::string json() const;
    bool operator==(const Attributes&) const = default;

  private:
    ByName values_;
};

} // namespace tilescope::graph
