# The target `docs`: the API's pages from the header comments. A warning of doxygen's is an error.
find_program(DOXYGEN doxygen)
mark_as_advanced(DOXYGEN)
if(DOXYGEN AND PROJECT_IS_TOP_LEVEL)
    configure_file(docs/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
    add_custom_target(docs COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/docs/Doxyfile
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/docs
        COMMENT "API pages in ${PROJECT_BINARY_DIR}/docs/html" VERBATIM)
endif()
