// A robot follows the edge of a dark line with one light sensor, in the style of NQC: over the line it turns right, beside it left,
// and in between it goes on as before.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

enum { DARK = 40, BRIGHT = 60 };

int light = 50;
_Bool right = 0;

static int sensor(void) {
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value >= 0 && value <= 100);
    return value;
}

int main(void) {
    while (1) {
        light = sensor();
        if (light < DARK)
            right = 1;
        else if (light > BRIGHT)
            right = 0;
    }
}
