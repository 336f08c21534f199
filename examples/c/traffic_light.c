// The light of a pedestrian crossing. Cars have green until somebody presses the button, and for
// MIN_GREEN ticks at least; pedestrians then get WALK ticks.
extern _Bool __VERIFIER_nondet_bool(void);

enum Phase { CARS, YELLOW, WALKERS, CLEARING };
enum { MIN_GREEN = 4, WALK = 3 };

enum Phase phase = CARS;
unsigned char ticks = 0;
_Bool waiting = 0;
_Bool cars_green = 1;
_Bool walk = 0;

static void enter(enum Phase next) {
    phase = next;
    ticks = 0;
    cars_green = 0;
    walk = 0;
    if (next == CARS) cars_green = 1;
    if (next == WALKERS) {
        walk = 1;
        waiting = 0;
    }
}

int main(void) {
    while (1) {
        if (__VERIFIER_nondet_bool()) waiting = 1;
        if (ticks < 10) ticks++;
        switch (phase) {
        case CARS:
            if (waiting && ticks >= MIN_GREEN) enter(YELLOW);
            break;
        case YELLOW:
            enter(WALKERS);
            break;
        case WALKERS:
            if (ticks >= WALK) enter(CLEARING);
            break;
        case CLEARING:
            enter(CARS);
            break;
        }
    }
}

//@ ltl invariant never_both: [](AP(!(cars_green && walk)));
//@ ltl invariant served: [](AP(waiting) ==> <>AP(walk));
//@ ltl invariant cars_go_on: []<>AP(cars_green);
//@ ltl invariant always_walkers: []<>AP(walk);
