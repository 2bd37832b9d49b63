// A program that has started MPI itself and uses the library beside it, in two processes. Its first argument
// selects what it does:
//
//     together   the program's messages and the library's collectives do not mix, and MPI is left to the program
//     late       process 1 does not come to a collective
//     unequal    process 1 passes fewer numbers than process 0
//     single     MPI was started without threads
//
// Prints what it finds, and exits with 0 if all is as it should be.

#include <widehash/device_team.hpp>
#include <widehash/error.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>

namespace {

widehash::TeamSettings settings(double timeout_seconds) {
  widehash::TeamSettings settings;
  settings.across_processes = true;
  settings.timeout_seconds = timeout_seconds;
  return settings;
}

double sum_of_ranks(widehash::DeviceTeam& team) {
  double sum = 0;
  team.run([&](widehash::Communicator& communicator) {
    double own = communicator.rank() + 1;
    communicator.all_reduce(std::span(&own, 1));
    sum = own;
  });
  return sum;
}

int together(int process) {
  const int other = 1 - process;
  int given = 10 + process;
  int taken = 0;
  double sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  // The message is on its way while the library communicates, with the tag that the library's messages use.
  MPI_Isend(&given, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
  {
    widehash::DeviceTeam team({widehash::Device{}}, settings(60));
    sum = sum_of_ranks(team);
  }
  MPI_Recv(&taken, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int is_over = 0;
  MPI_Finalized(&is_over);
  MPI_Finalize();
  if (process == 0) std::printf("sum %g, message %d, ended by the library: %d\n", sum, taken, is_over);
  return sum == 3 && taken == 10 + other && is_over == 0 ? 0 : 1;
}

int late(int process) {
  widehash::DeviceTeam team({widehash::Device{}}, settings(1));
  if (process == 1) std::this_thread::sleep_for(std::chrono::seconds(4));
  sum_of_ranks(team);
  return 0;
}

int unequal(int process) {
  widehash::DeviceTeam team({widehash::Device{}}, settings(60));
  team.run([&](widehash::Communicator& communicator) {
    std::vector<double> numbers(process == 0 ? 10 : 5);
    communicator.all_reduce(std::span(numbers));
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, what == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED, &provided);
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  try {
    return what == "together" ? together(process) : what == "unequal" ? unequal(process) : late(process);
  } catch (const widehash::CommError& error) {
    std::fprintf(stderr, "process %d: %s\n", process, error.what());
    return 1;
  }
}
