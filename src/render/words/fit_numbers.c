/* Reads a fit from its JSON, and names and writes its numbers. */
#include "render/words/fit_numbers.h"

#include "base/error.h"
#include "base/memory.h"
#include "render/words/shown_names.h"

#include <math.h>
#include <string.h>

void asif_summary_number_read(asif_summary_number *out, const char *name, const asif_yaml *node) {
    const asif_yaml *shown = asif_yaml_part(node, "shown");
    const char *parameter = asif_yaml_text(shown, "parameter");
    const char *identified = asif_yaml_text(node, "identified");
    const asif_yaml *sides = asif_yaml_part(node, "identified_below"); /* absent in older files */
    const char *below = sides ? asif_yaml_text(node, "identified_below") : identified,
               *above = sides ? asif_yaml_text(node, "identified_above") : identified;
    bool flat_below = asif_yaml_flag(node, "flat_below"), flat_above = asif_yaml_flag(node, "flat_above");
    *out = (asif_summary_number){
        .name = name,
        .parameter = parameter ? parameter : name,
        .label = asif_yaml_text(shown, "label"),
        .q05 = asif_yaml_value(shown ? shown : node, "q05"),
        .q50 = asif_yaml_value(shown ? shown : node, "q50"),
        .q95 = asif_yaml_value(shown ? shown : node, "q95"),
        .identified = identified,
        .below = identified && flat_below ? "no" : below,
        .above = identified && flat_above ? "no" : above,
        .bound = asif_yaml_text(node, "bound"),
        .doubt = asif_yaml_text(node, "doubt"),
        .with = asif_yaml_text(node, "with"),
        .sign = asif_yaml_text(node, "sign"),
        .correlation = asif_yaml_value(node, "correlation"),
        .flat_below = flat_below,
        .flat_above = flat_above,
        .near_zero = asif_yaml_flag(node, "near_zero"),
        .proper = asif_yaml_flag(node, "proper"),
        .power = asif_yaml_text(asif_yaml_part(node, "power_scaling"), "diagnosis"),
        .histogram = asif_yaml_part(node, "histogram"),
    };
}

static asif_status not_a_fit(const asif_yaml *root, const char *name, asif_error *error) {
    asif_fail(error, ASIF_EPARSE, "this is not the text of a fit");
    asif_error_at(error, name, root->line, root->column);
    asif_error_hint(error, "`asif fit` writes it as fit.json into the folder that -o names");
    return ASIF_EPARSE;
}

/* Set what the study's labels say about a number. */
static void add_label(asif_summary_number *number, const asif_yaml *labels) {
    number->unit = asif_name_part(labels, "parameters", number->name, "unit");
    number->sentence = asif_name_part(labels, "parameters", number->name, "sentence");
}

asif_status asif_summary_read(asif_summary *out, const asif_context *context, const char *json,
                              uint64_t length, const char *name, asif_error *error) {
    asif_yaml_document *document = NULL;
    *out = (asif_summary){.context = context};
    ASIF_TRY(asif_shown_read(&document, context, json, length, name, error));
    asif_status status = asif_summary_take(out, context, asif_yaml_root(document), name, error);
    out->document = document;
    return status;
}

asif_status asif_summary_take(asif_summary *out, const asif_context *context, const asif_yaml *root,
                              const char *name, asif_error *error) {
    *out = (asif_summary){.context = context, .root = root};
    const asif_yaml *parameters = asif_yaml_part(root, "parameters"), *trust = asif_yaml_part(root, "trust");
    out->method = asif_yaml_text(root, "method");
    if (!out->method || !parameters || parameters->kind != ASIF_YAML_MAP || !trust ||
        trust->kind != ASIF_YAML_MAP)
        return not_a_fit(root, name, error);
    const asif_yaml *draws = asif_yaml_part(root, "draws");
    out->draws = draws && draws->kind == ASIF_YAML_MAP;
    out->trusted = out->sound = asif_yaml_flag(trust, "good");
    if (asif_is(asif_yaml_text(trust, "described"), "false"))
        out->trusted = false;
    if (!isnan(asif_yaml_value(asif_yaml_part(root, "maximum"), "objective")))
        out->answered = asif_yaml_text(root, "inverse") ? asif_yaml_text(root, "inverse") : "it";
    out->rivals = asif_yaml_flag(root, "rivals");
    out->number = ASIF_ARRAY(context, parameters->count, asif_summary_number);
    if (!out->number)
        return asif_fail_memory(error);
    out->numbers = parameters->count;
    for (uint32_t i = 0; i < parameters->count; i++) {
        asif_summary_number_read(&out->number[i], parameters->key[i]->text, parameters->item[i]);
        add_label(&out->number[i], asif_yaml_part(root, "labels"));
        out->trusted &= !out->number[i].doubt || asif_is(out->number[i].doubt, "assumptions");
    }
    return ASIF_OK;
}

void asif_summary_free(asif_summary *summary) {
    asif_free(summary->context, summary->number);
    asif_yaml_free(summary->document);
}

bool asif_summary_counted(const asif_summary *summary) {
    return asif_yaml_flag(asif_yaml_part(summary->root, "logs"), "counted");
}

const asif_summary_number *asif_summary_find(const asif_summary *summary, const char *name) {
    for (uint32_t i = 0; name && i < summary->numbers; i++)
        if (strcmp(summary->number[i].name, name) == 0)
            return &summary->number[i];
    return NULL;
}

/* ---- names ---- */

static const struct {
    const char *parameter, *word, *symbol;
} words[] = {
    {"alpha", "choice randomness", "alpha"},
    {"act_alpha", "choice randomness in acting", "act_alpha"},
    {"optimism", "optimism", "1/beta"},
    {"beta", "optimism", "beta"},
    {"eta", "taste for surprise", "eta"},
    {"discount", "discount", "gamma"},
    {"lapse", "lapses", "lapse"},
};

static const struct {
    const char *parameter, *word;
} distributions[] = {
    {"action_prior", "action prior"},
    {"world_weights", "weight of world"},
    {"start", "first belief"},
    {"means", "mean of"},
};

bool asif_summary_labelled(const asif_summary_number *number) {
    if (number->label || strcmp(number->parameter, number->name) == 0)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].parameter, number->parameter) == 0)
            return false;
    return true;
}

const char *asif_summary_word(const asif_summary_number *number) {
    if (asif_summary_labelled(number))
        return number->parameter;
    for (size_t i = 0; !number->label && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].parameter, number->parameter) == 0)
            return words[i].word;
    for (size_t i = 0; number->label && i < sizeof distributions / sizeof *distributions; i++)
        if (strcmp(distributions[i].parameter, number->parameter) == 0)
            return distributions[i].word;
    return number->label ? number->parameter : "utility";
}

const char *asif_parameter_word(const char *parameter) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].parameter, parameter) == 0 && strcmp(parameter, "beta") != 0)
            return words[i].word;
    return parameter;
}

const char *asif_summary_symbol(const asif_summary_number *number) {
    if (number->label)
        return number->label;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].parameter, number->parameter) == 0)
            return words[i].symbol;
    return number->parameter;
}

char *asif_summary_key(char *buffer, const asif_summary_number *number, bool unicode) {
    asif_label_cut(buffer, asif_summary_labelled(number) ? number->name : asif_summary_symbol(number), 24,
                   unicode);
    if (number->unit) {
        size_t length = strlen(buffer);
        asif_format(buffer + length, ASIF_CELL_SIZE - length, " (%.20s)", number->unit);
    }
    asif_clean(buffer);
    return buffer;
}

void asif_summary_phrase(asif_text *text, const asif_summary_number *number) {
    const char *word = asif_summary_word(number);
    if (number->label)
        asif_text_addf(text, "%s %s", word, number->label);
    else if (strcmp(word, "utility") == 0)
        asif_text_add(text, number->parameter);
    else
        asif_text_add(text, word);
}

/* ---- numbers ---- */

char *asif_summary_digits(char *buffer, double number, double width) {
    if (!isfinite(number))
        return asif_number_text(buffer, number);
    if (!(width > 0) || !isfinite(width))
        return asif_short_number(buffer, number);
    /* The last digit is 1/20 to 1/200 of the interval's width. */
    int decimals = 1 - (int)floor(log10(width / 2));
    double size = fabs(number);
    if (decimals > 6 || size >= 1e7) {
        asif_format(buffer, ASIF_CELL_SIZE, "%.2g", number);
        return buffer;
    }
    asif_format(buffer, ASIF_CELL_SIZE, "%.*f", decimals > 0 ? decimals : 0, number);
    /* Remove the minus before a number that was rounded to 0. */
    if (buffer[0] == '-' && buffer[strspn(buffer, "-0.")] == 0)
        memmove(buffer, buffer + 1, strlen(buffer));
    return buffer;
}

char *asif_summary_range(char *buffer, double low, double high) {
    char a[ASIF_CELL_SIZE], b[ASIF_CELL_SIZE];
    if (isnan(low) || isnan(high))
        buffer[0] = 0;
    else
        asif_format(buffer, ASIF_CELL_SIZE, "%.28s to %.28s", asif_summary_digits(a, low, high - low),
                    asif_summary_digits(b, high, high - low));
    return buffer;
}

/* Whether a smaller logarithm means a larger shown number, because that number is negative. */
static bool turned(const asif_summary_number *number) {
    return asif_parameter_in_logs(number->parameter) && number->q50 < 0;
}

bool asif_summary_below(const asif_summary_number *number) {
    return asif_is(number->bound, turned(number) ? "above" : "below");
}

const char *asif_summary_side(const asif_summary_number *number, bool above) {
    return above != turned(number) ? number->above : number->below;
}

bool asif_summary_limit(const asif_summary_number *number) {
    return number->below && number->above && strcmp(number->below, number->above) != 0;
}

static void add_clause(asif_text *text, bool *any, const char *words_said) {
    asif_text_addf(text, "%s%s", *any ? "; " : "", words_said);
    *any = true;
}

static const struct {
    const char *doubt, *words, *sentence;
} doubts[] = {
    {"assumptions", "it depends on the assumptions", NULL},
    {"misfit", "the model misses something in the data",
     "Predictive checks found something that the model misses. It does not describe these data, so none of "
     "its numbers is established. `asif predict` shows what is missed."},
    {"decisions", "some decisions are hardly possible",
     "The fitted agent would hardly ever take some of these decisions. Even a few of them can change its "
     "numbers a lot, so look at them first. They may come from a wrong label, a missing row, or a result "
     "that was seen but not recorded (`missing: drop_episode`)."},
    {"subjects", "the subjects differ",
     "The subjects differ by more than one set of numbers allows, so the numbers may describe none of them. "
     "Give everybody numbers of their own (`asif people`), or fit groups of similar subjects separately "
     "(--by)."},
    {"tops", "rival explanations disagree", NULL},
};

const char *asif_summary_doubt(const char *doubt, bool sentence) {
    for (size_t i = 0; doubt && i < sizeof doubts / sizeof *doubts; i++)
        if (strcmp(doubts[i].doubt, doubt) == 0)
            return sentence ? doubts[i].sentence : doubts[i].words;
    return NULL;
}

static void add_trade_off(asif_text *text, const asif_summary *summary, const asif_summary_number *number) {
    const asif_summary_number *with = asif_summary_find(summary, number->with);
    if (!with || !(fabs(number->correlation) > 0.8))
        return;
    asif_text_add(text, ", trades off with ");
    asif_summary_phrase(text, with);
}

/* Add whether the logs identify a number: "yes", "upper limit weakly, lower limit no, trades off with
 * optimism", "not established: the subjects differ". */
static void add_identified(asif_text *text, const asif_summary *summary, const asif_summary_number *number) {
    const char *above = asif_summary_side(number, true), *below = asif_summary_side(number, false),
               *doubt = asif_summary_doubt(number->doubt, false);
    bool limit = asif_summary_limit(number), no = asif_is(above, "no") && !limit;
    if (number->doubt)
        asif_text_addf(text, "%s%s%s", no ? "no" : "not established", doubt ? ": " : "", doubt ? doubt : "");
    else if (limit)
        asif_text_addf(text, "upper limit %s, lower limit %s", above, below);
    else if (number->identified)
        asif_text_add(text, number->identified);
    if (!number->doubt && (asif_is(above, "weakly") || asif_is(below, "weakly")))
        add_trade_off(text, summary, number);
}

void asif_summary_verdict(asif_text *text, const asif_summary *summary, const asif_summary_number *number) {
    bool any = number->identified || number->doubt,
         no = asif_is(number->above, "no") && asif_is(number->below, "no");
    add_identified(text, summary, number);
    if (asif_is(number->identified, "yes") && number->near_zero)
        asif_text_add(text, ": near zero");
    else if (asif_is(number->sign, "unknown") && !no)
        add_clause(text, &any, "the sign is unknown");
    if (!number->identified && number->bound)
        add_clause(text, &any, asif_summary_below(number) ? "no lower limit" : "no upper limit");
}

/* The columns before the verdicts are a table of their own, so that the verdicts can be wrapped. */
void asif_summary_rows(asif_text *rows, const asif_summary *summary, const asif_summary_number *number) {
    asif_table table;
    char cell[ASIF_CELL_SIZE];
    asif_table_init(&table, summary->context, 4);
    table.left = 1 | 2 | 8;
    asif_table_cell(&table, "");
    asif_table_cell(&table, "");
    asif_table_cell(&table, summary->draws ? "median" : summary->answered ? "answer" : "maximum");
    asif_table_cell(&table, summary->answered ? "" : "90 % interval");
    for (uint32_t i = 0; i < summary->numbers; i++) {
        const asif_summary_number *n = &number[i];
        asif_table_cell(&table, asif_label_cut(cell, asif_summary_word(n), 30, summary->unicode));
        asif_table_cell(&table, asif_summary_key(cell, n, summary->unicode));
        asif_table_cell(&table, asif_summary_digits(cell, n->q50, fabs(n->q95 - n->q05)));
        asif_table_cell(&table, asif_summary_range(cell, n->q05, n->q95));
    }
    asif_table_end(&table, rows);
}
