#include "progress_bar.hpp"

#include "text.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace widehash::tools {
namespace {

constexpr auto draw_interval = std::chrono::milliseconds(200);
// Before this, the rate says nothing about the time left.
constexpr double settled_seconds = 1.0;

bool can_draw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void write_error(std::string_view text) noexcept {
  // Progress that cannot be shown is no reason to stop.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProgressBar::ProgressBar(std::string label, bool wanted)
    : label_(std::move(label)), enabled_(wanted && can_draw()) {}

ProgressBar::~ProgressBar() { erase(); }

ProgressCallback ProgressBar::callback() {
  if (!enabled_) return {};
  return [this](const Progress& progress) { draw(progress); };
}

void ProgressBar::erase() noexcept {
  if (drawn_) write_error("\r\033[K");
  drawn_ = false;
}

void ProgressBar::draw(const Progress& progress) {
  const auto now = Clock::now();
  if (now - last_draw_ < draw_interval) return;
  last_draw_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = fmt::format("{}  {} rows", label_, count_text(progress.rows));
  const std::uint64_t rows = progress.rows - progress.earlier_rows;
  if (seconds > 0 && rows > 0) line += "  " + rate_text(rows, seconds);
  if (progress.bytes_total > 0) {
    const auto total = static_cast<double>(progress.bytes_total);
    const double share = std::min(1.0, static_cast<double>(progress.bytes_done) / total);
    const double of_this_run = static_cast<double>(progress.bytes_done - progress.earlier_bytes) / total;
    line += fmt::format("  {:.0f} %", 100 * share);
    if (of_this_run > 0 && seconds > settled_seconds) {
      line += fmt::format("  {} left", seconds_text(seconds * (1 - share) / of_this_run));
    }
  } else if (progress.bytes_done > 0) {
    line += "  " + bytes_text(progress.bytes_done);
  }
  line.resize(std::min(line.size(), terminal_columns() - 1));
  write_error("\r" + line + "\033[K");
  drawn_ = true;
}

}  // namespace widehash::tools
