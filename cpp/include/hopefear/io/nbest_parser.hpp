// Reads n-best lists in bar format into a builder, from pieces of a file as they come.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hopefear/base/lines.hpp"
#include "hopefear/io/bar_format.hpp"
#include "hopefear/nbest/builder.hpp"

namespace hopefear {

class NBestParser {
  public:
    // `file` is for messages. The builder must outlive the parser.
    NBestParser(NBestBuilder& builder, BarLayout layout, std::string file);

    // The next bytes of the file; lines may go on from one call to the next.
    void feed(std::string_view bytes);
    // The end of the file; the last line may lack its end.
    void finish();

    [[nodiscard]] std::size_t lines() const { return lines_.count(); }
    // The labels that had several values, and how many: what feature names alone do not tell.
    [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> labels() const;

  private:
    struct Label {
        std::string text;
        std::vector<FeatureId> ids;
    };

    void parse_line(std::string_view line);
    void find_ids();
    void look_up(std::string_view label, std::size_t count, Label& out);
    void check_count(std::string_view label, std::size_t count);

    NBestBuilder& builder_;
    BarLayout layout_;
    Lines lines_;

    std::vector<Label> previous_;  // labels of the line before: most lines repeat them
    std::unordered_map<std::string, std::size_t> several_;  // labels with more than one value
    std::vector<bool> single_;                              // ids that are a label's only value

    // The line being read.
    BarLine line_;
    BarFeatures features_;
    std::vector<FeatureId> ids_;
    std::vector<double> values_;
    std::vector<FeatureId> sorted_;
};

}  // namespace hopefear
