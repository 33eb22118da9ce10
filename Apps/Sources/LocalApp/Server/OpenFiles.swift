#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The limit of files and connections that this process may have open at the same time (POSIX, `getrlimit`).
package enum OpenFiles {
  /// The number of files that a program has open besides its connections: the store's, its own, and the event loops'.
  private static let own = 128

  /// Raises the process's soft limit, as far as the system allows, so that a number of connections fits.
  /// - Parameter connections: The maximum number of simultaneous connections.
  /// - Throws: ``LocalAppError`` when the system's limit is lower.
  package static func makeRoom(forConnections connections: Int) throws {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    // Leave the limit unchanged if the system doesn't report it.
    guard getrlimit(resource, &limit) == 0 else { return }
    let wanted = rlim_t(connections + own)
    guard limit.rlim_cur < wanted else { return }
    guard wanted <= limit.rlim_max else {
      throw LocalAppError(
        "\(connections) connections",
        reason:
          "the system lets this program have \(limit.rlim_max) files and connections open, and it needs \(own) of"
          + " them for itself; raise the limit (ulimit -n) or take fewer connections")
    }
    limit.rlim_cur = wanted
    guard setrlimit(resource, &limit) == 0 else {
      throw LocalAppError(
        "\(connections) connections",
        reason:
          "the limit of open files can't be raised to \(wanted): \(String(cString: strerror(errno)))"
      )
    }
  }
}
