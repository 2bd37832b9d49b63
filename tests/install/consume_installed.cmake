# Steps of the install test; see CMakeLists.txt in this folder. The first failing step ends it.
set(prefix ${work_dir}/prefix)
file(REMOVE_RECURSE ${work_dir})

function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name} failed (${result}):\n${output}")
  endif()
  message(STATUS "${name}: done")
  set(step_output "${output}" PARENT_SCOPE)
endfunction()

set(flags "")
if(sanitize)
  set(flags "-fsanitize=${sanitize}")
endif()

step("install" ${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})
foreach(example etl service)
  step("configure ${example}" ${CMAKE_COMMAND} -S ${example_dir}/${example} -B ${work_dir}/${example} -G ${generator}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=${build_type}
    -D CMAKE_CXX_FLAGS=${flags})
  step("build ${example}" ${CMAKE_COMMAND} --build ${work_dir}/${example})
endforeach()
step("run etl" ${work_dir}/etl/etl)
file(MAKE_DIRECTORY ${work_dir}/served)
step("run service" ${work_dir}/service/service ${work_dir}/served)
message(STATUS "${step_output}")

file(WRITE ${work_dir}/parts/CMakeLists.txt "
cmake_minimum_required(VERSION 3.25)
project(parts LANGUAGES CXX)
find_package(widehash ${version} QUIET COMPONENTS widgets)
if(widehash_FOUND)
  message(FATAL_ERROR \"a part that nobody knows was found\")
endif()
find_package(widehash ${version} REQUIRED COMPONENTS hashing pipeline OPTIONAL_COMPONENTS widgets)
")
step("ask for parts by their names" ${CMAKE_COMMAND} -S ${work_dir}/parts -B ${work_dir}/parts/build -G ${generator}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${compiler})
if(EXISTS ${prefix}/bin/widehash)
  step("run the installed program" ${prefix}/bin/widehash --version)
  if(NOT step_output MATCHES "${version}")
    message(FATAL_ERROR "widehash --version does not name ${version}:\n${step_output}")
  endif()
endif()
