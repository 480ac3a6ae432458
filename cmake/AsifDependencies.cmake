# Everything the library needs from elsewhere; docs/dependencies.md says why.
include(CheckCSourceCompiles)

# Archives of a release have the headers in third-party.
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h PATHS ${PROJECT_SOURCE_DIR}/third-party)
if(NOT RANDOM123_INCLUDE_DIR)
    message(FATAL_ERROR "Random123's headers were not found. On Debian: librandom123-dev (tools/install-deps installs "
        "it); elsewhere set RANDOM123_INCLUDE_DIR to the folder that holds Random123/philox.h.")
endif()

# A static command is linked with archives, where there are shared libraries, too.
if(CMAKE_EXE_LINKER_FLAGS MATCHES "(^| )-static( |$)")
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

if(ASIF_YAML)
    find_package(PkgConfig)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(YAML IMPORTED_TARGET yaml-0.1)
    endif()
    if(NOT YAML_FOUND)
        message(FATAL_ERROR "libyaml was not found through pkg-config. On Debian: libyaml-dev and pkg-config "
            "(tools/install-deps installs them). Or configure with -DASIF_YAML=OFF for the library without studies.")
    endif()
endif()

set(ASIF_HAVE_CLP OFF)
if(ASIF_CLP)
    find_package(PkgConfig)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(CLP IMPORTED_TARGET clp)
    endif()
    set(ASIF_HAVE_CLP ${CLP_FOUND})
    if(NOT CLP_FOUND AND NOT ASIF_CLP STREQUAL "AUTO")
        message(FATAL_ERROR "COIN-OR Clp was not found through pkg-config. On Debian: coinor-libclp-dev and pkg-config "
            "(tools/install-deps installs them). Or configure with -DASIF_CLP=OFF.")
    elseif(NOT CLP_FOUND)
        message(STATUS "Linear programmes: none (COIN-OR Clp was not found)")
    endif()
endif()

set(ASIF_HAVE_ZLIB OFF)
if(ASIF_ZLIB)
    find_package(PkgConfig)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(ZLIB IMPORTED_TARGET zlib)
    endif()
    set(ASIF_HAVE_ZLIB ${ZLIB_FOUND})
    if(NOT ZLIB_FOUND AND NOT ASIF_ZLIB STREQUAL "AUTO")
        message(FATAL_ERROR "zlib was not found through pkg-config. On Debian: zlib1g-dev and pkg-config "
            "(tools/install-deps installs them). Or configure with -DASIF_ZLIB=OFF.")
    elseif(NOT ZLIB_FOUND)
        message(STATUS "Compressed tables: none (zlib was not found)")
    endif()
endif()

if(ASIF_THREADS)
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads REQUIRED)
endif()

find_library(MATH_LIBRARY m)
mark_as_advanced(MATH_LIBRARY RANDOM123_INCLUDE_DIR)

# libmvec, the vector exp and log of glibc. Its symbols are looked for, since neither its header nor its
# file says which compiler may call it.
set(ASIF_HAVE_LIBMVEC OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    set(CMAKE_REQUIRED_LIBRARIES mvec m)
    check_c_source_compiles("
        extern void _ZGVbN2v_exp(void); extern void _ZGVdN4v_exp(void); extern void _ZGVeN8v_exp(void);
        extern void _ZGVbN2v_log(void); extern void _ZGVdN4v_log(void); extern void _ZGVeN8v_log(void);
        int main(void) {
            _ZGVbN2v_exp(); _ZGVdN4v_exp(); _ZGVeN8v_exp(); _ZGVbN2v_log(); _ZGVdN4v_log(); _ZGVeN8v_log();
            return sizeof(void *) == 8 ? 0 : 1;
        }" ASIF_LIBMVEC_LINKS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(ASIF_HAVE_LIBMVEC ${ASIF_LIBMVEC_LINKS})
endif()
if(NOT ASIF_HAVE_LIBMVEC)
    message(STATUS "Vector maths: plain C (libmvec of glibc on x86-64 was not found)")
endif()
