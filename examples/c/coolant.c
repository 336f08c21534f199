// Keeps a reactor cool: reads a sensor, runs a pump with hysteresis, and raises an alarm that an
// operator acknowledges. One round of the loop is one cycle of the controller.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

enum { LOW = 40, HIGH = 60, LIMIT = 80 };

int temperature = 50;
int pump = 0;
int alarm = 0;
int hot_cycles = 0;

static void control(void) {
    if (temperature > HIGH) pump = 1;
    if (temperature < LOW) pump = 0;
}

static void watch(_Bool acknowledged) {
    if (temperature > LIMIT) {
        if (hot_cycles < 3) hot_cycles++;
        // A single hot reading may be noise.
        if (hot_cycles == 3) alarm = 1;
    } else {
        hot_cycles = 0;
        if (acknowledged) alarm = 0;
    }
}

int main(void) {
    while (1) {
        temperature = __VERIFIER_nondet_uchar();
        control();
        watch(__VERIFIER_nondet_bool());
    }
}

//@ ltl invariant pumps_when_hot: [](AP(temperature > 60) ==> <>AP(pump == 1 || temperature <= 60));
//@ ltl invariant cools_alarm: [](AP(alarm == 1) ==> <>AP(pump == 1));
//@ ltl invariant alarm_ends: [](AP(alarm == 1) ==> <>AP(alarm == 0));
