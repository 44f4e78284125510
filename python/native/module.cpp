// The native part of the Python package. Errors of the user's become OvertureError, with the same text as on
// the command line; a party of a training run that is gone becomes PartyGone.
#include "native/hosted_tables.h"
#include <pybind11/pybind11.h>

#include "overture/base/error.h"
#include "overture/base/version.h"
#include "overture/train/driver.h"

PYBIND11_MODULE(_native, module) {
  namespace py = pybind11;
  static py::exception<overture::UserError> user_error(module, "OvertureError", PyExc_RuntimeError);
  static py::exception<overture::train::PartyGone> party_gone(module, "PartyGone", user_error.ptr());
  user_error.doc() = "A mistake, or something missing; the text says what is wrong and what to do.";
  party_gone.doc() = "Another party of the training run is gone; the text says which one and why.";
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const overture::UserError& mistake) {
      user_error(mistake.what());
    } catch (const overture::train::PartyGone& gone) {
      party_gone(gone.what());
    } catch (const overture::train::BadPeer& peer) {
      party_gone(peer.what());
    }
  });
  module.def("version", &overture::version_text, "The version of Overture, and how it was built.");
  overture::python::add_tables(module);
}
