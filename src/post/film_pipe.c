// SPDX-License-Identifier: MIT
// ffmpeg as a child process. A pair of sockets in place of a pipe, since writing to one that is
// closed gives an error and no signal. It has a process group of its own: Ctrl-C is ours to handle.
#include "post/film_run_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct film_pipe {
    pid_t child;
    int   to;   // its standard input
    int   said; // its standard error, a file in memory
};

// The last line the program said; what it says first is often only a consequence.
static void last_words(int said, char* out, size_t capacity) {
    char    text[4096];
    off_t   all = lseek(said, 0, SEEK_END), from = all > (off_t)sizeof text - 1 ? all - (off_t)sizeof text + 1 : 0;
    ssize_t size = pread(said, text, sizeof text - 1, from);
    out[0]       = 0;
    if (size <= 0) return;
    text[size] = 0;
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) text[--size] = 0;
    const char* line = strrchr(text, '\n');
    snprintf(out, capacity, ": %.400s", line ? line + 1 : text);
}

static shoal_status start(const char* const* arguments, film_pipe* p, int from) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, p->said, STDERR_FILENO);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    int error = posix_spawnp(&p->child, arguments[0], &files, &how, (char* const*)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (error == 0) return SHOAL_OK;
    p->child = -1;
    if (error == ENOENT)
        return shoal_fail(SHOAL_ERR_OUTPUT,
                          "%s is not installed, so there is no film; the pictures are kept. Install "
                          "it (apt-get install ffmpeg), then the film can be made of them",
                          arguments[0]);
    return shoal_fail(SHOAL_ERR_OUTPUT, "%s: cannot be started: %s", arguments[0], strerror(error));
}

shoal_status film_pipe_open(const char* const* arguments, film_pipe** out) {
    int ends[2]  = {-1, -1};
    *out         = NULL;
    film_pipe* p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_ERR_MEMORY;
    p->child            = -1;
    p->said             = memfd_create("shoal film", MFD_CLOEXEC);
    shoal_status status = SHOAL_OK;
    if (p->said < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        status = shoal_fail(SHOAL_ERR_OUTPUT, "no way to ffmpeg: %s", strerror(errno));
    p->to = ends[0];
    if (status == SHOAL_OK) status = start(arguments, p, ends[1]);
    if (ends[1] >= 0) close(ends[1]);
    if (status == SHOAL_OK) {
        shutdown(p->to, SHUT_RD);
        *out = p;
        return SHOAL_OK;
    }
    if (p->to >= 0) close(p->to);
    if (p->said >= 0) close(p->said);
    shoal_free(p);
    return status;
}

shoal_status film_pipe_put(film_pipe* pipe, const void* bytes, size_t size) {
    const char* at = bytes;
    while (size > 0) {
        ssize_t sent = send(pipe->to, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return shoal_fail(SHOAL_ERR_OUTPUT, "ffmpeg ended too soon"); // close tells more
        at += sent;
        size -= (size_t)sent;
    }
    return SHOAL_OK;
}

shoal_status film_pipe_close(film_pipe* pipe, bool is_whole) {
    int  code = -1;
    char words[512];
    if (!is_whole) kill(pipe->child, SIGKILL);
    close(pipe->to);
    while (waitpid(pipe->child, &code, 0) < 0 && errno == EINTR) {
    }
    last_words(pipe->said, words, sizeof words);
    close(pipe->said);
    shoal_free(pipe);
    if (!is_whole || (WIFEXITED(code) && WEXITSTATUS(code) == 0)) return SHOAL_OK;
    return shoal_fail(SHOAL_ERR_OUTPUT, "ffmpeg failed%s; the pictures are kept", words);
}
