/* Builds a tree of nodes from libyaml's events, and rewords its errors in plain English. */
#include "base/data/yaml.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>
#include <yaml.h>

#define DEPTH 32

/* A node of the tree, with fields that only the builder needs. */
typedef struct node node;
struct node {
    asif_yaml yaml;
    node *next; /* the node that was made before this one */
    char *text, *anchor;
    uint64_t keys, items; /* room in yaml.key and yaml.item */
    uint32_t height;      /* levels below it, counting those of aliases */
    bool open;            /* not closed yet: an alias to it would be a cycle */
};

struct asif_yaml_document {
    const asif_context *context;
    node *nodes;
    asif_yaml *root;
};

typedef struct {
    asif_yaml_document *document;
    const char *name, *text;
    uint64_t length;
    asif_error *error;
    node *stack[DEPTH];
    asif_yaml *pending[DEPTH]; /* the key whose value comes next */
    uint32_t depth;
} builder;

const char *asif_yaml_kind_name(asif_yaml_kind kind) {
    static const char *const names[] = {"a single value", "a list", "a mapping"};
    return names[kind];
}

const asif_yaml *asif_yaml_get(const asif_yaml *map, const char *key) {
    if (map && map->kind == ASIF_YAML_MAP) {
        for (uint32_t i = 0; i < map->count; i++) {
            if (strcmp(map->key[i]->text, key) == 0) {
                return map->item[i];
            }
        }
    }
    return NULL;
}

const asif_yaml *asif_yaml_root(const asif_yaml_document *document) {
    return document->root;
}

asif_yaml *asif_yaml_change(asif_yaml_document *document) {
    return document->root;
}

void asif_yaml_free(asif_yaml_document *document) {
    if (!document) {
        return;
    }
    const asif_context *context = document->context;
    for (node *n = document->nodes, *next; n; n = next) {
        next = n->next;
        asif_free(context, n->text);
        asif_free(context, n->anchor);
        asif_free(context, n->yaml.key);
        asif_free(context, n->yaml.item);
        asif_free(context, n);
    }
    asif_free(context, document);
}

static uint32_t one_based(size_t position) {
    return position < UINT32_MAX ? (uint32_t)position + 1 : UINT32_MAX;
}

/* Adds a place and a hint to an error whose message is filled. */
static asif_status locate(builder *b, yaml_mark_t mark, const char *hint) {
    asif_error_at(b->error, b->name, one_based(mark.line), one_based(mark.column));
    if (hint)
        asif_error_hint(b->error, "%s", hint);
    return ASIF_EPARSE;
}

static asif_status fail_at(builder *b, yaml_mark_t mark, const char *message, const char *hint) {
    asif_fail(b->error, ASIF_EPARSE, "%s", message);
    return locate(b, mark, hint);
}

/* libyaml's messages and ours. `since`: our message also says where the unfinished construct began. */
static const struct {
    const char *problem, *message, *hint;
    bool since;
} words[] = {
    {"could not find expected ':'", "this line is neither `key: value` nor part of the line before it",
     "look for a missing colon and space, or for a quote or bracket that is not closed", false},
    {"mapping values are not allowed in this context", "a `:` where no key can be",
     "check the indentation and for a space after the colon of the line before; texts with `: ` need quotes",
     false},
    {"did not find expected ',' or ']'", "a list is not closed", "look for a missing `]` or `,`", true},
    {"did not find expected ',' or '}'", "a mapping in braces is not closed", "look for a missing `}` or `,`",
     true},
    {"did not find expected key", "this line does not fit the mapping it stands in",
     "check its indentation: all keys of a mapping begin in the same column", true},
    {"did not find expected '-' indicator", "this line does not fit the list it stands in",
     "check its indentation: all items of a list begin in the same column, with `- `", true},
    {"did not find expected <document start>", "text after the end of the document",
     "check the indentation: every key at the top begins in the first column", false},
    {"found unexpected end of stream", "a text in quotes is not closed", "look for a missing quote", true},
    {"found unexpected document indicator", "a text in quotes is not closed", "look for a missing quote",
     true},
    {"did not find expected node content", "a value is missing here", "look for a comma or bracket too many",
     true},
    {"block sequence entries are not allowed in this context", "a `- ` where no list can begin",
     "begin the list on a line of its own", false},
    {"block mapping entries are not allowed in this context", "a `? ` where no key can be", NULL, false},
    {"mapping keys are not allowed in this context", "a key where none can be", "check the indentation",
     false},
    {"found unknown escape character", "an unknown escape after `\\` in a text in quotes",
     "write `\\\\` for a backslash, or use single quotes", false},
    {"did not find expected alphabetic or numeric character", "`&` and `*` begin names of shared parts",
     "put texts that begin with them in quotes", false},
    {"control characters are not allowed", "a control character", "save the file as plain UTF-8 text", false},
    {"invalid leading UTF-8 octet", "a character that is not UTF-8", "save the file as plain UTF-8 text",
     false},
    {"invalid trailing UTF-8 octet", "a character that is not UTF-8", "save the file as plain UTF-8 text",
     false},
    {"incomplete UTF-8 octet sequence", "a character that is not UTF-8", "save the file as plain UTF-8 text",
     false},
};

/* The text from the beginning of a line on; NULL past the end. */
static const char *line_at(const builder *b, size_t line, uint64_t *rest) {
    const char *p = b->text, *end = b->text + b->length;
    for (; line > 0 && p < end; line--) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline ? newline + 1 : end;
    }
    *rest = (uint64_t)(end - p);
    return p < end ? p : NULL;
}

static bool tab_in_indentation(const builder *b, size_t line) {
    uint64_t rest = 0;
    const char *p = line_at(b, line, &rest);
    for (uint64_t i = 0; p && i < rest && (p[i] == ' ' || p[i] == '\t'); i++) {
        if (p[i] == '\t') {
            return true;
        }
    }
    return false;
}

/* Finds the line of a bad byte, for which libyaml reports only the offset. */
static yaml_mark_t mark_of_offset(const builder *b, size_t offset) {
    yaml_mark_t mark = {0, 0, 0};
    for (size_t i = 0; i < offset && i < b->length; i++) {
        if (b->text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else if (((unsigned char)b->text[i] & 0xC0U) != 0x80U) {
            mark.column++;
        }
    }
    return mark;
}

static asif_status fail_parser(builder *b, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR) {
        return asif_fail_memory(b->error);
    }
    const char *problem = parser->problem ? parser->problem : "";
    yaml_mark_t mark = parser->problem_mark;
    if (parser->error == YAML_READER_ERROR) {
        mark = mark_of_offset(b, parser->problem_offset);
    }
    if (tab_in_indentation(b, mark.line)) {
        return fail_at(b, mark, "a tab in the indentation", "YAML indents with spaces: replace the tabs");
    }
    if (strcmp(problem, "found character that cannot start any token") == 0) {
        uint64_t rest = 0;
        const char *p = line_at(b, mark.line, &rest);
        char c = p && mark.column < rest ? p[mark.column] : ' ';
        asif_fail(b->error, ASIF_EPARSE, "a text cannot begin with `%c`", c > ' ' && c < 127 ? c : '?');
        return locate(b, mark, "put it in quotes");
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(problem, words[i].problem) != 0) {
            continue;
        }
        if (words[i].since && parser->context) {
            asif_fail(b->error, ASIF_EPARSE, "%s (it begins in line %u, column %u)", words[i].message,
                      one_based(parser->context_mark.line), one_based(parser->context_mark.column));
        } else {
            asif_fail(b->error, ASIF_EPARSE, "%s", words[i].message);
        }
        return locate(b, mark, words[i].hint);
    }
    asif_fail(b->error, ASIF_EPARSE, "the text is not valid YAML: %s", problem);
    return locate(b, mark, NULL);
}

static node *new_node(builder *b, asif_yaml_kind kind, yaml_mark_t mark, const yaml_char_t *anchor) {
    const asif_context *context = b->document->context;
    node *n = ASIF_NEW(context, node);
    if (!n) {
        return NULL;
    }
    n->next = b->document->nodes;
    b->document->nodes = n;
    n->yaml.kind = kind;
    n->yaml.line = one_based(mark.line);
    n->yaml.column = one_based(mark.column);
    n->open = kind != ASIF_YAML_SCALAR;
    if (anchor && !(n->anchor = asif_strdup(context, (const char *)anchor))) {
        return NULL;
    }
    return n;
}

/* Puts a node into the tree: as the root, an item, a key or a value. */
static asif_status place(builder *b, node *n, yaml_mark_t mark) {
    const asif_context *context = b->document->context;
    if (b->depth == 0) {
        b->document->root = &n->yaml;
        return ASIF_OK;
    }
    node *parent = b->stack[b->depth - 1];
    asif_yaml *y = &parent->yaml;
    if (y->kind == ASIF_YAML_MAP && !b->pending[b->depth - 1]) {
        if (n->yaml.kind != ASIF_YAML_SCALAR) {
            return fail_at(b, mark, "a key must be a single word", "look for a missing `key:` before it");
        }
        for (uint32_t i = 0; i < y->count; i++) {
            if (strcmp(y->key[i]->text, n->yaml.text) == 0) {
                asif_fail(b->error, ASIF_EPARSE, "the key `%.100s` is given twice (first in line %u)",
                          n->yaml.text, y->key[i]->line);
                return locate(b, mark, "remove one of the two");
            }
        }
        b->pending[b->depth - 1] = &n->yaml;
        return ASIF_OK;
    }
    if (y->count == UINT32_MAX || !asif_grow(context, &y->item, y->count, &parent->items, sizeof *y->item) ||
        (y->kind == ASIF_YAML_MAP && !asif_grow(context, &y->key, y->count, &parent->keys, sizeof *y->key))) {
        return asif_fail_memory(b->error);
    }
    if (y->kind == ASIF_YAML_MAP) {
        y->key[y->count] = b->pending[b->depth - 1];
        b->pending[b->depth - 1] = NULL;
    }
    y->item[y->count++] = &n->yaml;
    if (parent->height < n->height + 1) {
        parent->height = n->height + 1;
    }
    return ASIF_OK;
}

static asif_status add_scalar(builder *b, const yaml_event_t *event) {
    node *n = new_node(b, ASIF_YAML_SCALAR, event->start_mark, event->data.scalar.anchor);
    size_t length = event->data.scalar.length;
    if (!n || !(n->text = ASIF_ARRAY(b->document->context, (uint64_t)length + 1, char))) {
        return asif_fail_memory(b->error);
    }
    memcpy(n->text, event->data.scalar.value, length);
    n->yaml.text = n->text;
    n->yaml.quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (memchr(n->text, 0, length)) {
        return fail_at(b, event->start_mark, "a text with a 0 character in it", NULL);
    }
    return place(b, n, event->start_mark);
}

static asif_status begin(builder *b, asif_yaml_kind kind, const yaml_event_t *event,
                         const yaml_char_t *anchor) {
    if (b->depth == DEPTH) {
        return fail_at(b, event->start_mark, "lists and mappings are nested more than 32 deep", NULL);
    }
    node *n = new_node(b, kind, event->start_mark, anchor);
    if (!n) {
        return asif_fail_memory(b->error);
    }
    asif_status status = place(b, n, event->start_mark);
    b->pending[b->depth] = NULL;
    b->stack[b->depth++] = n;
    return status;
}

static void end(builder *b) {
    node *n = b->stack[--b->depth];
    n->open = false; /* NOLINT: libyaml ends only what it began, so the stack has a node here */
    if (b->depth > 0 && b->stack[b->depth - 1]->height < n->height + 1) {
        b->stack[b->depth - 1]->height = n->height + 1;
    }
}

static asif_status add_alias(builder *b, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    node *n = b->document->nodes;
    while (n && (!n->anchor || strcmp(n->anchor, name) != 0)) {
        n = n->next;
    }
    if (!n || n->open) {
        asif_fail(b->error, ASIF_EPARSE, "`*%.100s` refers to nothing that was named `&%.100s` before it",
                  name, name);
        return locate(b, event->start_mark, "texts that begin with `*` must be in quotes");
    }
    if (b->depth + n->height > DEPTH) {
        return fail_at(b, event->start_mark, "lists and mappings are nested more than 32 deep", NULL);
    }
    return place(b, n, event->start_mark);
}

static asif_status take(builder *b, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return b->document->root
                   ? fail_at(b, event->start_mark, "a second document begins here", "remove the line `---`")
                   : ASIF_OK;
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event);
    case YAML_ALIAS_EVENT:
        return add_alias(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return begin(b, ASIF_YAML_LIST, event, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return begin(b, ASIF_YAML_MAP, event, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        end(b);
        return ASIF_OK;
    default:
        return ASIF_OK;
    }
}

asif_status asif_yaml_read(asif_yaml_document **out, const asif_context *context, const char *text,
                           uint64_t length, const char *name, asif_error *error) {
    *out = NULL;
    if (!text)
        return asif_fail_null(error, "text");
    asif_yaml_document *document = ASIF_NEW(context, asif_yaml_document);
    if (!document) {
        return asif_fail_memory(error);
    }
    document->context = context;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        asif_yaml_free(document);
        return asif_fail_memory(error);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, (size_t)length);

    builder b = {.document = document, .name = name, .text = text, .length = length, .error = error};
    asif_status status = ASIF_OK;
    for (bool done = false; status == ASIF_OK && !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = fail_parser(&b, &parser);
            break;
        }
        status = take(&b, &event);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (status == ASIF_OK && !document->root) {
        status = asif_fail(error, ASIF_EPARSE, "the file is empty");
        asif_error_at(error, name, 1, 1);
    }
    if (status != ASIF_OK) {
        asif_yaml_free(document);
        return status;
    }
    *out = document;
    return ASIF_OK;
}
