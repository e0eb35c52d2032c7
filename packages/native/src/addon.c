/* The module: a table of functions. addon.h has the list and the rules; each other file has one subject. */
#include "addon.h"

#define ENTRY(name, function) {#name, function},

static const struct {
  const char *name;
  napi_callback function;
} FUNCTIONS[] = {SPOOL_FUNCTIONS(ENTRY)};

NAPI_MODULE_INIT() {
  for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
    const char *name = FUNCTIONS[i].name;
    napi_value function;
    napi_callback body = FUNCTIONS[i].function;
    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, body, NULL, &function) != napi_ok) return NULL;
    napi_set_named_property(env, exports, name, function);
  }
  return exports;
}
