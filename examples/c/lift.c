// A lift with four floors. Calls are remembered; the door opens where there is one; the lift turns
// round when nothing is left ahead. Somebody who presses the button of an open door again and again
// keeps the lift there.
extern _Bool __VERIFIER_nondet_bool(void);

enum { FLOORS = 4 };

_Bool call[FLOORS];
int floor_ = 0;
int up = 1;
int open = 0;

static int ahead(void) {
    for (int i = 0; i < FLOORS; i++) {
        if (call[i] && (up ? i > floor_ : i < floor_)) return 1;
    }
    return 0;
}

static void press(void) {
    for (int i = 0; i < FLOORS; i++) {
        if (__VERIFIER_nondet_bool()) call[i] = 1;
    }
}

int main(void) {
    while (1) {
        press();
        open = 0;
        if (call[floor_]) {
            open = 1;
            call[floor_] = 0;
        } else if (ahead()) {
            floor_ += up ? 1 : -1;
        } else {
            up = !up;
        }
        __VERIFIER_ltl_step();
    }
}

//@ ltl invariant stays_in_house: [](AP(floor_ >= 0 && floor_ < 4));
//@ ltl invariant serves_top: [](AP(call[3]) ==> <>AP(floor_ == 3 && open == 1));
//@ ltl invariant serves_top_if_let_go: ([]<>AP(open == 0)) ==> [](AP(call[3]) ==> <>AP(floor_ == 3 && open == 1));
//@ ltl invariant visits_top: []<>AP(floor_ == 3);
