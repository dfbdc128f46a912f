/* The functions of the run-time system that need not be unfolded where they are called. They are the same for all programs whose
   messages have at most RV_ARGS values and that are not measured, so they are compiled together with Ravel itself, with threads
   and without, for processors with and without long vectors, and again only for a C compiler or flags of the user's choice. */
#define RV_LINKED 1
#define RV_UNITS 1
#define RV_UNIT -2
#include "base.h"
#include "memory.h"
#include "attempts.h"
#include "pool.h"
#include "loops.h"
#include "limits.h"
#include "transpose.h"
#include "sort.h"

RV_SYSTEM RV_TRANSPOSE_HEAD(1);
RV_SYSTEM RV_TRANSPOSE_HEAD(2);
RV_SYSTEM RV_TRANSPOSE_HEAD(4);
RV_SYSTEM RV_TRANSPOSE_HEAD(8);
RV_TRANSPOSE_1
RV_TRANSPOSE_2
RV_TRANSPOSE_4
RV_TRANSPOSE_8

RV_SYSTEM RV_SORT_HEAD(1);
RV_SYSTEM RV_SORT_HEAD(2);
RV_SYSTEM RV_SORT_HEAD(4);
RV_SYSTEM RV_SORT_HEAD(8);
RV_COUNT(1)
RV_COUNT(2)
RV_COUNT(4)
RV_COUNT(8)
RV_MOVE(1)
RV_MOVE(2)
RV_MOVE(4)
RV_MOVE(8)
RV_MOVE(16)
RV_SORT(1)
RV_SORT(2)
RV_SORT(4)
RV_SORT(8)
