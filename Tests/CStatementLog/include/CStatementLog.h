// Records the texts of the SQL statements that a process runs, for tests only.
//
// While the environment variable OPENSWIFTDATA_TEST_STATEMENTS names a file, every text is appended to it once per
// process, as a line with escaped backslashes and line ends. Linking the target is enough: without the variable,
// nothing is registered with SQLite. scripts/compare-statements compares two such files.

#ifndef C_STATEMENT_LOG_H
#define C_STATEMENT_LOG_H

/// The name of the environment variable.
#define STATEMENT_LOG_VARIABLE "OPENSWIFTDATA_TEST_STATEMENTS"

#endif
