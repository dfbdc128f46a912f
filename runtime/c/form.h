/* Forms of values: what tables of a program say about its arguments, results and traced values. */
enum { RV_SCALAR, RV_ARRAY, RV_TUPLE, RV_RECORD, RV_SUM };

/* How a value is made of components, which are numbered depth first. */
typedef struct rv_form {
  int kind;
  int prim;                    /* of a scalar */
  int first;                   /* its first component */
  int count;                   /* how many dimensions, fields or constructors */
  const char *dims;            /* 'n' an extent, '~' jagged, '.' any number of extents */
  const char *const *names;    /* of fields or constructors */
  const struct rv_form *parts; /* the element; the fields; for each constructor a tuple of what it carries */
} rv_form;
