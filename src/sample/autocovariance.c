#include "sample/autocovariance.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Autocovariances are computed by the power spectrum, with zeros behind the chain so that it does not wrap
 * around. Two real chains x and y go through one transform as x + iy: the real part of that number's
 * autocovariance is the sum of theirs. Spectra are summed before the one transform back. The transforms leave
 * the frequencies in bit-reversed order, which does not matter for a sum of powers. */

static const double TWO_PI = 6.28318530717958647693;

bool asif_autocovariance_init(asif_autocovariance *a, const asif_context *context, uint64_t length) {
    uint64_t size = 2;
    while (size < 2 * length)
        size *= 2;
    *a = (asif_autocovariance){.context = context,
                               .length = length,
                               .size = size,
                               .cosine = ASIF_ARRAY(context, size / 2, double),
                               .sine = ASIF_ARRAY(context, size / 2, double),
                               .real = ASIF_ARRAY(context, size, double),
                               .imaginary = ASIF_ARRAY(context, size, double),
                               .power = ASIF_ARRAY(context, size, double)};
    if (!a->cosine || !a->sine || !a->real || !a->imaginary || !a->power)
        return false;
    for (uint64_t k = 0; k < size / 2; k++) {
        double angle = TWO_PI * (double)k / (double)size;
        a->cosine[k] = cos(angle);
        a->sine[k] = sin(angle);
    }
    return true;
}

void asif_autocovariance_free(asif_autocovariance *a) {
    double *const arrays[] = {a->cosine, a->sine, a->real, a->imaginary, a->power};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(a->context, arrays[i]);
}

/* Decimation in frequency: natural order in, bit-reversed order out. */
static void forward(const asif_autocovariance *a) {
    double *re = a->real, *im = a->imaginary;
    for (uint64_t span = a->size / 2, stride = 1; span > 0; span /= 2, stride *= 2)
        for (uint64_t start = 0; start < a->size; start += 2 * span)
            for (uint64_t k = 0; k < span; k++) {
                uint64_t i = start + k, j = i + span;
                double c = a->cosine[k * stride], s = a->sine[k * stride];
                double dr = re[i] - re[j], di = im[i] - im[j];
                re[i] += re[j];
                im[i] += im[j];
                re[j] = dr * c + di * s;
                im[j] = di * c - dr * s;
            }
}

/* Decimation in time: bit-reversed order in, natural order out; not divided by the size. */
static void backward(const asif_autocovariance *a) {
    double *re = a->real, *im = a->imaginary;
    for (uint64_t span = 1, stride = a->size / 2; span < a->size; span *= 2, stride /= 2)
        for (uint64_t start = 0; start < a->size; start += 2 * span)
            for (uint64_t k = 0; k < span; k++) {
                uint64_t i = start + k, j = i + span;
                double c = a->cosine[k * stride], s = a->sine[k * stride];
                double tr = re[j] * c - im[j] * s, ti = im[j] * c + re[j] * s;
                re[j] = re[i] - tr;
                im[j] = im[i] - ti;
                re[i] += tr;
                im[i] += ti;
            }
}

void asif_autocovariance_begin(asif_autocovariance *a) {
    memset(a->power, 0, (size_t)a->size * sizeof *a->power);
}

void asif_autocovariance_add(asif_autocovariance *a, const double *first, double first_mean,
                             const double *second, double second_mean, double scale) {
    for (uint64_t i = 0; i < a->length; i++) {
        a->real[i] = (first[i] - first_mean) * scale;
        a->imaginary[i] = second ? (second[i] - second_mean) * scale : 0;
    }
    for (uint64_t i = a->length; i < a->size; i++)
        a->real[i] = a->imaginary[i] = 0;
    forward(a);
    for (uint64_t i = 0; i < a->size; i++)
        a->power[i] += a->real[i] * a->real[i] + a->imaginary[i] * a->imaginary[i];
}

const double *asif_autocovariance_end(asif_autocovariance *a) {
    double divisor = (double)a->size * (double)a->length;
    for (uint64_t i = 0; i < a->size; i++) {
        a->real[i] = a->power[i];
        a->imaginary[i] = 0;
    }
    backward(a);
    for (uint64_t i = 0; i < a->length; i++)
        a->real[i] /= divisor;
    return a->real;
}
