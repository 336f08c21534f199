// Counts down from a number that is not known.
// Every run ends: x gets smaller with each round, and the loop stops at 0. No finite unrolling shows that.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0) {
        x = x - 1;
    }
    return 0;
}
