#include "hopefear/decode/trigger_features.hpp"

#include <algorithm>
#include <numeric>

#include "hopefear/base/error.hpp"
#include "hopefear/decode/translation_model.hpp"

namespace hopefear {

TriggerFeatures::TriggerFeatures(const std::vector<Trigger>& triggers, const Vocabulary& words)
    : size_(triggers.size()) {
    for (const Trigger& trigger : triggers) {
        const auto source = static_cast<std::size_t>(sources_.add(trigger.source));
        const Target target{targets_.add(trigger.target),
                            static_cast<std::int32_t>(&trigger - triggers.data())};
        by_source_.resize(sources_.size());
        if (std::ranges::find(by_source_[source], target.word, &Target::word) !=
            by_source_[source].end())
            fail<ConfigError>("the trigger '", trigger.source, "', '", trigger.target,
                              "' has two features");
        by_source_[source].push_back(target);
    }
    for (const std::string_view word : words.texts())
        known_.push_back(targets_.find(word).value_or(none));
}

void TriggerFeatures::find(std::span<const std::string> sentence, ActiveTriggers& active) const {
    active.own.clear();
    std::vector<Vocabulary::Id> sources;
    for (const std::string& word : sentence) {
        const bool boundary = word == sentence_begin || word == sentence_end;
        active.own.push_back(boundary ? none : targets_.find(word).value_or(none));
        if (const auto source = sources_.find(word)) sources.push_back(*source);
    }
    std::ranges::sort(sources);
    const auto repeated = std::ranges::unique(sources);
    sources.erase(repeated.begin(), repeated.end());

    active.first.assign(targets_.size() + 1, 0);
    for (const auto source : sources)
        for (const Target& target : by_source_[source]) ++active.first[target.word + 1];
    std::partial_sum(active.first.begin(), active.first.end(), active.first.begin());
    active.features.resize(active.first.back());
    std::vector<std::uint32_t> next(active.first.begin(), active.first.end() - 1);
    for (const auto source : sources)
        for (const Target& target : by_source_[source])
            active.features[next[target.word]++] = target.feature;
}

}  // namespace hopefear
