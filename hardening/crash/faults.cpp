// A layer between a program and the system that breaks things on demand (LD_PRELOAD).
//
// faults_arm() says what goes wrong and at which call. Calls count if they change a file below a
// folder or standard output, or read one, or allocate memory, depending on the kind. For power cuts
// the layer keeps what would be on the disk: a copy of each file at its last fsync, and of each
// directory's names.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

namespace {

enum Kind { none, count, die, full, broken_write, broken_read, short_io, no_new, no_malloc, cut };

std::atomic<Kind> kind{none};
std::atomic<long> calls{0};
long chosen = 0;  // the call that goes wrong, from 1
char folder[4096];
char journal[4096];  // where the durable state is kept

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool below(const char* path) {
    return folder[0] != 0 && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool strikes_files() {
    return kind != none && kind != no_new && kind != no_malloc;
}

bool tracked(int file) {
    if (!strikes_files()) return false;
    if (file == STDOUT_FILENO) return true;
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return below(path);
}

bool tracked(const char* path) {
    if (!strikes_files()) return false;
    char whole[4096];
    if (path[0] == '/') return below(path);
    if (getcwd(whole, sizeof whole) == nullptr) return false;
    return below((std::string(whole) + "/" + path).c_str());
}

// Count a call that changes files: true if the caller fails with errno.
bool change_fails() {
    const Kind now = kind;
    if (now == broken_read || now == short_io) return false;
    const long number = ++calls;
    if (number < chosen || chosen == 0) return false;
    if (now == full) {  // and stays full
        errno = ENOSPC;
        return true;
    }
    if (number > chosen) return false;
    if (now == broken_write) {
        errno = EIO;
        return true;
    }
    if (now == die || now == cut) raise(SIGKILL);
    return false;
}

bool dies_next() {
    return (kind == die || kind == cut) && calls + 1 == chosen;
}

// A name for what the disk has of a file or directory.
std::string durable(int file) {
    struct stat status{};
    fstat(file, &status);
    return std::string(journal) + "/" + std::to_string(status.st_ino);
}

void keep_names(int directory) {
    DIR* const listing = fdopendir(openat(directory, ".", O_RDONLY | O_DIRECTORY));
    FILE* const out = fopen(durable(directory).c_str(), "w");
    while (const dirent* entry = readdir(listing))
        if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
            std::fprintf(out, "%lu %s\n", static_cast<unsigned long>(entry->d_ino), entry->d_name);
    fclose(out);
    closedir(listing);
}

void keep_content(int file) {
    char buffer[1 << 16];
    FILE* const out = fopen(durable(file).c_str(), "w");
    const int again = open(("/proc/self/fd/" + std::to_string(file)).c_str(), O_RDONLY);
    static auto* const real = next<ssize_t(int, void*, size_t)>("read");
    for (ssize_t got = 0; (got = real(again, buffer, sizeof buffer)) > 0;)
        fwrite(buffer, 1, static_cast<size_t>(got), out);
    close(again);
    fclose(out);
}

// Count a read or an allocation: true if it is the one that goes wrong.
bool chosen_call(Kind wanted) {
    return kind == wanted && ++calls == chosen;
}

size_t shortened(size_t size) {
    return kind == short_io && size > 1 ? (size + 1) / 2 : size;
}

}  // namespace

extern "C" {

void faults_arm(const char* what, long number, const char* below_folder, const char* record) {
    static const char* const names[] = {"none",     "count", "kill", "full",   "eio-write",
                                        "eio-read", "short", "new",  "malloc", "power"};
    kind = none;
    calls = 0;
    chosen = number;
    std::snprintf(folder, sizeof folder, "%s", below_folder);
    std::snprintf(journal, sizeof journal, "%s", record);
    for (int i = none; i <= cut; ++i)
        if (std::strcmp(what, names[i]) == 0) kind = static_cast<Kind>(i);
}

long faults_calls() {
    return calls;
}

ssize_t write(int file, const void* data, size_t size) {
    static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
    if (!tracked(file)) return real(file, data, size);
    if (dies_next()) real(file, data, size / 2);  // torn
    if (change_fails()) return -1;
    return real(file, data, shortened(size));
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t place) {
    static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
    if (!tracked(file)) return real(file, data, size, place);
    if (change_fails()) return -1;
    return real(file, data, shortened(size), place);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t place) {
    return pwrite64(file, data, size, place);
}

ssize_t writev(int file, const iovec* parts, int number) {
    static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
    if (tracked(file) && change_fails()) return -1;
    return real(file, parts, number);
}

ssize_t read(int file, void* data, size_t size) {
    static auto* const real = next<ssize_t(int, void*, size_t)>("read");
    if (!tracked(file)) return real(file, data, size);
    if (chosen_call(broken_read)) {
        errno = EIO;
        return -1;
    }
    return real(file, data, shortened(size));
}

ssize_t pread64(int file, void* data, size_t size, off64_t place) {
    static auto* const real = next<ssize_t(int, void*, size_t, off64_t)>("pread64");
    if (!tracked(file)) return real(file, data, size, place);
    if (chosen_call(broken_read)) {
        errno = EIO;
        return -1;
    }
    return real(file, data, shortened(size), place);
}

ssize_t pread(int file, void* data, size_t size, off_t place) {
    return pread64(file, data, size, place);
}

int fsync(int file) {
    // No test waits for a disk: what would be there is kept aside.
    if (!tracked(file)) return 0;
    if (change_fails()) return -1;
    struct stat status{};
    if (kind == cut && fstat(file, &status) == 0)
        S_ISDIR(status.st_mode) ? keep_names(file) : keep_content(file);
    return 0;
}

int fdatasync(int file) {
    return fsync(file);
}

int rename(const char* from, const char* to) {
    static auto* const real = next<int(const char*, const char*)>("rename");
    if (tracked(to) && change_fails()) return -1;
    return real(from, to);
}

int unlink(const char* path) {
    static auto* const real = next<int(const char*)>("unlink");
    if (tracked(path) && change_fails()) {
        if (errno != ENOSPC) return -1;  // a full disk lets files go
    }
    return real(path);
}

int mkdir(const char* path, mode_t mode) {
    static auto* const real = next<int(const char*, mode_t)>("mkdir");
    if (tracked(path) && change_fails()) return -1;
    return real(path, mode);
}

int open64(const char* path, int flags, ...) {
    static auto* const real = next<int(const char*, int, ...)>("open64");
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    if ((flags & (O_CREAT | O_TRUNC)) != 0 && tracked(path) && change_fails()) return -1;
    return real(path, flags, mode);
}

int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open64(path, flags, mode);
}

void* __libc_malloc(size_t size);
void* __libc_realloc(void* old, size_t size);

// Small blocks are those of the interpreter, which asks the system for its own memory in large
// ones.
void* malloc(size_t size) {
    if (size >= 1024 && chosen_call(no_malloc)) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_malloc(size);
}

void* realloc(void* old, size_t size) {
    if (size >= 1024 && chosen_call(no_malloc)) {
        errno = ENOMEM;
        return nullptr;
    }
    return __libc_realloc(old, size);
}

}  // extern "C"

void* operator new(std::size_t size) {
    if (chosen_call(no_new)) throw std::bad_alloc();
    void* const made = __libc_malloc(size > 0 ? size : 1);
    if (made == nullptr) throw std::bad_alloc();
    return made;
}

void* operator new[](std::size_t size) {
    return operator new(size);
}
void operator delete(void* old) noexcept {
    std::free(old);
}
void operator delete[](void* old) noexcept {
    std::free(old);
}
void operator delete(void* old, std::size_t) noexcept {
    std::free(old);
}
void operator delete[](void* old, std::size_t) noexcept {
    std::free(old);
}
