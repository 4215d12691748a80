// Lines of fields separated by '|||': the n-best lists of Moses, Marian, Joshua, Travatar, cdec and
// others.
//
// A field of features is a sequence of 'NAME= v v v', 'NAME=v', 'NAME: v v v' (old Moses) and
// unnamed numbers, in any mixture. A single value under a label is called NAME, several are NAME_0,
// NAME_1, ...; numbers before any label are F0, F1, ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hopefear/base/lines.hpp"
#include "hopefear/nbest/builder.hpp"

namespace hopefear {

// The meaning of the fields. Fields are counted from 0, or with negative numbers from the end;
// field 0 is the sentence.
struct BarLayout {
    int text = 1;
    std::optional<int> features = 2;   // none if hypotheses have no features
    std::optional<int> total = 3;      // the model score; a line may end before it
    bool semicolons = false;           // features are separated by ';' as well as by blanks
    std::vector<std::string> ignored;  // labels that are not features
};

// The parts of a line, as views of it.
struct BarLine {
    std::uint64_t sentence = 0;
    std::string_view text;
    std::string_view features;
    std::optional<std::string_view> total;
    std::vector<std::string_view> others;
};

// The values under one label.
struct LabeledValues {
    std::string_view label;  // empty if there is none
    std::size_t begin;       // in the values of the line
    std::size_t end;
};

struct BarFeatures {
    std::vector<LabeledValues> labels;
    std::vector<double> values;
};

// Split a line, given without its newline. Like the functions below, it throws FormatError without
// file and line.
void split_bar_line(std::string_view line, const BarLayout& layout, BarLine& out);
void parse_bar_features(std::string_view field, const BarLayout& layout, BarFeatures& out);

// The name of value `index` of the `count` under a label.
[[nodiscard]] std::string feature_name(std::string_view label, std::size_t index,
                                       std::size_t count);

// One hypothesis, for readers of single lines.
struct BarHypothesis {
    std::uint64_t sentence = 0;
    std::string text;
    std::vector<std::string> names;
    std::vector<double> values;
    std::optional<double> total;
    std::vector<std::string> others;
};
[[nodiscard]] BarHypothesis parse_hypothesis(std::string_view line, const BarLayout& layout);

// Reads n-best lists in bar format into a builder, from a file that arrives in pieces.
class NBestParser {
  public:
    // `file` is used in messages.
    NBestParser(NBestBuilder& builder, BarLayout layout, std::string file);

    // Read the next bytes of the file; lines may continue in the next call.
    void feed(std::string_view bytes);
    // End the file; the last line may lack its newline.
    void finish();

    [[nodiscard]] std::size_t lines() const { return lines_.count(); }
    // The labels with several values, and how many, which feature names alone do not tell.
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

    std::vector<Label> previous_;  // labels of the previous line: most lines repeat them
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
