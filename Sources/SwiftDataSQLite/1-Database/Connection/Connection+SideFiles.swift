extension Connection {
  /// Reads a file and creates nothing beside it.
  ///
  /// The first read of a file in WAL mode creates its log and the index of it, and a connection that can't write leaves
  /// both behind. So a file that has no log is opened as immutable. That takes no locks: if the file was written
  /// meanwhile, `body` runs again with an ordinary connection. Only for a log without its index, such as that of a
  /// copied store, SQLite creates the index.
  ///
  /// - Parameter body: Reads the file, up to twice; the result or the error of the last run counts.
  static func readingWithoutSideFiles<Value>(
    of location: StoreLocation, _ body: (Connection) throws -> Value
  ) throws -> Value {
    let path = location.path
    if !location.isInMemory, isUnshared(path), let status = FileStatus(path) {
      let result: Result<Value, any Error> = Result {
        try body(Connection(location, role: .writer, isReadOnly: true, asImmutable: true))
      }
      if isUnshared(path), let now = FileStatus(path), now.identity == status.identity,
        now.version == status.version
      {
        return try result.get()
      }
    }
    return try body(Connection(location, role: .writer, isReadOnly: true))
  }

  /// Whether all rows are in the file itself, and it isn't being written: SQLite keeps neither a log nor a rollback
  /// journal beside it.
  private static func isUnshared(_ path: String) -> Bool {
    guard FileStatus(path + "-journal") == nil else { return false }
    guard let log = FileStatus(path + "-wal") else { return true }
    return log.size == 0 && FileStatus(path + "-shm") == nil
  }
}
