# Every outside library, found once. docs/architecture.md says what each is for.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)

add_library(qirkat_hdf5 INTERFACE)
target_include_directories(qirkat_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(qirkat_hdf5 INTERFACE ${HDF5_C_LIBRARIES})

# oneDNN for inference on CPUs, from the wheels in .venv; QIRKAT_ONEDNN takes an installed one. Only
# models/onednn sees it: LibTorch has headers of the same names.
set(_onednn_root "${QIRKAT_ONEDNN}")
if(NOT _onednn_root)
  file(REAL_PATH ${CMAKE_SOURCE_DIR}/.venv _onednn_root)
endif()
find_package(dnnl 3 CONFIG PATHS ${_onednn_root} NO_DEFAULT_PATH)
if(NOT dnnl_FOUND)
  message(FATAL_ERROR "oneDNN 3 not found at '${_onednn_root}': run scripts/setup, or set "
                      "QIRKAT_ONEDNN=DIR")
endif()

add_library(qirkat_onednn_library INTERFACE)
# The OpenMP library that oneDNN itself runs on; by name, because LibTorch may bring its own.
target_link_libraries(qirkat_onednn_library INTERFACE DNNL::dnnl -l:libgomp.so.1)
target_link_options(qirkat_onednn_library INTERFACE -Wl,-rpath,${_onednn_root}/lib)

# LibTorch as our own imported target: find_package(Torch) would demand a CUDA toolkit for a CUDA
# wheel. The wheel in .venv is the default; QIRKAT_LIBTORCH takes another one.
if(QIRKAT_WITH_TORCH)
  set(_torch_root "${QIRKAT_LIBTORCH}")
  if(NOT _torch_root)
    file(GLOB _torch_root ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
    # Checkouts that share one environment through a link share compiled files in ccache too.
    if(_torch_root)
      file(REAL_PATH "${_torch_root}" _torch_root)
    endif()
  endif()
  if(NOT EXISTS "${_torch_root}/include/torch/csrc/api/include/torch/torch.h")
    message(FATAL_ERROR "LibTorch not found at '${_torch_root}': run scripts/setup, set "
                        "QIRKAT_LIBTORCH=DIR, or configure with -DQIRKAT_WITH_TORCH=OFF")
  endif()
  add_library(qirkat_libtorch INTERFACE)
  target_include_directories(qirkat_libtorch SYSTEM INTERFACE
      ${_torch_root}/include ${_torch_root}/include/torch/csrc/api/include)
  target_compile_definitions(qirkat_libtorch INTERFACE QIRKAT_WITH_TORCH=1)
  foreach(lib torch torch_cpu c10 torch_cuda c10_cuda)
    if(EXISTS ${_torch_root}/lib/lib${lib}.so)
      list(APPEND _torch_libs ${_torch_root}/lib/lib${lib}.so)
    endif()
  endforeach()
  # --no-as-needed keeps torch_cuda, which registers itself and is called by nobody.
  target_link_libraries(qirkat_libtorch INTERFACE -Wl,--no-as-needed ${_torch_libs} -Wl,--as-needed)
  target_link_options(qirkat_libtorch INTERFACE -Wl,-rpath,${_torch_root}/lib)
  # CUDA graphs alone want a toolkit's headers, or those of NVIDIA's wheels: cuda-runtime, which
  # comes with torch, and cuda-nvcc or cuda-crt.
  if(EXISTS ${_torch_root}/lib/libtorch_cuda.so)
    file(GLOB _cuda_hints ${_torch_root}/../nvidia/*/include)
    list(APPEND _cuda_hints $ENV{CUDA_HOME}/include /usr/local/cuda/include)
    find_path(QIRKAT_CUDA_RUNTIME cuda_runtime_api.h HINTS ${_cuda_hints})
    find_path(QIRKAT_CUDA_CRT crt/host_config.h HINTS ${_cuda_hints})
    message(STATUS "CUDA graphs: headers ${QIRKAT_CUDA_RUNTIME}, ${QIRKAT_CUDA_CRT}")
  endif()
endif()
