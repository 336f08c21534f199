extern int __VERIFIER_nondet_int(void);
int level;
int pump;
int main(void) {
  while (1) {
    level = __VERIFIER_nondet_int();
    pump = level > 10;
  }
}
