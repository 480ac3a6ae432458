/* As explorer.c: a file of its own, since both have private names. */
#include "../../web/explorer_logs.c"
