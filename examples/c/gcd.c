// The greatest common divisor by subtraction, for two small numbers. It ends, unless one of them is zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

unsigned a, b;
unsigned x, y;

int main(void) {
    a = __VERIFIER_nondet_uchar() % 13;
    b = __VERIFIER_nondet_uchar() % 13;
    x = a;
    y = b;
    while (x != y) {
        if (x > y)
            x -= y;
        else
            y -= x;
    }
    return 0;
}

//@ ltl invariant ends: <>AP(end);
//@ ltl invariant ends_if_positive: <>[]AP(a > 0 && b > 0) ==> <>AP(end);
