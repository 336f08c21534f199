// Sends a message over a channel that loses some. Each message is tried at most MAX times; then the
// sender gives up and says so.
extern _Bool __VERIFIER_nondet_bool(void);

#define MAX 3

int tries = 0;
int sent = 0;      // a message is under way
int delivered = 0; // the last message arrived
int failed = 0;    // the sender gave up

static _Bool transmit(void) {
    tries++;
    return __VERIFIER_nondet_bool();
}

int main(void) {
    for (;;) {
        tries = 0;
        delivered = 0;
        failed = 0;
        sent = 1;
        do {
            if (transmit()) {
                delivered = 1;
                break;
            }
        } while (tries < MAX);
        if (!delivered) failed = 1;
        sent = 0;
    }
}

//@ ltl invariant bounded: [](AP(tries <= MAX));
//@ ltl invariant ends: [](AP(sent == 1) ==> <>AP(sent == 0));
//@ ltl invariant one_of_both: [](AP(sent == 1) ==> <>AP(delivered == 1 || failed == 1));
//@ ltl invariant delivers: []<>AP(delivered == 1);
