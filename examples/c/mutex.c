// Peterson's algorithm for two processes, interleaved in one loop: in each round a scheduler lets one
// of them take a step.
extern _Bool __VERIFIER_nondet_bool(void);

enum Place { IDLE, WANTS, WAITS, CRITICAL };

_Bool flag[2];
int turn = 0;
enum Place at0 = IDLE;
enum Place at1 = IDLE;
_Bool who = 0;

static enum Place step(enum Place at, int me) {
    int other = 1 - me;
    switch (at) {
    case IDLE:
        return __VERIFIER_nondet_bool() ? WANTS : IDLE;
    case WANTS:
        flag[me] = 1;
        turn = other;
        return WAITS;
    case WAITS:
        return flag[other] && turn == other ? WAITS : CRITICAL;
    case CRITICAL:
        flag[me] = 0;
        return IDLE;
    }
    return at;
}

int main(void) {
    while (1) {
        who = __VERIFIER_nondet_bool();
        if (who)
            at1 = step(at1, 1);
        else
            at0 = step(at0, 0);
        __VERIFIER_ltl_step();
    }
}

//@ ltl invariant exclusive: [](AP(!(at0 == CRITICAL && at1 == CRITICAL)));
//@ ltl invariant fair_progress: ([]<>AP(who == 0) && []<>AP(who == 1)) ==> [](AP(at0 == WAITS) ==> <>AP(at0 == CRITICAL));
//@ ltl invariant progress: [](AP(at0 == WAITS) ==> <>AP(at0 == CRITICAL));
