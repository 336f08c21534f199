// Counts a number down again and again; y falls when the count comes near its end.
// That the inner loop ends for every number that is drawn needs a ranking argument: x gets smaller.
extern int __VERIFIER_nondet_int(void);

int x;
int y = 1;

int main(void) {
    while (1) {
        x = __VERIFIER_nondet_int();
        y = 1;
        while (x > 0) {
            x--;
            if (x <= 1) y = 0;
        }
    }
}

//@ ltl invariant falls: [](AP(x > 0) ==> <>AP(y == 0));
//@ ltl invariant falls_again_and_again: []<>AP(y == 0);
