// A speed that changes all the time: x first rises, then falls faster and faster.
// The loop ends in phases. While the speed v is positive, v itself gets smaller; once it is negative, x does.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int v = __VERIFIER_nondet_int();
    while (x > 0) {
        x = x + v;
        v = v - 1;
    }
    return 0;
}
