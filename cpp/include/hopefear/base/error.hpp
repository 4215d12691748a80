// Exceptions of the core. Each becomes the Python class of the same name (bindings/errors.cpp).
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace hopefear {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An option has a value that cannot be used.
struct ConfigError : Error {
    using Error::Error;
};

// Data that was read or handed over is not what it should be.
struct DataError : Error {
    using Error::Error;
};

// A file breaks its format.
struct FormatError : DataError {
    using DataError::DataError;
};

// A hypergraph is not a forest, or has no derivation to give.
struct ForestError : DataError {
    using DataError::DataError;
};

// Throw `Exception` with a message put together from `parts`: what, where, which value, what would
// do.
template <class Exception, class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    std::ostringstream message;
    message.precision(17);
    (message << ... << parts);
    throw Exception(message.str());
}

}  // namespace hopefear
