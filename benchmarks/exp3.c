/* EXP3 on a table of losses, one weight updated a round: what a compiled loop can reach.
   Usage: exp3 TABLE ROUNDS ARMS RATE MIXING NOISE REPETITIONS; prints the mean loss, then ns a round of each repetition. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state[4] = {1, 2, 3, 4}; /* xoshiro256++ */

static inline uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline double uniform(void) {
    uint64_t result = rotate(state[0] + state[3], 23) + state[0], t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate(state[3], 45);
    return (double)(result >> 11) * 0x1.0p-53;
}

static double laplace(double scale) {
    double u = uniform();
    return u < 0.5 ? scale * log(2.0 * u + 1e-300) : -scale * log(2.0 - 2.0 * u);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 8) return 2;
    long rounds = atol(argv[2]);
    int arms = atoi(argv[3]), repetitions = atoi(argv[7]);
    double rate = atof(argv[4]), mixing = atof(argv[5]), noise = atof(argv[6]);
    double *table = malloc(sizeof(double) * (size_t)rounds * (size_t)arms);
    double *weights = malloc(sizeof(double) * (size_t)arms), *logs = malloc(sizeof(double) * (size_t)arms);
    FILE *file = fopen(argv[1], "rb");
    if (!table || !weights || !logs || !file) return 2;
    if (fread(table, sizeof(double), (size_t)rounds * (size_t)arms, file) != (size_t)rounds * (size_t)arms) return 2;
    fclose(file);
    for (int repetition = 0; repetition < repetitions; repetition++) {
        double total = arms, reference = 0.0, loss = 0.0, start = now();
        for (int i = 0; i < arms; i++) weights[i] = 1.0, logs[i] = 0.0;
        for (long t = 0; t < rounds; t++) {
            double u = uniform();
            int arm = 0;
            if (u < mixing) {
                arm = (int)(u / mixing * arms);
            } else {
                double left = (u - mixing) / (1.0 - mixing) * total - weights[0];
                while (left >= 0.0 && arm < arms - 1) left -= weights[++arm];
            }
            double p = (1.0 - mixing) * weights[arm] / total + mixing / arms;
            double seen = table[t * arms + arm];
            loss += seen;
            if (noise > 0.0) seen += laplace(noise);
            logs[arm] -= rate * seen / p;
            double weight = exp(logs[arm] - reference);
            total += weight - weights[arm];
            weights[arm] = weight;
            if (!(total > 0.25 && total < 4.0 * arms)) {
                reference = logs[0];
                for (int i = 1; i < arms; i++)
                    if (logs[i] > reference) reference = logs[i];
                total = 0.0;
                for (int i = 0; i < arms; i++) total += weights[i] = exp(logs[i] - reference);
            }
        }
        if (repetition == 0) printf("%.9f", loss / (double)rounds);
        printf(" %.4f", (now() - start) / (double)rounds * 1e9);
    }
    printf("\n");
    return 0;
}
