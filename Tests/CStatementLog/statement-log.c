#include "CStatementLog.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// The hashes of the recorded texts, by open addressing; 0 is an empty place.
static uint64_t *known;
static size_t capacity, count;

static uint64_t hash(const char *text) {
  uint64_t result = 14695981039346656037u;  // FNV-1a
  for (; *text; text++) result = (result ^ (unsigned char)*text) * 1099511628211u;
  return result ? result : 1;
}

/// Returns whether the value is new. The capacity is a power of two.
static int insert(uint64_t *table, size_t places, uint64_t value) {
  size_t place = value & (places - 1);
  while (table[place]) {
    if (table[place] == value) return 0;
    place = (place + 1) & (places - 1);
  }
  table[place] = value;
  return 1;
}

static int is_new(const char *text) {
  if (count * 2 >= capacity) {
    size_t larger = capacity ? capacity * 2 : 4096;
    uint64_t *table = calloc(larger, sizeof *table);
    if (!table) return 0;
    for (size_t place = 0; place < capacity; place++) {
      if (known[place]) insert(table, larger, known[place]);
    }
    free(known);
    known = table;
    capacity = larger;
  }
  int result = insert(known, capacity, hash(text));
  count += (size_t)result;
  return result;
}

static void append(const char *text) {
  char *line = malloc(strlen(text) * 2 + 1);
  if (!line) return;
  size_t length = 0;
  for (; *text; text++) {
    int is_escaped = *text == '\\' || *text == '\n' || *text == '\r';
    if (is_escaped) line[length++] = '\\';
    line[length++] = *text == '\n' ? 'n' : *text == '\r' ? 'r' : *text;
  }
  line[length++] = '\n';
  // One call for each line: processes may share the file.
  if (write(log_file, line, length) != (ssize_t)length) perror(STATEMENT_LOG_VARIABLE);
  free(line);
}

/// https://sqlite.org/c3ref/trace_v2.html
static int record(unsigned event, void *context, void *statement, void *text) {
  (void)event;
  (void)context;
  (void)statement;
  const char *sql = text;
  // A comment announces a trigger, whose statements belong to the database.
  if (!sql || !strncmp(sql, "--", 2)) return 0;
  pthread_mutex_lock(&lock);
  if (is_new(sql)) append(sql);
  pthread_mutex_unlock(&lock);
  return 0;
}

static int trace(sqlite3 *database, char **message, const void *functions) {
  (void)message;
  (void)functions;
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, record, NULL);
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv(STATEMENT_LOG_VARIABLE);
  if (!path || !*path) return;
  log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_file < 0) {
    perror(path);
  } else if (sqlite3_auto_extension((void (*)(void))trace) != SQLITE_OK) {
    fprintf(stderr, "%s: SQLite takes no extension\n", STATEMENT_LOG_VARIABLE);
  }
}
