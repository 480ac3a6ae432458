# Write files as C arrays, each with its name and length:
#     cmake -DOUTPUT=FILE.c "-DFILES=a;b" -P embed.cmake
# asif_embedded(), src/render/embedded.h, finds them by the last part of their path.
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
    file(READ ${file} hex HEX)
    string(LENGTH "${hex}" length)
    math(EXPR length "${length} / 2")
    # Sixteen bytes a line: shorter texts for the expressions, and lines that tools can read.
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    cmake_path(GET file FILENAME name)
    string(APPEND arrays "static const unsigned char file_${index}[] = {\n${hex}0};\n")
    string(APPEND rows "    {\"${name}\", (const char *)file_${index}, ${length}},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT}.part "/* Made by cmake/embed.cmake from the files that are named below. */
#include \"render/embedded.h\"

${arrays}
const asif_embedded_file asif_embedded_files[] = {
${rows}    {0, 0, 0},
};
")
file(RENAME ${OUTPUT}.part ${OUTPUT})
