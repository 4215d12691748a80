// Rules that rewrite one nonterminal to one other: where they are, and in which order to apply
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hopefear/decode/translation_model.hpp"

namespace hopefear {

// A label could be derived from itself by such rules, and a sentence have infinitely many
// derivations. So labels are ranked, as far as possible such that what is rewritten comes after
// what it is rewritten to, and rules that go against the ranks are left out.
class UnaryRules {
  public:
    struct Place {
        std::uint32_t part;
        Grammar::State state;
    };

    explicit UnaryRules(const TranslationModel& model);

    // The rules that rewrite a label to `label`.
    [[nodiscard]] std::span<const Place> over(Label label) const { return places_[label]; }
    [[nodiscard]] std::int32_t rank(Label label) const { return ranks_[label]; }

  private:
    std::vector<std::vector<Place>> places_;
    std::vector<std::int32_t> ranks_;
};

}  // namespace hopefear
