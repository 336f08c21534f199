// Two counters: the second is drawn anew whenever the first falls.
// No single number gets smaller in every round, but the pair (x, y) does in the order of a dictionary.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x > 0 && y > 0) {
        if (__VERIFIER_nondet_int()) {
            x = x - 1;
            y = __VERIFIER_nondet_int();
        } else {
            y = y - 1;
        }
    }
    return 0;
}
