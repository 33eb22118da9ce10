/* The floor that imports are measured against: the same rows into the same table through SQLite's C
   interface, with one prepared upsert in one transaction. No JSON, no checks of values, no report.

     show-1-floor ROWS.tsv DATABASE

   ROWS.tsv has a line a row with the columns below between tabs; \N is NULL. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 18 };

/* t: text, r: real, i: integer. */
static const char kinds[COLUMNS + 1] = "trttrrrrrtttiiittt";

static const char schema[] =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;"
    "CREATE TABLE Quake (_id INTEGER PRIMARY KEY, eventID TEXT NOT NULL, magnitude REAL,"
    " magnitudeType TEXT, place TEXT, time REAL NOT NULL, updated REAL NOT NULL,"
    " longitude REAL NOT NULL, latitude REAL NOT NULL, depth REAL, type TEXT NOT NULL,"
    " status TEXT, alert TEXT, tsunami INTEGER NOT NULL, felt INTEGER,"
    " significance INTEGER NOT NULL, url TEXT, code TEXT NOT NULL, net TEXT NOT NULL);"
    "CREATE UNIQUE INDEX Quake_eventID ON Quake (eventID);"
    "CREATE INDEX Quake_time ON Quake (time);"
    "CREATE INDEX Quake_magnitude ON Quake (magnitude, time);";

static const char *const names[COLUMNS] = {
    "eventID",  "magnitude", "magnitudeType", "place",   "time",         "updated",
    "longitude", "latitude", "depth",         "type",    "status",       "alert",
    "tsunami",  "felt",      "significance",  "url",     "code",         "net"};

static void stop(sqlite3 *database, const char *what) {
  fprintf(stderr, "show-1-floor: %s: %s\n", what, database ? sqlite3_errmsg(database) : "failed");
  exit(1);
}

static void run(sqlite3 *database, const char *sql) {
  if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) stop(database, sql);
}

/* INSERT … ON CONFLICT (eventID) DO UPDATE SET … WHERE (stored values) IS NOT (new values) */
static sqlite3_stmt *prepare(sqlite3 *database) {
  char list[512] = "", marks[64] = "", sets[1024] = "", stored[512] = "", given[512] = "";
  for (int i = 0; i < COLUMNS; i++) {
    const char *comma = i ? ", " : "";
    strcat(strcat(list, comma), names[i]);
    strcat(strcat(marks, comma), "?");
    if (i == 0) continue;
    comma = i > 1 ? ", " : "";
    strcat(strcat(strcat(strcat(sets, comma), names[i]), " = excluded."), names[i]);
    strcat(strcat(strcat(stored, comma), "Quake."), names[i]);
    strcat(strcat(strcat(given, comma), "excluded."), names[i]);
  }
  char sql[4096];
  snprintf(sql, sizeof sql,
           "INSERT INTO Quake (%s) VALUES (%s) ON CONFLICT (eventID) DO UPDATE SET %s"
           " WHERE (%s) IS NOT (%s)",
           list, marks, sets, stored, given);
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) stop(database, sql);
  return statement;
}

/* Binds the fields of a line in place: SQLite reads them from the line's memory. */
static void bind(sqlite3 *database, sqlite3_stmt *statement, char *line) {
  for (int i = 0; i < COLUMNS; i++) {
    char *field = line;
    size_t length = strcspn(field, "\t\n");
    line = field + length + (field[length] != '\0');
    field[length] = '\0';
    int result;
    if (strcmp(field, "\\N") == 0) {
      result = sqlite3_bind_null(statement, i + 1);
    } else if (kinds[i] == 'r') {
      result = sqlite3_bind_double(statement, i + 1, strtod(field, NULL));
    } else if (kinds[i] == 'i') {
      result = sqlite3_bind_int64(statement, i + 1, strtoll(field, NULL, 10));
    } else {
      result = sqlite3_bind_text(statement, i + 1, field, (int)length, SQLITE_STATIC);
    }
    if (result != SQLITE_OK) stop(database, "bind");
  }
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: show-1-floor ROWS.tsv DATABASE\n");
    return 64;
  }
  FILE *rows = fopen(arguments[1], "r");
  if (!rows) {
    perror(arguments[1]);
    return 66;
  }
  sqlite3 *database;
  if (sqlite3_open(arguments[2], &database) != SQLITE_OK) stop(database, arguments[2]);
  run(database, schema);
  sqlite3_stmt *statement = prepare(database);
  run(database, "BEGIN IMMEDIATE");
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, rows) > 0) {
    bind(database, statement, line);
    if (sqlite3_step(statement) != SQLITE_DONE) stop(database, "step");
    sqlite3_reset(statement);
  }
  run(database, "COMMIT");
  sqlite3_finalize(statement);
  sqlite3_close(database);
  free(line);
  fclose(rows);
  return 0;
}
