/* The explorer's C, compiled for this machine: the test calls what the page calls. */
#include "../../web/explorer.c"
