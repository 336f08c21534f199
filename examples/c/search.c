// Binary search between two bounds, and a version with the mistake that many have made.
// lo + (hi - lo) / 2 never reaches hi, so `lo = middle` may leave the bounds as they are: the search hangs.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int lo = 0;
    int hi = __VERIFIER_nondet_int();
    if (hi < 1 || hi > 1000000) return 0;
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        if (__VERIFIER_nondet_int()) lo = middle;
        else hi = middle;
    }
    return 0;
}
