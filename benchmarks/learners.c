/* Straightforward C loops of the ordinary learners on a table of losses in [0, 1], for comparison.
   Usage: learners NAME TABLE ROWS ARMS ROUNDS REPETITIONS, with ROWS a power of two: round t reads row t mod ROWS.
   Prints the mean loss of the first repetition, then the processor time per round of each, in ns. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIDE 8 /* generators side by side, so that a block of draws is made with vector instructions */
#define BLOCK 1024
static uint64_t state[4][SIDE]; /* xoshiro256+ */
static double block[BLOCK];
static int used = BLOCK;
static void refill(void) {
    for (int j = 0; j < BLOCK; j += SIDE)
        for (int k = 0; k < SIDE; k++) {
            uint64_t result = state[0][k] + state[3][k], t = state[1][k] << 17;
            state[2][k] ^= state[0][k], state[3][k] ^= state[1][k], state[1][k] ^= state[2][k], state[0][k] ^= state[3][k];
            state[2][k] ^= t, state[3][k] = (state[3][k] << 45) | (state[3][k] >> 19);
            block[j + k] = (double)(int64_t)(result >> 11) * 0x1.0p-53;
        }
    used = 0;
}
static inline double uniform(void) {
    if (used == BLOCK) refill();
    return block[used++];
}
static inline double laplace(double scale) {
    double u = uniform();
    return u < 0.5 ? scale * log(2.0 * u + 1e-300) : -scale * log(2.0 - 2.0 * u);
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define FEW 16 /* up to so many arms a scan draws as quickly as a tree of sums */
static int K, leaves;
static double T, *w, *L, *n, *tree, W, reference, s, t;

static int scan(const double *p, double mass) {
    int i = 0;
    mass -= p[0];
    while (mass >= 0.0 && i < K - 1) mass -= p[++i];
    return i;
}
static int descend(double mass) {
    int i = 1;
    while (i < leaves) {
        i *= 2;
        if (mass >= tree[i]) mass -= tree[i++];
    }
    return i - leaves < K ? i - leaves : K - 1;
}
static void grow(void) {
    for (int j = 0; j < leaves; j++) tree[leaves + j] = j < K ? w[j] : 0.0;
    for (int j = leaves - 1; j > 0; j--) tree[j] = tree[2 * j] + tree[2 * j + 1];
}
static void change(int i, double by) { /* of a log-weight: one exponential */
    L[i] += by;
    double x = exp(L[i] - reference);
    W += x - w[i], w[i] = x;
    if (K > FEW) {
        tree[leaves + i] = x;
        for (int j = (leaves + i) / 2; j > 0; j /= 2) tree[j] = tree[2 * j] + tree[2 * j + 1];
    }
    if (W > 0.25 && W < 4.0 * K) return;
    reference = L[0];
    for (int j = 1; j < K; j++) reference = fmax(reference, L[j]);
    W = 0.0;
    for (int j = 0; j < K; j++) W += w[j] = exp(L[j] - reference);
    if (K > FEW) grow();
}
static int mixed(double g, double *p) {
    double u = uniform(), mass = (u - g) / (1.0 - g) * W;
    int i = u < g ? (int)(u / g * K) : K > FEW ? descend(mass) : scan(w, mass);
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
static void noisy(const double *row, double *loss) {
    double eta = sqrt(2.0 * log(K) / (T * K)), p;
    int i = mixed(0.1, &p);
    *loss += row[i], change(i, -eta * (row[i] + laplace(1.0)) / p);
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

/* A loop for each learner, so that the compiler can write its round into the loop. */
#define PLAY(NAME, ROUND) \
    if (strcmp(argv[1], NAME) == 0) \
        for (long round = 0; round < rounds; round++) ROUND(table + (round & (rows - 1)) * K, &loss);

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    long rows = atol(argv[3]), rounds = atol(argv[5]), repetitions = atol(argv[6]);
    K = atoi(argv[4]), T = (double)rounds;
    for (leaves = 1; leaves < K;) leaves *= 2;
    size_t size = (size_t)rows * (size_t)K;
    double *table = malloc(sizeof(double) * size);
    w = malloc(sizeof(double) * (size_t)K), L = malloc(sizeof(double) * (size_t)K), n = malloc(sizeof(double) * (size_t)K);
    tree = malloc(sizeof(double) * 2 * (size_t)leaves);
    FILE *file = fopen(argv[2], "rb");
    if (!table || !w || !L || !n || !tree || !file || fread(table, sizeof(double), size, file) != size) return 2;
    uint64_t seed = 1;
    for (int j = 0; j < 4; j++)
        for (int k = 0; k < SIDE; k++) {
            uint64_t z = seed += 0x9e3779b97f4a7c15;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9, z = (z ^ (z >> 27)) * 0x94d049bb133111eb, state[j][k] = z ^ (z >> 31);
        }
    for (long repetition = 0; repetition < repetitions; repetition++) {
        double loss = 0.0;
        W = K, reference = s = t = 0.0;
        for (int i = 0; i < K; i++) w[i] = 1.0, L[i] = n[i] = 0.0;
        grow();
        double start = now();
        PLAY("exp3", losses)
        PLAY("exp3-noise", noisy)
        PLAY("exp3-gain", gain)
        PLAY("exp3-ix", implicit)
        PLAY("exp3-p", bonus)
        PLAY("tsallis-inf", tsallis)
        PLAY("htinf", heavy)
        PLAY("ucb", ucb)
        PLAY("kl-ucb", klucb)
        PLAY("ftpl", perturbed)
        double spent = now() - start;
        if (repetition == 0) printf("%.9f", loss / T);
        printf(" %.4f", spent / T * 1e9);
    }
    printf("\n");
    return 0;
}
