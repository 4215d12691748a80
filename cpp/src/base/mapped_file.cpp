#include "hopefear/base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "hopefear/base/checksum.hpp"
#include "hopefear/base/error.hpp"

namespace hopefear {

// An entry of a list that a signal handler reads at any time: entries are reused, never freed.
struct PageGuard::Range {
    std::atomic<std::uintptr_t> begin = 0;
    std::atomic<std::uintptr_t> end = 0;  // 0 if the entry is free
    std::atomic<bool> lost = false;
    Range* next = nullptr;
};

namespace {

std::mutex ranges_mutex;  // for changes of the list
std::atomic<PageGuard::Range*> ranges = nullptr;
std::uintptr_t page_bytes = 0;
struct sigaction previous_action;
std::atomic<bool> passed_on = false;

// Put zeros in place of the missing page and all that follow it: the file ends before them.
bool replace_missing(std::uintptr_t address) {
    for (PageGuard::Range* range = ranges.load(); range != nullptr; range = range->next) {
        const std::uintptr_t end = range->end.load();
        if (address < range->begin.load() || address >= end) continue;
        range->lost.store(true);
        const std::uintptr_t page = address / page_bytes * page_bytes;
        return mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

void on_bus_error(int number, siginfo_t* info, void*) {
    const int error = errno;
    const bool fault = info->si_code > 0;  // otherwise a process sent the signal
    if (!fault || !replace_missing(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        // Not ours: the instruction fails again, under the action that was there before. Should
        // that lead back to here, then the system's.
        struct sigaction usual{};
        usual.sa_handler = SIG_DFL;
        sigaction(number, passed_on.exchange(true) ? &usual : &previous_action, nullptr);
        if (!fault) raise(number);
    }
    errno = error;
}

// Others may set the signal's action later, such as Python's faulthandler: look at it each time.
void install_handler() {
    page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction current{};
    sigaction(SIGBUS, nullptr, &current);
    if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_bus_error) return;
    previous_action = current;
    struct sigaction own{};
    own.sa_sigaction = on_bus_error;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&own.sa_mask);
    sigaction(SIGBUS, &own, nullptr);
}

// The time of the last change in nanoseconds; -1 if the size differs.
std::int64_t state_of(int file, std::size_t size) {
    struct stat status{};
    if (fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) != size) return -1;
    return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

PageGuard::PageGuard(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return;
    const std::scoped_lock lock(ranges_mutex);
    install_handler();
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    range_ = ranges.load();
    while (range_ != nullptr && range_->end.load() != 0) range_ = range_->next;
    if (range_ == nullptr) {
        range_ = new Range;
        range_->next = ranges.load();
        ranges.store(range_);
    }
    range_->lost.store(false);
    range_->begin.store(begin);
    range_->end.store((begin + bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
}

PageGuard::~PageGuard() {
    if (range_ != nullptr) range_->end.store(0);
}

bool PageGuard::lost() const {
    return range_ != nullptr && range_->lost.load();
}

OpenFile::OpenFile(const std::string& path) : path_(path) {
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) fail<FormatError>(path, ": cannot be read: ", std::strerror(errno));
    struct stat status{};
    if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file_);
        fail<FormatError>(path, ": is not a file");
    }
    size_ = static_cast<std::size_t>(status.st_size);
    time_ = state_of(file_, size_);
}

OpenFile::~OpenFile() {
    close(file_);
}

std::uint64_t OpenFile::checksum(std::size_t offset, std::size_t size) const {
    constexpr std::size_t block_size = std::size_t{1} << 18;  // stays in the cache
    std::vector<std::uint8_t> block(std::min(size, block_size));
    Checksum checksum;
    while (size > 0) {
        const ssize_t count =
            pread(file_, block.data(), std::min(size, block.size()), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail<FormatError>(path_, ": cannot be read: ", std::strerror(errno));
        if (count == 0) fail_changed();
        const auto read = static_cast<std::size_t>(count);
        checksum.add(std::span(block).first(read));
        offset += read;
        size -= read;
    }
    return checksum.value();
}

std::span<const std::uint8_t> OpenFile::mapped_elsewhere() const {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"),
                                                               &std::fclose);
    std::array<char, PATH_MAX> name{};  // as it stands in the table of mappings
    const std::string link = "/proc/self/fd/" + std::to_string(file_);
    if (!maps || readlink(link.c_str(), name.data(), name.size() - 1) <= 0) return {};
    std::array<char, PATH_MAX + 128> line{};
    while (std::fgets(line.data(), line.size(), maps.get()) != nullptr) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        int at = 0;
        if (std::sscanf(line.data(), "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end,
                        &at) == 2 &&
            at > 0 && std::string_view(line.data() + at) == std::string(name.data()) + "\n")
            return {reinterpret_cast<const std::uint8_t*>(begin), end - begin};
    }
    return {};
}

void OpenFile::check_unchanged(const std::function<bool()>& intact) const {
    const std::int64_t now = state_of(file_, size_);
    if (now == time_.load()) return;
    if (now < 0 || !intact()) fail_changed();
    time_.store(now);  // the same bytes were written, or only the time
}

void OpenFile::fail_changed() const {
    fail<FormatError>(path_, ": the file was changed while it was in use; start again, and next ",
                      "time replace it by renaming a new file instead of writing into it");
}

Mapping::Mapping(const OpenFile& file) : file_(&file) {
    if (file.size() > 0) {
        void* const mapped =
            mmap(nullptr, file.size(), PROT_READ, MAP_SHARED, file.descriptor(), 0);
        if (mapped == MAP_FAILED)
            fail<FormatError>(file.path(), ": cannot be mapped: ", std::strerror(errno));
        bytes_ = {static_cast<const std::uint8_t*>(mapped), file.size()};
    }
    guard_.emplace(bytes_);
}

Mapping::~Mapping() {
    guard_.reset();  // before others can have these addresses
    if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

bool Mapping::lost() const {
    return guard_->lost();
}

void Mapping::forget_pages() const {
    if (!bytes_.empty())
        madvise(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

void Mapping::check_unchanged(const std::function<bool()>& intact) const {
    if (lost()) file_->fail_changed();
    file_->check_unchanged(intact);
}

}  // namespace hopefear
