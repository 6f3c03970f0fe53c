/* See shim.rs. A fault is on while its file exists in the folder IRIS_TEST_FAULTS names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int fault(const char *name, char *value, size_t size) {
    const char *folder = getenv("IRIS_TEST_FAULTS");
    char path[1024];
    if (!folder) return 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!value) return access(path, F_OK) == 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t count = read(fd, value, size - 1);
    close(fd);
    value[count > 0 ? count : 0] = 0;
    return 1;
}

/* Only the database: a test still wants to read the log. */
static int is_in(int fd, const char *place) {
    char link[64], path[1024];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count <= 0) return 0;
    path[count] = 0;
    return strstr(path, place) != NULL;
}

static int is_database(int fd) {
    return is_in(fd, "/data/iris.db");
}

static int fails(int fd, const char *name, int error) {
    if (!fault(name, NULL, 0) || !is_database(fd)) return 0;
    errno = error;
    return 1;
}

/* The process is killed before it syncs the database, or a copy of it, for the so many-th time. */
static void dies(int fd) {
    static int count;
    char value[64];
    if (fault("kill", value, sizeof value) && is_in(fd, "/data/") && ++count == atoi(value)) kill(getpid(), SIGKILL);
}

/* A disk that takes its time: as long as the file is there. */
static void waits(int fd) {
    while (fault("hold", NULL, 0) && is_database(fd)) usleep(1000);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    dies(fd);
    waits(fd);
    return fails(fd, "sync", EIO) ? -1 : real(fd);
}

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    dies(fd);
    waits(fd);
    return fails(fd, "sync", EIO) ? -1 : real(fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    return fails(fd, "full", ENOSPC) ? -1 : real(fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite");
    return fails(fd, "full", ENOSPC) ? -1 : real(fd, bytes, count, offset);
}

/* No room is left, as far as anybody asks. */
int statvfs(const char *path, struct statvfs *found) {
    static int (*real)(const char *, struct statvfs *);
    if (!real) real = dlsym(RTLD_NEXT, "statvfs");
    int result = real(path, found);
    if (fault("no-room", NULL, 0)) found->f_bavail = 0;
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    char value[64];
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    if (clock == CLOCK_REALTIME && fault("clock", value, sizeof value)) now->tv_sec += atol(value);
    // While a machine sleeps these two go on, and the one that programs wait by does not.
    if ((clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME) && fault("asleep", value, sizeof value))
        now->tv_sec += atol(value);
    return result;
}
