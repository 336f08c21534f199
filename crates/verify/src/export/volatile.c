
/* Volatile objects: before each read of one the compiler calls a function, as it does for thread sanitizers. The function
   stores what the run reads. All other accesses are left alone. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LARIAT_SEES_READS
#endif
#elif defined(__SANITIZE_THREAD__)
#define LARIAT_SEES_READS
#endif
#ifndef LARIAT_SEES_READS
#error this run reads volatile objects: compile as the comment at the top of this file says
#endif

static int lariat_volatile_at(const char *at);

static void lariat_volatile_read(void *at, int size) {
    int call = lariat_call(lariat_volatile_at(at), 1);
    long long value = lariat_calls[call].result;
    switch (size) {
    case 1: *(char *)at = (char)value; break;
    case 2: *(short *)at = (short)value; break;
    case 4: *(int *)at = (int)value; break;
    default: *(long long *)at = value; break;
    }
}

#define LARIAT_HOOK LARIAT_PLAIN void
#define LARIAT_HOOKS(size) \
    LARIAT_HOOK __tsan_read##size(void *at) { (void)at; } \
    LARIAT_HOOK __tsan_write##size(void *at) { (void)at; } \
    LARIAT_HOOK __tsan_unaligned_read##size(void *at) { (void)at; } \
    LARIAT_HOOK __tsan_unaligned_write##size(void *at) { (void)at; } \
    LARIAT_HOOK __tsan_volatile_read##size(void *at) { lariat_volatile_read(at, size); } \
    LARIAT_HOOK __tsan_volatile_write##size(void *at) { (void)at; } \
    LARIAT_HOOK __tsan_unaligned_volatile_read##size(void *at) { lariat_volatile_read(at, size); } \
    LARIAT_HOOK __tsan_unaligned_volatile_write##size(void *at) { (void)at; }
LARIAT_HOOKS(1)
LARIAT_HOOKS(2)
LARIAT_HOOKS(4)
LARIAT_HOOKS(8)
LARIAT_HOOKS(16)
LARIAT_HOOK __tsan_read_range(void *at, unsigned long size) { (void)at; (void)size; }
LARIAT_HOOK __tsan_write_range(void *at, unsigned long size) { (void)at; (void)size; }
LARIAT_HOOK __tsan_init(void) {}
LARIAT_HOOK __tsan_func_entry(void *at) { (void)at; }
LARIAT_HOOK __tsan_func_exit(void) {}
