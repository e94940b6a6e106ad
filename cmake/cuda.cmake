# The plugin for cards of NVIDIA, libshoal_cuda.so, by nvcc alone: the rest of the house needs no C++. SHOAL_CUDA = AUTO builds it
# where nvcc is found, in builds that users get.
set(SHOAL_CUDA AUTO CACHE STRING "plugin for cards of NVIDIA: AUTO (where nvcc is there), ON, OFF")
find_program(SHOAL_NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_PATH PATH_SUFFIXES bin)
mark_as_advanced(SHOAL_NVCC)
if(NOT SHOAL_CUDA MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "SHOAL_CUDA=${SHOAL_CUDA}; it may be AUTO, ON or OFF")
endif()
if(SHOAL_CUDA STREQUAL "ON" AND NOT SHOAL_NVCC)
    message(FATAL_ERROR "SHOAL_CUDA=ON, and nvcc was not found; -DSHOAL_NVCC=PATH says where it is, SHOAL_CUDA=OFF does without")
endif()
if(SHOAL_CUDA STREQUAL "OFF" OR NOT SHOAL_NVCC OR (SHOAL_CUDA STREQUAL "AUTO" AND (SHOAL_SANITIZE OR SHOAL_FUZZ OR CMAKE_CROSSCOMPILING)))
    return()
endif()

# No contraction, exact roots and divisions, no flushing: the bits of the CPU. PTX for what is older, code for the H200. What the
# assembler says of registers, and the PTX, stay beside the objects, for a test.
set(flags -std=c++17 -O3 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false -Werror cross-execution-space-call -diag-error 20011,20013
    -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 -Xptxas -v -keep
    -Xcompiler -fPIC,-fvisibility=hidden,-ffp-contract=off -D_GNU_SOURCE -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src)
set(SHOAL_CUDA_DIR ${PROJECT_BINARY_DIR}/cuda)
set(SHOAL_CUDA_OBJECTS "")
# An nvcc that is too old, or does not take the C++ compiler of this machine, must not break a build that can do without.
if(SHOAL_CUDA STREQUAL "AUTO" AND NOT DEFINED SHOAL_CUDA_WORKS)
    set(try ${SHOAL_CUDA_DIR}/try)
    file(WRITE ${try}/try.cu "#include <cub/device/device_scan.cuh>\nstruct view { int x; };\n"
                             "__global__ void kernel(const __grid_constant__ view v, int* out) { *out = v.x; }\n")
    execute_process(COMMAND ${SHOAL_NVCC} ${flags} -c try.cu -o try.o WORKING_DIRECTORY ${try} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
        message(STATUS "${SHOAL_NVCC} cannot build the plugin for cards of NVIDIA; SHOAL_CUDA=ON shows why")
        set(SHOAL_CUDA_WORKS OFF CACHE INTERNAL "nvcc can build the plugin")
    else()
        set(SHOAL_CUDA_WORKS ON CACHE INTERNAL "nvcc can build the plugin")
    endif()
endif()
if(SHOAL_CUDA STREQUAL "AUTO" AND NOT SHOAL_CUDA_WORKS)
    return()
endif()
foreach(source exec/device_cuda grid/grid_cuda state/set_cuda fluid/fluid_cuda fluid/boundary_cuda fluid/water_cuda screen/screen_cuda surface/surface_cuda solvers/pbf/pbf_cuda solvers/grains/grains_cuda solvers/plugin_cuda)
    get_filename_component(name ${source} NAME)
    set(folder ${SHOAL_CUDA_DIR}/${name})
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${folder}.o
        COMMAND bash -c "\"$@\" >\"${folder}.log\" 2>&1 || { cat \"${folder}.log\"; exit 1; }" nvcc ${SHOAL_NVCC} ${flags} -keep-dir ${folder}
                -MD -MF ${folder}.d -MT ${folder}.o -c ${PROJECT_SOURCE_DIR}/src/${source}.cu -o ${folder}.o
        DEPENDS ${PROJECT_SOURCE_DIR}/src/${source}.cu DEPFILE ${folder}.d WORKING_DIRECTORY ${folder}
        COMMENT "Building CUDA object ${name}.o" VERBATIM)
    list(APPEND SHOAL_CUDA_OBJECTS ${folder}.o)
endforeach()
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/libshoal_cuda.so
    COMMAND ${SHOAL_NVCC} -shared -cudart static -arch=sm_90 ${SHOAL_CUDA_OBJECTS} -o ${PROJECT_BINARY_DIR}/libshoal_cuda.so
    DEPENDS ${SHOAL_CUDA_OBJECTS} COMMENT "Linking libshoal_cuda.so" VERBATIM)
add_custom_target(shoal_cuda ALL DEPENDS ${PROJECT_BINARY_DIR}/libshoal_cuda.so)
install(FILES ${PROJECT_BINARY_DIR}/libshoal_cuda.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
