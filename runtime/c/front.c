/* The front of executables: reads arguments, runs an entry point, writes its results. It is the same for every program, so it is
   compiled together with Ravel itself, and again only for a C compiler or flags of the user's choice. */
#define RV_UNITS 1
#define RV_UNIT 1 /* no part of a program */
#define RV_EXPORT __attribute__((visibility("hidden")))
#include "base.h"
#include "half.h"
#include "text.h"
#include "form.h"
#include "front.h"
#include "values.h"
#include "read.h"
#include "numbers.h"
#include "syntax.h"
#include "read_text.h"
#include "unpack.h"
#include "read_binary.h"
#include "read_npy.h"
#include "read_npz.h"
#include "formats.h"
#include "arguments.h"
#include "results.h"
#include "write_npz.h"
#include "output.h"

RV_EXPORT rv_context *rv_context_new(int64_t threads, int64_t memory_limit);
RV_EXPORT void rv_context_free(rv_context *context);
RV_EXPORT int32_t rv_call(rv_context *context, int32_t entry, const rv_value *in, rv_value *out);
RV_EXPORT void rv_drop(rv_context *context, rv_block *block);
RV_EXPORT char *rv_failure_text(const rv_context *context);
RV_EXPORT void rv_listen(rv_context *context);

#include "program.h"
