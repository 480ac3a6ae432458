# Write the C file OUT with the commit that SOURCE is at: cmake -DSOURCE=... -DOUT=... -P AsifCommit.cmake
# An archive of a release has no history. There git has written the commit into commit.txt (.gitattributes).
file(READ ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit)
string(STRIP "${commit}" commit)
if(NOT commit MATCHES "^[0-9a-f]+$")
    set(commit "")
    find_package(Git QUIET)
    if(Git_FOUND AND EXISTS ${SOURCE}/.git)
        execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty
            OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#include \"cli.h\"\n\nconst char cli_commit[] = \"${commit}\";\n")
