// A debouncer as PLCs have it: the output follows the raw input after it was steady for STEADY scans.
extern _Bool __VERIFIER_nondet_bool(void);

enum { STEADY = 3 };

_Bool raw = 0;
_Bool out = 0;
int steady = 0;

int main(void) {
    while (1) {
        _Bool next = __VERIFIER_nondet_bool();
        if (next == raw) {
            if (steady < STEADY) steady++;
        } else {
            steady = 0;
        }
        raw = next;
        if (steady >= STEADY) out = raw;
        __VERIFIER_ltl_step();
    }
}

//@ ltl invariant follows: [](([]AP(raw)) ==> <>AP(out));
//@ ltl invariant never_early: [](AP(out != raw && steady < 3) ==> (X AP(steady < 3) || X AP(out == raw)));
//@ ltl invariant in_range: [](AP(steady >= 0 && steady <= STEADY));
//@ ltl invariant at_once: [](AP(raw) ==> X AP(out));
