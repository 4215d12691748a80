// What KenLM takes from an ARPA file without a look: values that are not finite.
#pragma once

#include "hopefear/base/mapped_file.hpp"

namespace hopefear {

// Throw FormatError if a log probability is infinite or not a number, also as KenLM's float; KenLM
// itself looks at the weights for backing off. That of <s>, which nobody asks for, may be anything.
// A file that is no ARPA text, or that KenLM cannot read, is left to KenLM.
void check_arpa_values(const OpenFile& file);

}  // namespace hopefear
