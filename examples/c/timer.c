// Two timers of one kind, as structs that a function advances through a pointer. The first runs once,
// the second again and again.
extern _Bool __VERIFIER_nondet_bool(void);

struct timer {
    unsigned left;
    unsigned period;
    _Bool running;
    _Bool fired;
};

struct timer once = { 0, 0, 0, 0 };
struct timer cyclic = { 4, 4, 1, 0 };

static void start(struct timer *t, unsigned delay) {
    t->left = delay;
    t->running = 1;
}

static void tick(struct timer *t) {
    t->fired = 0;
    if (!t->running) return;
    if (t->left > 0) t->left--;
    if (t->left == 0) {
        t->fired = 1;
        if (t->period > 0)
            t->left = t->period;
        else
            t->running = 0;
    }
}

int main(void) {
    while (1) {
        if (__VERIFIER_nondet_bool()) start(&once, 5);
        tick(&once);
        tick(&cyclic);
        __VERIFIER_ltl_step();
    }
}

//@ ltl invariant cyclic_fires: []<>AP(cyclic.fired);
//@ ltl invariant once_fires: [](AP(once.running) ==> <>AP(once.fired));
//@ ltl invariant left_in_range: [](AP(once.left <= 5 && cyclic.left <= 4));
//@ ltl invariant fired_stops: [](AP(once.fired) ==> AP(!once.running));
