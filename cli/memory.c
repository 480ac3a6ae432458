#include "memory.h"

#include "args.h"
#include "say.h"

#include <stdlib.h>

int cli_memory_open(cli_memory *memory) {
    *memory = (cli_memory){0};
    memory->file = open_memstream(&memory->text, &memory->length);
    return memory->file ? CLI_OK : cli_no_memory();
}

int cli_memory_close(cli_memory *memory, int code) {
    bool good = !ferror(memory->file);
    good = fclose(memory->file) == 0 && good && memory->text;
    memory->file = NULL;
    return code != CLI_OK ? code : good ? CLI_OK : cli_no_memory();
}

void cli_memory_free(cli_memory *memory) {
    if (memory->file)
        fclose(memory->file);
    free(memory->text);
}
