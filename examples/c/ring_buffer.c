// A ring buffer in an array. A value that is put in comes out again, if the reader goes on reading.
extern _Bool __VERIFIER_nondet_bool(void);

enum { SIZE = 3 };

unsigned char cells[SIZE];
unsigned head = 0;
unsigned count = 0;
unsigned char put = 0; // what was put in last: 0 none
unsigned char got = 0; // what was taken out last: 0 none

static _Bool push(unsigned char value) {
    if (count == SIZE) return 0;
    cells[(head + count) % SIZE] = value;
    count++;
    return 1;
}

static _Bool pop(unsigned char *value) {
    if (count == 0) return 0;
    *value = cells[head];
    head = (head + 1) % SIZE;
    count--;
    return 1;
}

int main(void) {
    while (1) {
        put = 0;
        got = 0;
        if (__VERIFIER_nondet_bool()) {
            unsigned char value = __VERIFIER_nondet_bool() ? 2 : 1;
            if (push(value)) put = value;
        } else {
            pop(&got);
        }
        __VERIFIER_ltl_step();
    }
}

//@ ltl invariant bounded: [](AP(count <= SIZE && head < SIZE));
//@ ltl invariant comes_out: ([]<>AP(got != 0)) ==> [](AP(put == 2) ==> <>AP(got == 2));
//@ ltl invariant comes_out_anyway: [](AP(put == 2) ==> <>AP(got == 2));
//@ ltl invariant never_full: [](AP(count < SIZE));
