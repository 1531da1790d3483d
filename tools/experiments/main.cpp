// Trains the runs of a plan, several at a time, each on one thread.
//
//   ropewalk_experiments runs <plan.jsonl> <folder> <threads>
//   ropewalk_experiments throughput <plan.jsonl>
//
// A finished run is a file of the folder, named for its key; runs that have one are skipped, so that what was
// interrupted goes on where it stood. Standard output says `at <key> <steps>` and `done <key>`.

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "run.hpp"
#include "settings.hpp"
#include "throughput.hpp"

namespace ropewalk::experiments {
namespace {

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Whole or not at all, whenever the program is stopped. `content`: characters or bytes.
template <class Content>
void write_whole(const std::filesystem::path& path, const Content& content) {
  std::filesystem::path part = path;
  part += ".part";
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw std::invalid_argument("cannot write " + part.string());
  std::filesystem::rename(part, path);
}

std::filesystem::path weights_path(const std::filesystem::path& folder, const std::string& key) {
  return folder / (key + ".safetensors");
}

// The weights of the run with that key, which is finished; none without a key.
std::vector<std::byte> weights_of(const std::filesystem::path& folder, const std::string& key) {
  if (key.empty()) return {};
  const std::filesystem::path path = weights_path(folder, key);
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::invalid_argument("cannot read " + path.string());
  return bytes;
}

void run_all(const std::vector<Settings>& runs, const std::filesystem::path& folder, std::size_t threads) {
  std::filesystem::create_directories(folder);
  if (nice(10) == -1) std::fputs("The priority could not be lowered.\n", stderr);
  std::atomic<std::size_t> next = 0;
  std::mutex speaking;
  std::exception_ptr failure;
  const auto say = [&](const char* what, const std::string& key, std::size_t steps) {
    const std::lock_guard lock(speaking);
    std::printf("%s %s %zu\n", what, key.c_str(), steps);
    std::fflush(stdout);
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) {
      const Settings& run = runs[i];
      const std::filesystem::path path = folder / (run.key + ".json");
      if (std::filesystem::exists(path)) continue;
      try {
        const Trained trained = train_and_test(run, weights_of(folder, run.from),
                                               [&](std::size_t steps) { say("at", run.key, steps); });
        // Before the result: whoever sees that finds the weights too.
        if (run.keeps_weights) write_whole(weights_path(folder, run.key), trained.weights);
        write_whole(path, trained.result);
        say("done", run.key, run.steps);
      } catch (...) {
        const std::lock_guard lock(speaking);
        if (!failure) failure = std::current_exception();
        next = runs.size();
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

void run(int count, char** arguments) {
  const std::string command = count > 1 ? arguments[1] : "";
  if (command == "runs" && count == 5) {
    std::vector<Settings> runs;
    for (const std::string& line : read_lines(arguments[2])) runs.push_back(read_settings(line));
    run_all(runs, arguments[3], std::strtoull(arguments[4], nullptr, 10));
  } else if (command == "throughput" && count == 3) {
    for (const std::string& line : read_lines(arguments[2])) {
      std::fputs(measure_throughput(read_settings(line)).c_str(), stdout);
    }
  } else {
    throw std::invalid_argument(
        "Usage: ropewalk_experiments runs <plan> <folder> <threads> | throughput <plan>");
  }
}

}  // namespace
}  // namespace ropewalk::experiments

int main(int count, char** arguments) {
  try {
    ropewalk::experiments::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
