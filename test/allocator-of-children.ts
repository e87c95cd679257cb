/**
 * Environment of the processes that tests start, for glibc. Page faults are most of what the first database of a process
 * costs: huge pages and room ahead of need make its creation five times as fast. Workers live long and gain nothing.
 */
process.env.GLIBC_TUNABLES ??= 'glibc.malloc.hugetlb=1';
process.env.MALLOC_TOP_PAD_ ??= String(16 * 1024 * 1024);
process.env.MALLOC_TRIM_THRESHOLD_ ??= String(256 * 1024 * 1024);
