/* The recurrent network on the history tree: its forward pass against one that is written out for each
 * decision, its derivatives against differences, and its first losses in a file for other software
 * (tests/long). */
#include "check.h"
#include "problems.h"
#include "questions/held_out/rivals/cloning_network.h"

#include "base/context.h"
#include "logs/tree/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODES = 120, LONGEST = 8, ACTIONS = 3, OBSERVATIONS = 2, WIDEST = 64 };

static const char *const actions[] = {"declare_healthy", "declare_diseased", "monitor"};
static const char *const observations[] = {"negative", "positive"};

/* Episodes of the diagnosis problem. */
static asif_tree *make_logs(const asif_context *context, const asif_setting *setting) {
    char text[EPISODES * LONGEST * 48 + 64];
    size_t used = (size_t)snprintf(text, sizeof text, "episode,t,action,observation\n");
    uint64_t seed = 4;
    for (int e = 0; e < EPISODES; e++) {
        int length = 1 + (int)(make_uniform(&seed) * LONGEST);
        for (int t = 0; t < length; t++) {
            int x = make_uniform(&seed) < .4, last = t + 1 == length && make_uniform(&seed) < .7;
            const char *seen = last ? "" : observations[x];
            used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%s,%s\n", e, t,
                                     actions[last ? (make_uniform(&seed) < .6) : 2], seen);
        }
    }
    asif_logs_options options = ASIF_LOGS_OPTIONS_INIT;
    asif_error error = ASIF_ERROR_INIT;
    asif_tree *tree = NULL;
    options.setting = setting;
    asif_status status =
        asif_logs_read_text(&tree, context, text, used, "logs", &options, NULL, NULL, &error);
    CHECK(status == ASIF_OK, "%s", error.message);
    return tree;
}

typedef struct {
    asif_context *context;
    asif_setting *setting;
    asif_tree *tree;
    asif_cloning_network network;
} bench;

static void open_bench(bench *b, uint32_t hidden, double spread) {
    asif_error error = ASIF_ERROR_INIT;
    assert_int_equal(asif_context_create(&b->context, NULL, NULL), ASIF_OK);
    b->setting = make_diag(b->context, NULL);
    b->tree = make_logs(b->context, b->setting);
    CHECK(asif_cloning_create(&b->network, b->context, b->tree, hidden, &error) == ASIF_OK, "%s",
          error.message);
    asif_cloning_begin(&b->network, spread, 9);
}

static void close_bench(bench *b) {
    asif_cloning_free(&b->network);
    asif_tree_free(b->tree);
    asif_setting_free(b->setting);
    asif_context_free(b->context);
}

/* ---- the forward pass ---- */

static double sig(double x) {
    return 1 / (1 + exp(-x));
}

/* One step, from the equations in lstm.h. */
static void scalar_step(const asif_lstm *l, const double *w, uint32_t u, uint32_t x, double *h, double *c) {
    asif_lstm_layout at = asif_lstm_place(l);
    uint32_t H = l->hidden;
    double gate[4][WIDEST];
    for (uint32_t g = 0; g < 4; g++)
        for (uint32_t k = 0; k < H; k++) {
            double sum = w[at.bias + g * H + k] + w[at.input + (g * H + k) * l->inputs + u];
            if (x != ASIF_ANY)
                sum += w[at.input + (g * H + k) * l->inputs + ACTIONS + x];
            for (uint32_t j = 0; j < H; j++)
                sum += w[at.recurrent + (g * H + k) * H + j] * h[j];
            gate[g][k] = g == 2 ? tanh(sum) : sig(sum);
        }
    for (uint32_t k = 0; k < H; k++) {
        c[k] = gate[1][k] * c[k] + gate[0][k] * gate[2][k];
        h[k] = gate[3][k] * tanh(c[k]);
    }
}

static void scalar_policy(const asif_lstm *l, const double *w, const double *h, double *log_policy) {
    asif_lstm_layout at = asif_lstm_place(l);
    uint32_t H = l->hidden;
    double layer[WIDEST], all = 0;
    for (uint32_t k = 0; k < H; k++) {
        double sum = w[at.layer_bias + k];
        for (uint32_t j = 0; j < H; j++)
            sum += w[at.layer + k * H + j] * h[j];
        layer[k] = tanh(sum);
    }
    for (uint32_t u = 0; u < ACTIONS; u++) {
        log_policy[u] = w[at.policy_bias + u];
        for (uint32_t j = 0; j < H; j++)
            log_policy[u] += w[at.policy + u * H + j] * layer[j];
        all += exp(log_policy[u]);
    }
    for (uint32_t u = 0; u < ACTIONS; u++)
        log_policy[u] -= log(all);
}

/* The loss, computed for every node from its history. */
static double scalar_loss(const bench *b) {
    const asif_tree_view *t = asif_tree_inside(b->tree);
    const asif_lstm *l = &b->network.lstm;
    double loss = 0, all = 0;
    for (uint32_t n = t->starts; n < t->nodes; n++) {
        double h[WIDEST] = {0}, c[WIDEST] = {0}, log_policy[ACTIONS];
        uint32_t path[LONGEST], depth = 0;
        for (uint32_t m = n; t->parent[m] != ASIF_ANY; m = t->parent[m])
            path[depth++] = m;
        while (depth-- > 0)
            scalar_step(l, b->network.adam.weights, t->action[path[depth]], t->observation[path[depth]], h,
                        c);
        scalar_policy(l, b->network.adam.weights, h, log_policy);
        for (uint32_t u = 0; u < ACTIONS; u++) {
            loss -= t->count[n * ACTIONS + u] * log_policy[u];
            all += t->count[n * ACTIONS + u];
        }
    }
    return loss / all;
}

static void forward(void **state) {
    (void)state;
    bench b;
    open_bench(&b, 7, .6);
    const asif_tree_view *t = asif_tree_inside(b.tree);
    assert_true(t->nodes > 2 * ASIF_LANES);
    asif_cloning_forward(&b.network);
    CHECK_NEAR(asif_cloning_loss(&b.network, t->count), scalar_loss(&b), 1e-13);
    close_bench(&b);
}

/* ---- derivatives ---- */

static void backward(void **state) {
    (void)state;
    bench b;
    open_bench(&b, 5, .6);
    const asif_tree_view *t = asif_tree_inside(b.tree);
    const asif_adam *a = &b.network.adam;
    asif_cloning_forward(&b.network);
    asif_cloning_backward(&b.network, t->count);
    double largest = 0;
    for (uint64_t i = 0; i < a->count; i++) {
        const double at = a->weights[i], step = 1e-5;
        double side[2];
        for (int k = 0; k < 2; k++) {
            a->weights[i] = at + (k ? step : -step);
            asif_cloning_forward(&b.network);
            side[k] = asif_cloning_loss(&b.network, t->count);
        }
        a->weights[i] = at;
        CHECK_NEAR(a->gradient[i], (side[1] - side[0]) / (2 * step), 1e-9);
        largest = fmax(largest, fabs(a->gradient[i]));
    }
    assert_true(largest > .01);
    close_bench(&b);
}

/* A hundred steps of Adam lower the loss; with ASIF_CLONING_FILE in the environment, the tree, the first
 * weights and the losses are written there. */
static void steps(void **state) {
    (void)state;
    bench b;
    const char *path = getenv("ASIF_CLONING_FILE");
    FILE *file = path ? fopen(path, "w") : NULL;
    open_bench(&b, path ? 64 : 8, .001);
    const asif_tree_view *t = asif_tree_inside(b.tree);
    const asif_adam *a = &b.network.adam;
    if (file) {
        fprintf(file, "%u %u %u %u\n", t->nodes, t->actions, t->observations, b.network.lstm.hidden);
        for (uint32_t n = 0; n < t->nodes; n++) {
            fprintf(file, "%d %d %d", (int)t->parent[n], (int)t->action[n], (int)t->observation[n]);
            for (uint32_t u = 0; u < t->actions; u++)
                fprintf(file, " %.17g", t->count[n * t->actions + u]);
            fprintf(file, "\n");
        }
        for (uint64_t i = 0; i < a->count; i++)
            fprintf(file, "%.17g\n", a->weights[i]);
    }
    double first = 0, loss = 0;
    for (uint64_t k = 0; k <= 100; k++) {
        asif_cloning_forward(&b.network);
        loss = asif_cloning_loss(&b.network, t->count);
        first = k ? first : loss;
        if (file)
            fprintf(file, "%.17g\n", loss);
        asif_cloning_backward(&b.network, t->count);
        asif_adam_step(a, k + 1, .001, 1);
    }
    if (file)
        assert_int_equal(fclose(file), 0);
    assert_true(loss < first - .01);
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forward), cmocka_unit_test(backward),
                                       cmocka_unit_test(steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
