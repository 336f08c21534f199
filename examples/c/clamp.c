// Clamps a sum to a range and asserts the result. `clamp` forgets one case: a sum that is exactly
// one more than the largest value.
#include <assert.h>

extern short __VERIFIER_nondet_short(void);

enum { LEAST = -100, MOST = 100 };

int result = 0;

static int clamp(int value) {
    if (value < LEAST) return LEAST;
    if (value > MOST + 1) return MOST;
    return value;
}

int main(void) {
    short a = __VERIFIER_nondet_short();
    short b = __VERIFIER_nondet_short();
    result = clamp(a + b);
    assert(result >= LEAST);
    assert(result <= MOST);
    return 0;
}
