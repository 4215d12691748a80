// The core's exceptions are raised as the classes of hopefear.errors.
#include <cstring>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"

namespace hopefear::bindings {

namespace {

void raise(const char* name, const std::exception& error) {
    const nb::object type = nb::module_::import_("hopefear.errors").attr(name);
    // A message may quote bytes of a broken file.
    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
        error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "backslashreplace"));
    PyErr_SetObject(type.ptr(), message.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const ConfigError& error) {
            raise("ConfigError", error);
        } catch (const FormatError& error) {
            raise("FormatError", error);
        } catch (const ForestError& error) {
            raise("ForestError", error);
        } catch (const DataError& error) {
            raise("DataError", error);
        } catch (const Error& error) {
            raise("HopefearError", error);
        }
    });
}

}  // namespace hopefear::bindings
