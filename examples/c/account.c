// An account that must not be overdrawn. The fee of a withdrawal is taken without a look at what is left.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

enum { FEE = 1, MAX = 200 };

int balance = 0;

static void deposit(unsigned char amount) {
    if (balance + amount <= MAX) balance += amount;
}

static void withdraw(unsigned char amount) {
    if (amount == 0 || balance < amount) return;
    balance -= amount;
    balance -= FEE;
}

int main(void) {
    while (1) {
        unsigned char amount = __VERIFIER_nondet_uchar();
        if (__VERIFIER_nondet_bool())
            deposit(amount);
        else
            withdraw(amount);
        if (balance < 0) reach_error();
    }
}
