/* Tables of fields: what is written is read back, and what a file lacks is absent, whatever the file is. */
#include "check.h"

#include "asif.h"
#include "base/data/fields.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef enum { NONE, LOW, HIGH } side;
static const char *const sides[] = {NULL, "low", "high"};

typedef struct {
    double value;
    side lies;
} mark;

typedef struct {
    const char *name;
    uint32_t trips;
    const mark *mark; /* [places] */
} route;

typedef struct {
    const char *name;
    double size;
} place;

typedef struct {
    double x;
    bool open;
} door;

typedef struct {
    const char *owner, *street;
    bool brief;
    uint64_t many;
    uint32_t places, routes, doors, usual; /* usual: a route */
    const place *place;
    const route *route;
    const door *front; /* NULL: none */
    door door[2];
} house;

static const asif_names in_places = ASIF_NAMES("places", house, place, places, place);
static const asif_names in_routes = ASIF_NAMES("routes", house, route, routes, route);
static const asif_fields mark_fields = ASIF_FIELDS(
    mark, {ASIF_FIELD(mark, value), ASIF_UNLESS(house, brief, 2)}, {ASIF_WORD(mark, lies, sides)});
static const asif_fields route_fields =
    ASIF_FIELDS(route, {ASIF_FIELD(route, name)}, {ASIF_FIELD(route, trips)},
                {ASIF_ALONG("marks", route, mark, in_places, mark_fields)});
static const asif_fields place_fields = ASIF_FIELDS(place, {ASIF_FIELD(place, size)});
static const asif_fields door_fields = ASIF_FIELDS(door, {ASIF_FIELD(door, x)}, {ASIF_FIELD(door, open)});
static const asif_fields address_fields = ASIF_FIELDS(house, {ASIF_FIELD(house, street)});
static const asif_fields both_fields =
    ASIF_FIELDS(house, {ASIF_FIELD(house, brief)}, {ASIF_FIELD(house, many)});
static const asif_fields house_fields =
    ASIF_FIELDS(house, {ASIF_FIELD_AS("whose", house, owner)},
                {ASIF_PART("address", address_fields), ASIF_IF(house, street, 0)}, {ASIF_ALSO(both_fields)},
                {ASIF_INDEX("usual", house, usual, in_routes)},
                {ASIF_MAP(in_places, "places", place_fields), .required = true},
                {ASIF_LIST("routes", house, route, routes, route_fields), .required = true},
                {ASIF_OBJECT("front", house, front, door_fields)},
                {ASIF_LIST_INSIDE("doors", house, door, doors, door_fields)});

static const char full[] =
    "{\n  \"whose\": \"A\",\n  \"address\": {\n    \"street\": \"B\"\n  },\n"
    "  \"brief\": false,\n  \"many\": 5000000000,\n  \"usual\": \"over\",\n"
    "  \"places\": {\n    \"p\": {\n      \"size\": 1.5\n    },\n"
    "    \"q\": {\n      \"size\": null\n    }\n  },\n"
    "  \"routes\": [\n    {\n      \"name\": \"under\",\n      \"trips\": 3,\n"
    "      \"marks\": {\n        \"p\": {\n          \"value\": 1,\n          \"lies\": \"high\"\n"
    "        },\n        \"q\": {\n          \"value\": 2,\n          \"lies\": null\n        }\n"
    "      }\n    },\n    {\n      \"name\": \"over\",\n      \"trips\": 0,\n"
    "      \"marks\": {\n        \"p\": {\n          \"value\": \"inf\",\n"
    "          \"lies\": \"low\"\n        },\n        \"q\": {\n          \"value\": 4,\n"
    "          \"lies\": null\n        }\n      }\n    }\n  ],\n"
    "  \"front\": {\n    \"x\": 7,\n    \"open\": true\n  },\n"
    "  \"doors\": [\n    {\n      \"x\": 8,\n      \"open\": false\n    }\n  ]\n}\n";

static const mark under[] = {{1, HIGH}, {2, NONE}}, over[] = {{INFINITY, LOW}, {4, NONE}};
static const route routes[] = {{"under", 3, under}, {"over", 0, over}};
static const door front = {7, true};

typedef struct {
    asif_context *context;
    asif_yaml_document *document;
    asif_arena arena;
    house house;
} reading;

static void open_text(reading *r, const char *text) {
    *r = (reading){.context = NULL};
    assert_int_equal(asif_context_create(&r->context, NULL, NULL), ASIF_OK);
    r->arena.context = r->context;
    assert_int_equal(asif_yaml_read(&r->document, r->context, text, strlen(text), "text", NULL), ASIF_OK);
    assert_int_equal(asif_fields_read(&r->house, &r->arena, &house_fields, asif_yaml_root(r->document), NULL),
                     ASIF_OK);
}

static void close_text(reading *r) {
    asif_arena_free(&r->arena);
    asif_yaml_free(r->document);
    asif_context_free(r->context);
}

static void test_write(void **state) {
    (void)state;
    const place places[] = {{"p", 1.5}, {"q", NAN}};
    house h = {"A", "B", false, 5000000000, 2, 2, 1, 1, places, routes, &front, {{8, false}, {0, false}}};
    asif_context *context = NULL;
    char *text = NULL;
    assert_int_equal(asif_context_create(&context, NULL, NULL), ASIF_OK);
    assert_int_equal(asif_fields_json(&text, context, &house_fields, &h, NULL), ASIF_OK);
    assert_string_equal(text, full);
    asif_memory_free(context, text);
    /* What a condition leaves out, and nulls. */
    h = (house){
        .brief = true, .places = 2, .routes = 1, .usual = UINT32_MAX, .place = places, .route = routes};
    assert_int_equal(asif_fields_json(&text, context, &house_fields, &h, NULL), ASIF_OK);
    assert_null(strstr(text, "address"));
    assert_null(strstr(text, "value"));
    assert_non_null(strstr(text, "\"whose\": null"));
    assert_non_null(strstr(text, "\"usual\": null"));
    assert_non_null(strstr(text, "\"front\": null"));
    assert_non_null(strstr(text, "\"doors\": []"));
    asif_memory_free(context, text);
    asif_context_free(context);
}

static void test_read(void **state) {
    (void)state;
    reading r;
    open_text(&r, full);
    const house *h = &r.house;
    assert_string_equal(h->owner, "A");
    assert_string_equal(h->street, "B");
    assert_true(!h->brief && h->many == 5000000000 && h->usual == 1);
    assert_true(h->places == 2 && h->routes == 2 && h->doors == 1);
    assert_string_equal(h->place[1].name, "q");
    assert_true(h->place[0].size == 1.5 && isnan(h->place[1].size));
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(h->route[i].name, routes[i].name);
        assert_int_equal(h->route[i].trips, routes[i].trips);
        for (uint32_t k = 0; k < 2; k++) {
            assert_true(h->route[i].mark[k].value == routes[i].mark[k].value);
            assert_int_equal(h->route[i].mark[k].lies, routes[i].mark[k].lies);
        }
    }
    assert_true(h->front->x == 7 && h->front->open && h->door[0].x == 8 && !h->door[0].open);
    char *again = NULL;
    assert_int_equal(asif_fields_json(&again, r.context, &house_fields, h, NULL), ASIF_OK);
    assert_string_equal(again, full);
    asif_memory_free(r.context, again);
    close_text(&r);
}

/* A map along names in another order, one that is short, one that is none; more doors than there is room for.
 */
static void test_odd(void **state) {
    (void)state;
    reading r;
    open_text(&r, "{usual: nowhere, many: -3, places: {p: {size: x}, q: 3}, front: [1], doors: [{x: 1}, {x: "
                  "2}, {x: 3}],"
                  " routes: [{trips: 1e99, marks: {q: {value: 2, lies: sideways}, p: {value: 1}}},"
                  " {marks: {p: {value: 9}}}, {marks: 5}, 6]}");
    const house *h = &r.house;
    assert_true(h->usual == UINT32_MAX && h->many == 0 && !h->front && !h->owner && !h->street);
    assert_true(h->places == 2 && isnan(h->place[0].size) && isnan(h->place[1].size));
    assert_true(h->doors == 2 && h->door[1].x == 2);
    assert_true(h->routes == 4 && !h->route[0].name && h->route[0].trips == 0);
    assert_true(h->route[0].mark[0].value == 1 && h->route[0].mark[1].value == 2);
    assert_int_equal(h->route[0].mark[1].lies, NONE);
    for (uint32_t i = 1; i < 4; i++)
        assert_true(isnan(h->route[i].mark[0].value) && isnan(h->route[i].mark[1].value));
    assert_true(asif_fields_match(&house_fields, asif_yaml_root(r.document)));
    close_text(&r);
    const char *const others[] = {
        "{}", "5", "[1]", "{places: {}}", "{places: {}, routes: {}}", "{places: [], routes: []}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        open_text(&r, others[i]);
        assert_true(h->places == 0 && h->routes == 0 && h->doors == 0 && !h->front && h->usual == UINT32_MAX);
        assert_false(asif_fields_match(&house_fields, asif_yaml_root(r.document)));
        close_text(&r);
    }
}

/* Places without number and routes without marks: memory grows with the file, not with its square. */
static void test_room(void **state) {
    (void)state;
    failing_memory memory = {.left = -1};
    asif_context_options options = ASIF_CONTEXT_OPTIONS_INIT;
    asif_text text = {.context = NULL};
    reading r = {.context = NULL};
    options.reallocate = failing_reallocate;
    options.user = &memory;
    assert_int_equal(asif_context_create(&r.context, &options, NULL), ASIF_OK);
    text.context = r.arena.context = r.context;
    asif_text_add(&text, "{places: {");
    for (int i = 0; i < 300; i++)
        asif_text_addf(&text, "p%d: 0, ", i);
    asif_text_add(&text, "}, routes: [");
    for (int i = 0; i < 300; i++)
        asif_text_add(&text, "{marks: {p1: {value: 1}}}, ");
    asif_text_add(&text, "]}");
    assert_int_equal(asif_yaml_read(&r.document, r.context, text.data, text.length, "text", NULL), ASIF_OK);
    const asif_yaml *root = asif_yaml_root(r.document);
    long alive = memory.alive;
    assert_int_equal(asif_fields_read(&r.house, &r.arena, &house_fields, root, NULL), ASIF_OK);
    CHECK(memory.alive - alive < 10, "%ld blocks", memory.alive - alive);
    assert_ptr_equal(r.house.route[0].mark, r.house.route[299].mark);
    asif_arena_free(&r.arena);
    /* Out of memory at any place is a status. */
    for (long left = 0; left < 5; left++) {
        r.arena = (asif_arena){.context = r.context};
        memory.left = left;
        assert_int_equal(asif_fields_read(&r.house, &r.arena, &house_fields, root, NULL),
                         left < 4 ? ASIF_ENOMEM : ASIF_OK);
        asif_arena_free(&r.arena);
    }
    memory.left = -1;
    assert_int_equal(memory.alive, alive);
    asif_text_free(&text);
    close_text(&r);
    assert_int_equal(memory.alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
