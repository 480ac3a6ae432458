// The page has no files: a study that names another one hears that it is not there, where Emscripten's stubs would pretend it were.
/* global mergeInto, LibraryManager */
mergeInto(LibraryManager.library, Object.fromEntries(
  ["open", "stat64", "lstat64", "fstatat64", "faccessat", "readlink"].map((name) => ["__syscall_" + name, new Function("return -44 /* ENOENT */;")])));
