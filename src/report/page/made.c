/* The section on how the fit was made, with everything needed to repeat it. */
#include "report/page/page.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <string.h>

#define MOST_STUDY 200000 /* largest study in bytes that is shown */

/* ---- the command ---- */

/* Add a word, quoted for a shell if needed. */
static void add_word(asif_text *words, const char *word) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    if (*word && strspn(word, plain) == strlen(word)) {
        asif_text_add(words, word);
        return;
    }
    asif_text_add(words, "'");
    for (const char *at = word, *next; *at; at = next) {
        next = at + strcspn(at, "'");
        asif_text_add_n(words, at, (uint64_t)(next - at));
        if (*next) {
            asif_text_add(words, "'\\''");
            next++;
        }
    }
    asif_text_add(words, "'");
}

/* Where the value begins in a word COLUMN=VALUE whose column names subjects; NULL: there is none. */
static const char *hidden_from(const asif_page *page, const char *word, const char *before) {
    const char *equals;
    if (strncmp(word, "--map=", 6) == 0 || (before && strcmp(before, "--map") == 0))
        return NULL;
    if (strncmp(word, "--", 2) == 0 && (equals = strchr(word, '=')))
        word = equals + 1;
    equals = strchr(word, '=');
    return equals && asif_source_hides(page->source, word, (uint64_t)(equals - word)) ? equals + 1 : NULL;
}

static void add_command(asif_page *page, const asif_yaml *made) {
    const asif_yaml *command = asif_yaml_list(made, "command");
    asif_text words = {.context = page->context};
    bool hid = false;
    if (!command || command->count == 0)
        return;
    for (uint32_t i = 0; i < command->count; i++) {
        const char *word = command->item[i]->text ? command->item[i]->text : "";
        const char *hidden = hidden_from(page, word, i ? command->item[i - 1]->text : NULL);
        asif_text shown = {.context = page->context};
        asif_text_add_n(&shown, word, hidden ? (uint64_t)(hidden - word) : strlen(word));
        asif_text_add(&shown, hidden ? "..." : "");
        asif_text_add(&words, i ? " " : "");
        add_word(&words, shown.data ? shown.data : "");
        words.failed |= shown.failed;
        asif_text_free(&shown);
        hid |= hidden != NULL;
    }
    asif_text_add(&page->html, "<pre class=\"command\"><code>");
    asif_html_text(&page->html, words.data);
    asif_text_add(&page->html, "</code></pre>\n");
    if (hid)
        asif_html_paragraph(&page->html, "Three dots stand for what would name subjects.");
    page->html.failed |= words.failed;
    asif_text_free(&words);
}

/* ---- method, versions and files ---- */

static void add_pair(asif_page_rows *rows, const asif_source_fit *fit, const char *name, const char *value) {
    const char *const cells[] = {name, value};
    if (value && *value)
        asif_page_row(rows, fit, cells);
}

static char *seconds_text(char *cell, double seconds) {
    cell[0] = 0;
    if (seconds > 0)
        asif_format(cell, ASIF_CELL_SIZE, "%.*f s", seconds < 10 ? 1 : 0, seconds);
    return cell;
}

static void add_facts(asif_page_rows *rows, const asif_source_fit *fit) {
    asif_page *page = rows->page;
    const asif_yaml *root = fit->fit.root, *made = fit->made, *solver = asif_yaml_part(root, "solver");
    asif_text method = {.context = page->context}, lattice = {.context = page->context};
    char cell[ASIF_CELL_SIZE];
    double resolution = asif_yaml_value(solver, "resolution");
    asif_summary_method(&method, &fit->fit);
    asif_text_add(&method, method.length ? "." : "");
    const asif_yaml *beliefs = asif_yaml_get(solver, "beliefs");
    bool graded = beliefs && strcmp(beliefs->text, "graded") == 0;
    if (beliefs && !graded)
        asif_text_addf(&lattice, "Exact at all beliefs that can be reached, tolerance %s.",
                       asif_short_number(cell, asif_yaml_value(solver, "tol")));
    else if (!isnan(resolution) && asif_setting_get(fit->view.fitted->setting)->observations > 0) {
        asif_text_addf(&lattice, "A lattice with %.0f intervals on an edge%s, tolerance %s.", resolution,
                       graded ? ", finer near certainty" : "",
                       asif_short_number(cell, asif_yaml_value(solver, "tol")));
        double error = asif_yaml_value(solver, "lattice_error");
        if (!isnan(error))
            asif_text_addf(&lattice, " It was chosen so that it changes the log-likelihood by about %s nats.",
                           asif_short_number(cell, error));
        const asif_yaml *weights = asif_yaml_part(solver, "weights");
        if (weights)
            asif_text_addf(&lattice,
                           " Draws were weighted on a lattice with %.0f intervals, which moved means by at "
                           "most %s standard deviations.",
                           asif_yaml_value(weights, "resolution"),
                           asif_short_number(cell, asif_yaml_value(weights, "moved")));
    } else if (!isnan(resolution))
        asif_text_addf(&lattice, "Tolerance %s.", asif_short_number(cell, asif_yaml_value(solver, "tol")));
    add_pair(rows, fit, "version of asif", asif_yaml_text(root, "asif"));
    add_pair(rows, fit, "version of asif that made this page", asif_version());
    add_pair(rows, fit, "method", method.data);
    add_pair(rows, fit, "inverse planner", asif_study_inverse(fit->view.study));
    add_pair(rows, fit, "solver", lattice.data);
    add_pair(rows, fit, "seed", asif_yaml_text(made, "seed"));
    add_pair(rows, fit, "vector instructions", asif_yaml_text(made, "vector"));
    add_pair(rows, fit, "threads", asif_yaml_text(made, "threads"));
    add_pair(rows, fit, "started", asif_yaml_text(made, "started"));
    add_pair(rows, fit, "total time", seconds_text(cell, asif_yaml_value(made, "seconds")));
    add_pair(rows, fit, "time of the search", seconds_text(cell, asif_yaml_value(made, "seconds_search")));
    add_pair(rows, fit, "time of the draws", seconds_text(cell, asif_yaml_value(made, "seconds_sampling")));
    add_pair(rows, fit, "SHA-256 of the study", asif_yaml_text(asif_yaml_part(made, "study"), "sha256"));
    add_pair(rows, fit, "SHA-256 of the logs", asif_yaml_text(asif_yaml_part(made, "logs"), "sha256"));
    page->html.failed |= method.failed || lattice.failed;
    asif_text_free(&method);
    asif_text_free(&lattice);
}

/* Read the study that the fit kept; *text is NULL if there is none. */
static asif_status read_study(char **text, uint64_t *length, const asif_page *page, asif_error *error) {
    asif_text path = {.context = page->context};
    *text = NULL;
    asif_text_addf(&path, "%s/study.yaml", page->source->fit[0].view.folder);
    if (path.failed)
        return asif_fail_memory(error);
    asif_status status = asif_os_read_file(text, length, page->context, path.data, error);
    asif_text_free(&path);
    return status == ASIF_ENOFILE ? ASIF_OK : status;
}

static asif_status add_study(asif_page *page, asif_error *error) {
    const asif_study *study = page->source->fit[0].view.study;
    const char *file;
    char *text;
    uint64_t length;
    asif_text *html = &page->html;
    ASIF_TRY(read_study(&text, &length, page, error));
    if (!text)
        return ASIF_OK;
    asif_text_add(html, "<details><summary>The study file</summary>\n");
    if (length <= MOST_STUDY) {
        asif_text_add(html, "<pre tabindex=\"0\"><code>");
        asif_html_text(html, text);
        asif_text_add(html, "</code></pre>\n");
    } else {
        asif_html_paragraph(html, "It is too long to be shown here.");
    }
    for (uint32_t i = 0; (file = asif_study_files(study, i)); i++)
        asif_html_paragraph(html, "It reads %s, too.", file);
    asif_text_add(html, "</details>\n");
    asif_free(page->context, text);
    return ASIF_OK;
}

void asif_page_citation(asif_page *page) {
    asif_text_add(
        &page->html,
        "<p>The method is that of D. Jarrett, A. H\xc3\xbcy\xc3\xbck and M. van der Schaar, <cite>Inverse "
        "Decision Modeling: Learning Interpretable Representations of Behavior</cite>, Proceedings of the "
        "38th International Conference on Machine Learning (ICML), 2021. Please cite it, and the version of "
        "asif.</p>\n");
}

asif_status asif_page_made(asif_page *page, asif_error *error) {
    static const char *const heads[] = {"what", "group", "value"};
    const asif_source *source = page->source;
    asif_page_rows rows;
    if (source->fit[0].made)
        add_command(page, source->fit[0].made);
    else
        asif_html_paragraph(&page->html, "The folder of the fit does not say by which command it was made.");
    asif_page_rows_begin(&rows, page, sizeof heads / sizeof *heads);
    for (uint32_t g = 0; g < source->fits; g++)
        add_facts(&rows, &source->fit[g]);
    asif_page_rows_end(&rows, "What it takes to repeat it", heads, 0);
    ASIF_TRY(add_study(page, error));
    asif_page_citation(page);
    return ASIF_OK;
}
