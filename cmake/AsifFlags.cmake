# asif_flags: what every file of this project is compiled with.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
if(NOT EMSCRIPTEN)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

# -O3 is for the vector kernels alone (src/CMakeLists.txt).
if(CMAKE_C_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

add_library(asif_flags INTERFACE)
target_compile_definitions(asif_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(APPLE)
    target_compile_definitions(asif_flags INTERFACE _DARWIN_C_SOURCE) # flock() is not POSIX, and is hidden there without it
endif()

# Results must not depend on how a compiler contracts or reorders sums; errno and floating-point traps are
# never looked at.
target_compile_options(asif_flags INTERFACE -fno-math-errno -fno-trapping-math -ffp-contract=off)

set(warnings
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes
    -Wmissing-prototypes -Wundef -Wvla -Wcast-qual -Wwrite-strings -Wpointer-arith -Wformat=2 -Wno-format-nonliteral
    -Wimplicit-fallthrough)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    list(APPEND warnings -Wno-string-concatenation) # tables of texts that run over several lines
endif()
if(EMSCRIPTEN)
    list(APPEND warnings -Wno-shorten-64-to-32) # counts have 64 bits, and memory there only 32: base/context.c sees to that
endif()
target_compile_options(asif_flags INTERFACE ${warnings})
if(ASIF_WERROR)
    target_compile_options(asif_flags INTERFACE -Werror)
endif()

if(ASIF_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "ASIF_FUZZ needs clang: configure with CC=clang in a new build folder.")
    endif()
    if(NOT ASIF_FUZZ_ENGINE)
        set(sanitize -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
elseif(ASIF_SANITIZE STREQUAL "thread")
    set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(ASIF_SANITIZE)
    set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()
if(sanitize)
    target_compile_options(asif_flags INTERFACE ${sanitize})
    target_link_options(asif_flags INTERFACE ${sanitize})
endif()

# Hardening. What the user's own flags decide stays as they say; the sanitizers see more than _FORTIFY_SOURCE does.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(harden_link)
if(ASIF_HARDEN)
    if(NOT CMAKE_C_FLAGS MATCHES "stack-protector")
        check_c_compiler_flag(-fstack-protector-strong ASIF_STACK_PROTECTOR)
        if(ASIF_STACK_PROTECTOR)
            target_compile_options(asif_flags INTERFACE -fstack-protector-strong)
        endif()
    endif()
    if(NOT sanitize AND NOT CMAKE_C_FLAGS MATCHES "_FORTIFY_SOURCE|-fsanitize=")
        # Some C libraries know level 2 only and say so. Some compilers define a level by themselves.
        foreach(level 3 2)
            set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
            set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
            check_c_source_compiles("#include <string.h>\nint main(void) { return (int)strlen(\"\"); }"
                ASIF_FORTIFY_${level})
            unset(CMAKE_REQUIRED_FLAGS)
            if(ASIF_FORTIFY_${level})
                target_compile_options(asif_flags INTERFACE "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:${fortify}>")
                break()
            endif()
        endforeach()
    endif()
    foreach(flag relro now)
        check_linker_flag(C -Wl,-z,${flag} ASIF_LINK_${flag})
        if(ASIF_LINK_${flag})
            list(APPEND harden_link -Wl,-z,${flag})
        endif()
    endforeach()
    target_link_options(asif_flags INTERFACE ${harden_link})
endif()
