/* Straightforward C loops of the ordinary learners on a table of losses, for comparison.
   Usage: learners NAME TABLE ROWS ARMS REPEATS; prints the mean loss and ns a round. Losses are in [0, 1]. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state[4] = {1, 2, 3, 4}; /* xoshiro256++ */
static inline uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
static inline double uniform(void) {
    uint64_t result = rotate(state[0] + state[3], 23) + state[0], t = state[1] << 17;
    state[2] ^= state[0], state[3] ^= state[1], state[1] ^= state[2], state[0] ^= state[3], state[2] ^= t;
    state[3] = rotate(state[3], 45);
    return (double)(result >> 11) * 0x1.0p-53;
}
static inline double laplace(double scale) {
    double u = uniform();
    return u < 0.5 ? scale * log(2.0 * u + 1e-300) : -scale * log(2.0 - 2.0 * u);
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int K;
static double T, *w, *L, *n, W, reference, s;

static int scan(const double *p, double mass) {
    int i = 0;
    mass -= p[0];
    while (mass >= 0.0 && i < K - 1) mass -= p[++i];
    return i;
}
static void change(int i, double by) { /* of a log-weight: one exponential */
    L[i] += by;
    double x = exp(L[i] - reference);
    W += x - w[i], w[i] = x;
    if (W > 0.25 && W < 4.0 * K) return;
    reference = L[0];
    for (int j = 1; j < K; j++) reference = fmax(reference, L[j]);
    W = 0.0;
    for (int j = 0; j < K; j++) W += w[j] = exp(L[j] - reference);
}
static int mixed(double g, double *p) {
    double u = uniform();
    int i = u < g ? (int)(u / g * K) : scan(w, (u - g) / (1.0 - g) * W);
    *p = (1.0 - g) * w[i] / W + g / K;
    return i;
}
static void gain(const double *row, double *loss) {
    double g = fmin(1.0, sqrt(K * log(K) / ((M_E - 1.0) * T))), p;
    int i = mixed(g, &p);
    *loss += row[i], change(i, g / K * (1.0 - row[i]) / p);
}
static void losses(const double *row, double *loss) {
    double eta = sqrt(2.0 * log(K) / (T * K)), p;
    int i = mixed(0.0, &p);
    *loss += row[i], change(i, -eta * row[i] / p);
}
static void implicit(const double *row, double *loss) {
    double eta = sqrt(2.0 * log(K) / (T * K)), p;
    int i = mixed(0.0, &p);
    *loss += row[i], change(i, -eta * row[i] / (p + eta / 2.0));
}
static void bonus(const double *row, double *loss) {
    double eta = 0.95 * sqrt(log(K) / (T * K)), g = fmin(1.0, 1.05 * sqrt(K * log(K) / T)), b = sqrt(log(K * 100.0) / (T * K));
    double most = L[0], sum = 0.0;
    for (int j = 1; j < K; j++) most = fmax(most, L[j]);
    for (int j = 0; j < K; j++) sum += w[j] = exp(eta * (L[j] - most));
    for (int j = 0; j < K; j++) w[j] = (1.0 - g) * w[j] / sum + g / K;
    int i = scan(w, uniform());
    *loss += row[i];
    for (int j = 0; j < K; j++) L[j] += b / w[j];
    L[i] += (1.0 - row[i]) / w[i];
}
static void regularised(double rate) { /* w = 4 / (rate (L - x))^2, by Newton's method from the last solution */
    double least = L[0], target = 2.0 / rate, squares = 1.0;
    for (int j = 1; j < K; j++) least = fmin(least, L[j]);
    s = fmax(s, target);
    for (int step = 0; step < 100; step++) {
        double cubes = squares = 0.0;
        for (int j = 0; j < K; j++) {
            double inverse = 1.0 / (L[j] - least + s), square = inverse * inverse;
            w[j] = square, squares += square, cubes += square * inverse;
        }
        double h = 1.0 / sqrt(squares);
        if (fabs(h - target) <= 1e-12 * target) break;
        s = fmax(s + (target - h) / (h * h * h * cubes), target);
    }
    for (int j = 0; j < K; j++) w[j] /= squares;
}
static double t;
static void tsallis(const double *row, double *loss) {
    double rate = 4.0 / sqrt(++t);
    regularised(rate);
    int i = scan(w, uniform());
    *loss += row[i];
    double b = w[i] >= rate * rate ? 0.5 : 0.0;
    for (int j = 0; j < K; j++) L[j] += w[j] >= rate * rate ? 0.5 : 0.0;
    L[i] += (row[i] - b) / w[i];
}
static void heavy(const double *row, double *loss) {
    double rate = 1.0 / sqrt(++t);
    regularised(2.0 * rate);
    int i = scan(w, uniform());
    *loss += row[i];
    if (row[i] <= 0.2062994740159 * sqrt(w[i]) / rate) L[i] += row[i] / w[i];
}
static void ucb(const double *row, double *loss) {
    int i = 0;
    double most = -1.0, c = 2.0 * log(++t);
    if (t <= K) i = (int)t - 1;
    else
        for (int j = 0; j < K; j++) {
            double index = L[j] / n[j] + sqrt(c / n[j]);
            if (index > most) most = index, i = j;
        }
    *loss += row[i], L[i] += 1.0 - row[i], n[i] += 1.0;
}
static double kl(double p, double q) {
    return (p > 0.0 ? p * log(p / q) : 0.0) + (p < 1.0 ? (1.0 - p) * log((1.0 - p) / (1.0 - q)) : 0.0);
}
static double upper(double p, double d) {
    if (p >= 1.0) return 1.0;
    if (p <= 0.0) return -expm1(-d);
    double q = p + sqrt(d / 2.0);
    if (q >= 1.0 && (q = 1.0 - (1.0 - p) * exp(-(d - p * log(p)) / (1.0 - p))) >= 1.0) return 1.0;
    for (int step = 0; step < 50; step++) {
        double move = q > p ? (kl(p, q) - d) * q * (1.0 - q) / (q - p) : 0.0;
        q -= move;
        if (fabs(move) <= 1e-13) break;
    }
    return fmax(q, p);
}
static void klucb(const double *row, double *loss) {
    int i = 0;
    double most = -1.0, c = log(fmax(++t, 3.0));
    if (t <= K) i = (int)t - 1;
    else
        for (int j = 0; j < K; j++) {
            double index = upper(L[j] / n[j], c / n[j]);
            if (index > most) most = index, i = j;
        }
    *loss += row[i], L[i] += 1.0 - row[i], n[i] += 1.0;
}
static int leader(double scale) {
    int i = 0;
    double least = INFINITY;
    for (int j = 0; j < K; j++) {
        double x = L[j] + laplace(scale);
        if (x < least) least = x, i = j;
    }
    return i;
}
static void perturbed(const double *row, double *loss) {
    int cap = (int)ceil(sqrt(K * T)), tries = 1;
    double scale = 1.0 / fmin(sqrt(1.5 * log(K) / (K * T)), 1.0 / cap);
    int i = leader(scale);
    while (tries < cap && leader(scale) != i) tries++;
    *loss += row[i], L[i] += tries * row[i];
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*play)(const double *, double *); } known[] = {
        {"exp3", losses}, {"exp3-gain", gain}, {"exp3-ix", implicit}, {"exp3-p", bonus}, {"tsallis-inf", tsallis},
        {"htinf", heavy}, {"ucb", ucb}, {"kl-ucb", klucb}, {"ftpl", perturbed}};
    if (argc != 6) return 2;
    long rows = atol(argv[3]), repeats = atol(argv[5]);
    K = atoi(argv[4]), T = (double)rows * (double)repeats, W = K;
    double *table = malloc(sizeof(double) * (size_t)rows * (size_t)K), loss = 0.0;
    w = malloc(sizeof(double) * (size_t)K), L = calloc((size_t)K, sizeof(double)), n = calloc((size_t)K, sizeof(double));
    FILE *file = fopen(argv[2], "rb");
    if (!table || !w || !L || !n || !file) return 2;
    if (fread(table, sizeof(double), (size_t)rows * (size_t)K, file) != (size_t)rows * (size_t)K) return 2;
    for (int i = 0; i < K; i++) w[i] = 1.0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, argv[1]) == 0) {
            double start = now();
            for (long repeat = 0; repeat < repeats; repeat++)
                for (long row = 0; row < rows; row++) known[k].play(table + row * K, &loss);
            printf("%.9f %.4f\n", loss / T, (now() - start) / T * 1e9);
            return 0;
        }
    return 2;
}
