#include "closing_thread.hpp"

#include <exception>
#include <utility>

namespace widehash {

ClosingThread::~ClosingThread() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ClosingThread::close(std::shared_ptr<const void> object) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    waiting_.push_back(std::move(object));
  } catch (const std::exception&) {
    return;  // destroying the parameter releases the object
  }
  changed_.notify_one();
}

void ClosingThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    auto now = std::exchange(waiting_, {});
    lock.unlock();
    now.clear();
    lock.lock();
  }
}

}  // namespace widehash
