// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace tilescope::tests {

/// Makes small ONNX models, mistaken ones too.
class OnnxModelMaker {
  public:
    using Dimension = std::variant<std::int64_t, std::string>;
    using Attribute = std::variant<std::int64_t, std::vector<std::int64_t>, std::string, std::vector<float>,
                                   std::vector<std::string>>;

    explicit OnnxModelMaker(std::int64_t opset = 13);
    OnnxModelMaker(OnnxModelMaker&&) noexcept;
    ~OnnxModelMaker();

    /// `type`: a TensorProto::DataType, 1 for float, 7 for int64.
    void input(const std::string& name, const std::vector<Dimension>& shape, int type = 1);
    /// An input that is a sequence of float tensors.
    void sequence(const std::string& name);
    void output(const std::string& name, int type = 1);
    void node(const std::string& kind, const std::vector<std::string>& inputs,
              const std::vector<std::string>& outputs,
              const std::map<std::string, Attribute>& attributes = {});
    void floats(const std::string& name, const std::vector<std::int64_t>& shape,
                const std::vector<float>& values);
    void integers(const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::vector<std::int64_t>& values);
    /// An initialiser whose floats lie in a file of their own. `more`: "offset" and "length".
    void external(const std::string& name, const std::vector<std::int64_t>& shape,
                  const std::string& location, const std::map<std::string, std::string>& more = {});

    std::string bytes() const;
    /// Writes the model; returns `path`.
    std::string write(const std::string& path) const;

  private:
    std::unique_ptr<::onnx::ModelProto> model_;
};

} // namespace tilescope::tests
