// Exceptions of the core. Each becomes the Python class of the same name (bindings/module.cpp).
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace hopefear {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An option has an invalid value.
struct ConfigError : Error {
    using Error::Error;
};

// Data read from a file or passed as an argument is invalid.
struct DataError : Error {
    using Error::Error;
};

// A file does not follow its format.
struct FormatError : DataError {
    using DataError::DataError;
};

// A hypergraph is not a forest, or has no derivation.
struct ForestError : DataError {
    using DataError::DataError;
};

// Throw `Exception` with the concatenation of `parts` as its message: what is wrong, where, which
// value was found, what to do.
template <class Exception, class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    std::ostringstream message;
    message.precision(17);
    (message << ... << parts);
    throw Exception(message.str());
}

}  // namespace hopefear
