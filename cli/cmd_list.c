#include "asif.h"
#include "cli.h"
#include "say.h"

#include <string.h>

static const cli_option options[] = {
    CLI_JSON_OPTION,
    CLI_HELP_OPTION,
    CLI_END_OF_OPTIONS,
};

typedef struct {
    const char *name, *summary;
} row;

static const row formats[] = {
    {"yaml", "studies (read, write)"},
    {"pomdp", "Cassandra's format for decision problems (read, write)"},
    {"drn", "Storm's explicit format for large sparse MDPs (read, write)"},
    {"csv", "logs: episode, t, action, observation (write)"},
};

static bool get_planner(uint32_t i, row *out) {
    const asif_planner_info *info = asif_planner_get(i);
    if (info)
        *out = (row){info->name, info->summary};
    return info != NULL;
}

static bool get_preset(uint32_t i, row *out) {
    const asif_preset_info *info = asif_preset_get(i);
    if (info)
        *out = (row){info->name, info->summary};
    return info != NULL;
}

static bool get_format(uint32_t i, row *out) {
    if (i >= sizeof formats / sizeof *formats)
        return false;
    *out = formats[i];
    return true;
}

static const struct section {
    const char *name, *heading;
    bool (*get)(uint32_t i, row *out);
} sections[] = {
    {"planners", "Planners: how an agent decides (agent: planner: NAME)", get_planner},
    {"presets", "Presets: agents with a name (agent: preset: NAME)", get_preset},
    {"formats", "File formats", get_format},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

static void print_section(const struct section *section) {
    row entry;
    int widest = 0;
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        int width = (int)strlen(entry.name);
        widest = width > widest ? width : widest;
    }
    printf("%s\n", section->heading);
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        printf("  %-*s  ", widest, entry.name);
        cli_print_wrapped(stdout, entry.summary, (size_t)widest + 4);
    }
}

static void print_json(const struct section *section, bool last) {
    row entry;
    printf("  \"%s\": [", section->name);
    for (uint32_t i = 0; section->get(i, &entry); i++) {
        printf("%s\n    {\"name\": ", i ? "," : "");
        cli_json_string(stdout, entry.name);
        printf(", \"summary\": ");
        cli_json_string(stdout, entry.summary);
        printf("}");
    }
    printf("\n  ]%s\n", last ? "" : ",");
}

static int run(const cli_args *args) {
    const struct section *first = sections, *end = sections + SECTIONS;
    if (args->operands) {
        while (first < end && strcmp(first->name, args->operand[0]) != 0)
            first++;
        if (first == end) {
            cli_say("there is no list of '%s'", args->operand[0]);
            cli_hint("there are planners, presets and formats");
            return CLI_USAGE;
        }
        end = first + 1;
    }
    if (args->json)
        printf("{\n");
    for (const struct section *section = first; section < end; section++) {
        if (args->json) {
            print_json(section, section + 1 == end);
            continue;
        }
        fputs(section > first ? "\n" : "", stdout);
        print_section(section);
    }
    if (args->json)
        printf("}\n");
    return CLI_OK;
}

const cli_command cli_list_command = {
    .name = "list",
    .operands = "[planners | presets | formats]",
    .summary = "the planners, presets and file formats there are",
    .about =
        "Lists what a study can name: planners, presets of agents, and the file formats that asif reads and "
        "writes.",
    .examples = "  asif list\n  asif list presets --json\n",
    .most_operands = 1,
    .options = options,
    .run = run,
};
