/* The program is followed from call to call. Calls of one step of the run form a group: C leaves open in which order
   some of them are made. Nothing is included, and the functions of the library have names of our own: the program may
   have its own ideas of them. */
#define LARIAT_STRING_(text) #text
#define LARIAT_STRING(text) LARIAT_STRING_(text)
#define LARIAT_NAME(name) __asm__(LARIAT_STRING(__USER_LABEL_PREFIX__) name)

extern int lariat_print(int file, const char *format, ...) LARIAT_NAME("dprintf");
extern void lariat_exit(int status) LARIAT_NAME("_exit");
extern int lariat_at_exit(void (*function)(void)) LARIAT_NAME("atexit");
extern void (*lariat_signal(int number, void (*handler)(int)))(int) LARIAT_NAME("signal");
extern int lariat_set_timer(int which, const long *time, long *old) LARIAT_NAME("setitimer");

enum { LARIAT_AT_LAST_CALL, LARIAT_AT_END, LARIAT_RUNNING, LARIAT_ANYHOW };
enum { LARIAT_ABORT = 6, LARIAT_ALARM = 26, LARIAT_CPU_TIME = 1 };

/* What compilers add to the program for the sake of volatile objects is not added here. */
#define LARIAT_PLAIN __attribute__((no_sanitize("thread")))

static long long lariat_read(int variable);
static int lariat_n_calls, lariat_next, lariat_change;
static char lariat_made[LARIAT_CALLS + 1], lariat_known[LARIAT_VARIABLES + 1];
static long long lariat_expected[LARIAT_VARIABLES + 1];

static void lariat_fail(const char *what) {
    lariat_print(1, "not as in the counterexample, after %d of %d places: %s\n", lariat_n_calls, LARIAT_PLACES, what);
    lariat_exit(1);
}

static void lariat_succeed(void) {
    lariat_print(1, "as in the counterexample: %d places\n", LARIAT_PLACES);
    lariat_exit(0);
}

/* Only the time that the program itself takes counts: it may be stopped in a debugger. */
static void lariat_run_for(long seconds) {
    long time[4] = { 0, 0, 0, 0 };
    time[2] = seconds;
    lariat_set_timer(LARIAT_CPU_TIME, time, 0);
}

static void lariat_compare(int group) {
    int i;
    for (; lariat_changes[lariat_change].group >= 0 && lariat_changes[lariat_change].group <= group; lariat_change++) {
        i = lariat_changes[lariat_change].variable;
        lariat_known[i] = lariat_changes[lariat_change].known;
        lariat_expected[i] = lariat_changes[lariat_change].value;
    }
    for (i = 0; i < LARIAT_VARIABLES; i++) {
        if (lariat_known[i] && lariat_read(i) != lariat_expected[i]) {
            lariat_print(1, "%s is %lld, not %lld\n", lariat_names[i], lariat_read(i), lariat_expected[i]);
            lariat_fail("a value differs");
        }
    }
}

/* The program ends: it returns, exits, aborts or calls an error function. */
static void lariat_end(void) {
    if (lariat_next < LARIAT_CALLS || LARIAT_ENDING == LARIAT_RUNNING) lariat_fail("the program ends");
    if (LARIAT_ENDING == LARIAT_AT_END) lariat_compare(LARIAT_GROUPS);
    lariat_succeed();
}

static void lariat_on_signal(int number) {
    if (number == LARIAT_ABORT) lariat_end();
    if (lariat_next < LARIAT_CALLS || LARIAT_ENDING == LARIAT_AT_END) lariat_fail("the program goes on without an input");
    if (LARIAT_ENDING == LARIAT_RUNNING) lariat_compare(LARIAT_GROUPS);
    lariat_succeed();
}

static void lariat_wait(void) {
    int is_last = lariat_next == LARIAT_CALLS;
    lariat_run_for(is_last && LARIAT_ENDING != LARIAT_AT_END ? 1 : 10);
}

/* The call of the run that the program makes now; -1 if it is one that no run knows of. */
static int lariat_call(int function, int is_always_known) {
    int i = lariat_next;
    while (i < LARIAT_CALLS && lariat_calls[i].group == lariat_calls[lariat_next].group) {
        if (!lariat_made[i] && lariat_calls[i].function == function) break;
        i++;
    }
    if (i == LARIAT_CALLS || lariat_calls[i].group != lariat_calls[lariat_next].group) {
        if (!is_always_known) return -1;
        if (lariat_next < LARIAT_CALLS) lariat_fail("another way is taken");
        if (LARIAT_ENDING != LARIAT_ANYHOW) lariat_fail("the program goes on");
        lariat_succeed();
    }
    lariat_compare(lariat_calls[i].group);
    lariat_made[i] = 1;
    lariat_n_calls++;
    while (lariat_next < LARIAT_CALLS && lariat_made[lariat_next]) lariat_next++;
    if (lariat_next == LARIAT_CALLS && LARIAT_ENDING == LARIAT_AT_LAST_CALL) lariat_succeed();
    lariat_wait();
    return i;
}

/* Stores what a call of the run stores where an argument points to. */
static void lariat_store(int call, int argument, void *to) {
    int i;
    for (i = 0; lariat_stores[i].call >= 0; i++) {
        if (lariat_stores[i].call != call || lariat_stores[i].argument != argument) continue;
        switch (lariat_stores[i].bits) {
        case 1: *(_Bool *)to = lariat_stores[i].value != 0; break;
        case 8: *(char *)to = (char)lariat_stores[i].value; break;
        case 16: *(short *)to = (short)lariat_stores[i].value; break;
        case 32: *(int *)to = (int)lariat_stores[i].value; break;
        default: *(long long *)to = lariat_stores[i].value; break;
        }
    }
}

static void lariat_start_externs(void);

__attribute__((constructor)) static void lariat_start(void) {
    lariat_at_exit(lariat_end);
    lariat_signal(LARIAT_ABORT, lariat_on_signal);
    lariat_signal(LARIAT_ALARM, lariat_on_signal);
    lariat_start_externs();
    lariat_wait();
}
