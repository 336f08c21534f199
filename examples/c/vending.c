// A vending machine as a state machine with fall-through: coins of 1 and 2, a drink for 3, and money
// back on request.
extern unsigned char __VERIFIER_nondet_uchar(void);

enum State { EMPTY, ONE, TWO, SERVE };
enum Event { COIN1, COIN2, CANCEL, NOTHING };

enum State state = EMPTY;
enum Event event = NOTHING;
unsigned returned = 0;
_Bool drink = 0;

int main(void) {
    while (1) {
        drink = 0;
        returned = 0;
        event = __VERIFIER_nondet_uchar() % 4;
        switch (event) {
        case COIN2:
            if (state == SERVE) {
                returned = 2;
                break;
            }
            state++;
            // The second unit of the coin.
        case COIN1:
            if (state == SERVE)
                returned++;
            else
                state++;
            break;
        case CANCEL:
            if (state != SERVE) {
                returned = state;
                state = EMPTY;
            }
            break;
        default:
            if (state == SERVE) {
                drink = 1;
                state = EMPTY;
            }
        }
    }
}

//@ ltl invariant no_free_drink: [](AP(drink) ==> AP(returned == 0));
//@ ltl invariant at_most_two_back: [](AP(returned <= 2));
//@ ltl invariant served: [](AP(state == SERVE) ==> <>AP(drink));
//@ ltl invariant served_when_left_alone: ([]<>AP(event == NOTHING)) ==> [](AP(state == SERVE) ==> <>AP(drink));
