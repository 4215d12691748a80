#include "bindings.hpp"

NB_MODULE(_core, m) {
    using namespace hopefear::bindings;
    // Objects that a user's module keeps until the interpreter ends are not worth a page of
    // warnings.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core of hopefear.";
    bind_errors(m);
    bind_corpus_score(m);
    bind_vocabulary(m);
    bind_alignment(m);
    bind_forest(m);
    bind_grammar(m);
    bind_forest_codec(m);
    bind_moses_hypergraph(m);
    bind_rule_text(m);
    bind_extraction(m);
    bind_word_aligner(m);
    bind_inference(m);
    bind_forest_set(m);
    bind_semirings(m);
    bind_language_model(m);
    bind_language_model_estimation(m);
    bind_decoder_model(m);
    bind_features(m);
    bind_patterns(m);
    bind_decoder(m);
    bind_forest_rescorer(m);
    bind_nbest(m);
    bind_nbest_kernels(m);
    bind_error_surface(m);
    bind_bar_format(m);
    bind_learning(m);
    bind_metrics(m);
    bind_forest_statistics(m);
    bind_forest_mira(m);
    bind_metric_scores(m);
    bind_search(m);
    bind_solvers(m);
}
