#include "bindings.hpp"

NB_MODULE(_core, m) {
    using namespace hopefear::bindings;
    m.doc() = "The compiled core of hopefear.";
    bind_errors(m);
    bind_vocabulary(m);
    bind_forest(m);
    bind_language_model(m);
    bind_metrics(m);
    bind_nbest(m);
    bind_bar_format(m);
    bind_solvers(m);
}
