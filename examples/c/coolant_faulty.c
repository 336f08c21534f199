// Watches the temperature of a reactor. A reading above the limit raises an alarm, and the horn sounds
// until the operator presses a button. The press is remembered until there is an alarm to end.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

enum { LIMIT = 80 };

unsigned char temperature;
_Bool pressed;
_Bool alarm;
_Bool horn;

static void watch(void) {
    if (temperature > LIMIT) alarm = 1;
    if (alarm && pressed) {
        alarm = 0;
        pressed = 0;
    }
}

int main(void) {
    while (1) {
        temperature = __VERIFIER_nondet_uchar();
        if (__VERIFIER_nondet_bool()) pressed = 1;
        watch();
        horn = alarm;
    }
}

//@ ltl invariant sounds: [](AP(temperature > LIMIT) ==> <>AP(horn));
//@ ltl invariant silent_at_first: AP(!horn) WU AP(temperature > LIMIT);
