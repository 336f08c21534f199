typedef enum { ST_IDLE, ST_RUN, ST_FAULT } state_t;
extern int hal_button(int i);
extern int hal_level(void);
state_t state = ST_IDLE;
int request[4];
int level;
int timer;
int main(void) {
  for (;;) {
    int i;
    for (i = 0; i < 4; i++) {
      if (hal_button(i)) request[i] = 1;
    }
    level = hal_level();
    switch (state) {
    case ST_IDLE: if (request[2] && level > 42) { state = ST_RUN; timer = 0; } break;
    case ST_RUN: if (++timer >= 5) state = ST_FAULT; break;
    default: state = ST_FAULT;
    }
    __VERIFIER_ltl_step();
  }
}
