#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include <cstring>

#include "bindings.hpp"
#include "hopefear/base/error.hpp"
#include "hopefear/base/threads.hpp"
#include "hopefear/base/vocabulary.hpp"
#include "texts.hpp"

namespace hopefear::bindings {

namespace {

// The core's exceptions are raised as the classes of hopefear.errors.
void raise(const char* name, const std::exception& error) {
    const nb::object type = nb::module_::import_("hopefear.errors").attr(name);
    // A message may quote invalid UTF-8 from a broken file.
    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
        error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "backslashreplace"));
    PyErr_SetObject(type.ptr(), message.ptr());
}

void bind_errors() {
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

void bind_vocabulary(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary", "Strings numbered from 0 in order of first appearance.")
        .def(nb::init<>())
        .def("add", &Vocabulary::add, nb::arg("text"),
             "The id of a string, which is added if it is new.")
        .def("find", &Vocabulary::find, nb::arg("text"), "The id of a string, or None.")
        .def(
            "find_all",
            [](const Vocabulary& vocabulary, const TextsIn& texts) {
                const nb::object items = items_of(texts);
                return to_array(vocabulary.find_all(views_of(items)));
            },
            nb::arg("texts"), "The ids of many strings; -1 for unknown strings.")
        .def(
            "__iter__", [](const Vocabulary& v) { return nb::iter(nb::cast(v.texts())); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"),
            "All strings in the order of their ids.")
        .def(
            "__contains__",
            [](const Vocabulary& v, std::string_view text) { return v.find(text).has_value(); },
            nb::arg("text"))
        .def("__getitem__", &Vocabulary::text, nb::arg("id"))
        .def("__len__", &Vocabulary::size)
        .def_prop_ro("nbytes", &Vocabulary::bytes, "Bytes of memory in use.");
}

}  // namespace

}  // namespace hopefear::bindings

NB_MODULE(_core, m) {
    using namespace hopefear::bindings;
    // Objects that live until the interpreter ends are not worth pages of warnings.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core of hopefear.";
    m.def("thread_count", &hopefear::thread_count, nb::arg("threads"),
          "The number of threads for an option `threads`: 0 means one per usable core.");
    bind_errors();
    bind_vocabulary(m);
    bind_nbest(m);
    bind_forest(m);
    bind_inference(m);
    bind_metrics(m);
    bind_search(m);
    bind_learn(m);
    bind_grammar(m);
    bind_lm(m);
    bind_decode(m);
    bind_extract(m);
    bind_io(m);
}
