# cmake -DINPUT=page.html -DOUTPUT=page.cpp -DHEADER=a/b.h -DFUNCTION=ns::function -P embed_text.cmake
# Writes a source file whose function returns INPUT, an ASCII text, as a string_view. Literals are cut at a
# size that every compiler takes.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
if("${text}" MATCHES "\\)text\"")
  message(FATAL_ERROR "${INPUT} contains the end of the raw string that is to hold it")
endif()
set(source "#include \"${HEADER}\"\n\nnamespace {\n\nconstexpr char kText[] =\n")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 16000 piece)
  string(APPEND source "R\"text(${piece})text\"\n")
  math(EXPR at "${at} + 16000")
endwhile()
string(APPEND source ";\n\n}  // namespace\n\nstd::string_view ${FUNCTION}() { return {kText, sizeof(kText) - 1}; }\n")
file(WRITE ${OUTPUT} "${source}")
