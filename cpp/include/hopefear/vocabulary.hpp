// Strings and their numbers: words, feature names. An object, never a global.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hopefear {

// Numbers strings from 0 in order of first appearance. The characters lie in one block, so a
// million names cost their length and 16 bytes each. Reading from several threads is safe, adding
// is not.
class Vocabulary {
  public:
    using Id = std::int32_t;

    // The id of `text`, which is added if it is new.
    Id add(std::string_view text);
    [[nodiscard]] std::optional<Id> find(std::string_view text) const;
    // The id of each of `texts`, -1 for those that are not here.
    [[nodiscard]] std::vector<Id> find_all(std::span<const std::string_view> texts) const;
    // The view is valid until the next `add`.
    [[nodiscard]] std::string_view text(Id id) const;
    // All strings in the order of their ids; the views are valid until the next `add`.
    [[nodiscard]] std::vector<std::string_view> texts() const;
    [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
    [[nodiscard]] std::size_t bytes() const;

  private:
    [[nodiscard]] std::size_t slot(std::string_view text) const;
    void grow();

    std::string characters_;
    std::vector<std::uint64_t> offsets_{0};
    std::vector<Id> slots_ =
        std::vector<Id>(64, -1);  // open addressing; a power of two, half empty
};

}  // namespace hopefear
