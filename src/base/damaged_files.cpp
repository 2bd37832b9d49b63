#include <widehash/damaged_files.hpp>

#include <utility>

#include <fmt/format.h>

namespace widehash {

DamagedFiles::DamagedFiles(std::string path, const std::string& what, std::vector<std::string> problems)
    : DataError(std::move(path), 0, what), problems_(std::move(problems)) {}

Damage Damage::at(const std::string& path) {
  try {
    throw;
  } catch (const Stopped&) {
    throw;
  } catch (const DamagedFiles& error) {
    return {error.path(), error.problems(), std::current_exception()};
  } catch (const DataError& error) {
    return {error.path(), {error.what()}, std::current_exception()};
  } catch (const FileError& error) {
    return {error.path(), {error.what()}, std::current_exception()};
  } catch (const Error& error) {
    // Messages begin with the path that they concern: this path, or one inside it.
    const std::string message = error.what();
    const std::size_t end = message.starts_with(path) ? message.find(": ", path.size()) : std::string::npos;
    const DataError of_data = end == std::string::npos
                                  ? DataError(path, 0, message)
                                  : DataError(message.substr(0, end), 0, message.substr(end + 2));
    return {of_data.path(), {of_data.what()}, std::make_exception_ptr(of_data)};
  }
}

void throw_damage(const std::vector<Damage>& damage, const std::string& of) {
  if (damage.empty()) return;
  const Damage& first = damage.front();
  if (damage.size() == 1) std::rethrow_exception(first.error);
  std::vector<std::string> messages;
  for (const Damage& one : damage) messages.insert(messages.end(), one.messages.begin(), one.messages.end());
  const std::string& message = messages.front();
  const std::size_t path_bytes = message.starts_with(first.path + ": ") ? first.path.size() + 2 : 0;
  const std::size_t others = messages.size() - 1;
  throw DamagedFiles(first.path,
                     fmt::format("{}; {} {} other problem{}", message.substr(path_bytes), of, others,
                                 others == 1 ? "" : "s"),
                     std::move(messages));
}

}  // namespace widehash
