/*
 * Loaded in front of the C library, makes each sync of one file fail with EIO while a trigger file exists.
 *
 *   FAIL_SYNC_OF     the end of that file's path
 *   FAIL_SYNC_WHILE  the trigger
 *   FAIL_SYNC_LOSES  if set, what was written since the last sync that did not fail is gone, as when the kernel drops pages that it could
 *                    not write; only for a file that grows
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES 4096

static off_t synced[MAX_FILES];

static int is_the_one(int fd) {
    const char *end = getenv("FAIL_SYNC_OF");
    char link[64];
    char path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path);
    size_t wanted = end == NULL ? 0 : strlen(end);
    return wanted > 0 && fd < MAX_FILES && length >= (ssize_t) wanted
        && memcmp(path + length - wanted, end, wanted) == 0;
}

static int struck(int fd) {
    const char *trigger = getenv("FAIL_SYNC_WHILE");
    if (trigger == NULL || access(trigger, F_OK) != 0) {
        return 0;
    }
    if (getenv("FAIL_SYNC_LOSES") != NULL && ftruncate(fd, synced[fd]) != 0) {
        abort();
    }
    static const char told[] = "a sync was made to fail\n";
    if (write(STDERR_FILENO, told, sizeof told - 1) < 0) {
        abort();
    }
    errno = EIO;
    return 1;
}

static int sync_or_fail(int fd, const char *name) {
    int (*real)(int) = (int (*)(int)) dlsym(RTLD_NEXT, name);
    int watched = is_the_one(fd);
    if (watched && struck(fd)) {
        return -1;
    }
    int result = real(fd);
    struct stat now;
    if (watched && result == 0 && fstat(fd, &now) == 0) {
        synced[fd] = now.st_size;
    }
    return result;
}

int fsync(int fd) {
    return sync_or_fail(fd, "fsync");
}

int fdatasync(int fd) {
    return sync_or_fail(fd, "fdatasync");
}
