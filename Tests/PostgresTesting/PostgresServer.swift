import Foundation
import SwiftDataPostgres
import Synchronization
import TestSupport

/// A server for the tests of this process: a new cluster in a temporary folder, reached through a Unix socket and a
/// port of 127.0.0.1. It ends with the process, however that ends.
package final class PostgresServer: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  /// The folder with the server's programs: of the newest version of Debian's packages, or what a variable says.
  private static let programs: URL? = {
    if let given = ProcessInfo.processInfo.environment["OPENSWIFTDATA_TEST_POSTGRES"] {
      return URL(fileURLWithPath: given, isDirectory: true)
    }
    let root = URL(fileURLWithPath: "/usr/lib/postgresql", isDirectory: true)
    return (13...30).reversed()
      .map { root.appending(path: "\($0)/bin", directoryHint: .isDirectory) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }()

  /// The reason why there is no server; nil when there is one.
  package static let absence: String? = {
    guard let programs,
      FileManager.default.isExecutableFile(atPath: programs.appending(path: "initdb").path)
    else { return "PostgreSQL isn't installed (apt-get install postgresql)" }
    if geteuid() == 0, getpwnam("postgres") == nil {
      return "PostgreSQL doesn't run as root, and there is no user postgres"
    }
    return nil
  }()

  private static let started = Result { try PostgresServer() }
  private static let securedStarted = Result { try PostgresServer(isSecured: true) }

  /// The server, which is started when it is needed first.
  package static var shared: PostgresServer {
    get throws { try started.get() }
  }

  /// A server that accepts connections with TLS only through its port, with a certificate for the host `localhost`.
  package static var secured: PostgresServer {
    get throws { try securedStarted.get() }
  }

  /// Whether a server and its certificate can be made: the programs may be built without TLS.
  package static let hasTLS: Bool = {
    guard let programs, absence == nil else { return false }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard
      folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/openssl") }),
      let program = FileManager.default.contents(
        atPath: programs.appending(path: "postgres").path)
    else { return false }
    return program.range(of: Data("libssl.so".utf8)) != nil
  }()

  private let folder: URL
  private let port: UInt16
  /// The process that ends the server when its input ends.
  private let process: Process
  private let input: Pipe
  private let output: Pipe
  private let copy = Mutex<Result<String, any Error>?>(nil)

  private init(isSecured: Bool = false) throws {
    guard let programs = Self.programs, Self.absence == nil else {
      throw Failure(description: Self.absence ?? "there is no server")
    }
    folder = TemporaryFolder.fastParent.appending(path: "osd-pg-\(UUID().uuidString)")
    port = try Self.freePort()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process = Process()
    input = Pipe()
    output = Pipe()
    var command = [
      "/bin/sh", "-c", Self.script, "postgres", programs.path, folder.path, "\(port)",
      isSecured ? "secured" : "",
    ]
    if geteuid() == 0, let user = getpwnam("postgres") {
      guard chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
        throw Failure(description: "the folder of the server can't be given to its user")
      }
      command =
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] + command
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    process.standardInput = input
    process.standardOutput = output
    // Other programs that tests start must not keep the input open.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard answer.hasPrefix("ready") else {
      throw Failure(description: "the server didn't start: see \(folder.path)/log")
    }
  }

  private static let script = """
    programs=$1 folder=$2 port=$3 secured=$4
    "$programs/initdb" -D "$folder/data" -U postgres -A trust --no-sync --no-locale -E UTF8 \
      >"$folder/log" 2>&1 || exit 1
    cat >"$folder/data/pg_hba.conf" <<END
    local all all trust
    local replication all trust
    host all all 127.0.0.1/32 scram-sha-256
    END
    cat >>"$folder/data/postgresql.conf" <<END
    listen_addresses = '127.0.0.1'
    port = $port
    unix_socket_directories = '$folder'
    fsync = off
    synchronous_commit = off
    full_page_writes = off
    autovacuum = off
    jit = off
    max_connections = 500
    max_wal_size = 160MB
    max_slot_wal_keep_size = 1GB
    checkpoint_timeout = 1h
    shared_buffers = 64MB
    shared_preload_libraries = 'plpgsql'
    END
    if [ -n "$secured" ]; then
      make_key() { openssl "$@" -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes >>"$folder/log" 2>&1; }
      for authority in authority stranger; do
        make_key req -x509 -days 2 -subj "/CN=$authority" \
          -keyout "$folder/$authority.key" -out "$folder/$authority.crt" || exit 1
      done
      make_key req -subj /CN=localhost -keyout "$folder/server.key" -out "$folder/server.csr" || exit 1
      echo subjectAltName=DNS:localhost >"$folder/names"
      openssl x509 -req -in "$folder/server.csr" -CA "$folder/authority.crt" -CAkey "$folder/authority.key" \
        -CAcreateserial -days 2 -extfile "$folder/names" -out "$folder/server.crt" >>"$folder/log" 2>&1 || exit 1
      chmod 600 "$folder/server.key"
      cat >"$folder/data/pg_hba.conf" <<END
    local all all trust
    hostssl all all 127.0.0.1/32 scram-sha-256
    END
      cat >>"$folder/data/postgresql.conf" <<END
    ssl = on
    ssl_cert_file = '$folder/server.crt'
    ssl_key_file = '$folder/server.key'
    END
    fi
    "$programs/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 start >/dev/null </dev/null || exit 1
    PATH=$PATH:/usr/sbin
    if [ -z "$secured" ] && command -v pgbouncer >/dev/null; then
      cat >"$folder/pgbouncer.ini" <<END
    [databases]
    postgres = host=$folder port=$port dbname=postgres user=postgres
    [pgbouncer]
    listen_addr =
    listen_port = 6432
    unix_socket_dir = $folder
    auth_type = any
    pool_mode = transaction
    default_pool_size = 100
    max_client_conn = 800
    logfile = $folder/pgbouncer.log
    END
      pgbouncer -q "$folder/pgbouncer.ini" >/dev/null 2>&1 </dev/null &
      pooler=$!
      tries=0
      while [ ! -S "$folder/.s.PGSQL.6432" ] && [ $tries -lt 100 ]; do
        sleep 0.05
        tries=$((tries + 1))
      done
    fi
    echo ready
    while read -r copy; do
      if "$programs/pg_basebackup" -h "$folder" -p "$port" -U postgres -D "$folder/copy" -X stream -R \
        -C -S copy -c fast >>"$folder/log" 2>&1 &&
        "$programs/pg_ctl" -D "$folder/copy" -l "$folder/copy.log" -o "-p $copy -c listen_addresses=" -w -t 60 \
          start >/dev/null </dev/null
      then
        echo copied
      else
        echo failed
      fi
    done
    [ -z "$pooler" ] || kill "$pooler"
    [ ! -d "$folder/copy" ] || "$programs/pg_ctl" -D "$folder/copy" -m immediate -w stop >/dev/null 2>&1
    "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1
    rm -rf "$folder"
    """

  /// A port that nobody uses at present.
  private static func freePort() throws -> UInt16 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { throw Failure(description: "there is no socket") }
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isBound else { throw Failure(description: "there is no free port") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The address of a streaming copy, which is made when it is needed first.
  package var copyURL: String {
    get throws {
      try copy.withLock { copy in
        let made = copy ?? Result { try makeCopy() }
        copy = made
        return try made.get()
      }
    }
  }

  private func makeCopy() throws -> String {
    let port = try Self.freePort()
    try input.fileHandleForWriting.write(contentsOf: Data("\(port)\n".utf8))
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard answer.hasPrefix("copied") else {
      throw Failure(description: "the copy didn't start: see \(folder.path)/log and copy.log")
    }
    return "postgresql://postgres@/postgres?host=\(folder.path)&port=\(port)"
  }

  // MARK: - Addresses

  /// The address through the Unix socket, where no password is asked for.
  package var url: String { "postgresql://postgres@/postgres?host=\(folder.path)&port=\(port)" }

  /// The Unix socket of a proxy in front of the server, in the folder that is removed with it, and its address.
  func proxySocket(port: Int) -> (path: String, url: String) {
    (
      folder.appending(path: ".s.PGSQL.\(port)").path,
      "postgresql://postgres@/postgres?host=\(folder.path)&port=\(port)"
    )
  }

  /// The server's Unix socket.
  package var socketPath: String { folder.appending(path: ".s.PGSQL.\(port)").path }

  /// The address through the port, where passwords are.
  package func url(user: String, password: String, host: String = "127.0.0.1") -> String {
    "postgresql://\(user):\(password)@\(host):\(port)/postgres"
  }

  /// The file with the certificate of an authority: that of the secured server's certificate, or a stranger's.
  package func certificateFile(ofStranger isStranger: Bool = false) -> String {
    folder.appending(path: isStranger ? "stranger.crt" : "authority.crt").path
  }

  /// Whether there is a pooler in front of the server.
  package static let hasPooler = ["/usr/sbin", "/usr/bin", "/usr/local/bin"]
    .contains { FileManager.default.isExecutableFile(atPath: $0 + "/pgbouncer") }

  /// The address through a pooler, which gives sessions to others between transactions.
  package var pooledURL: String { "postgresql://postgres@/postgres?host=\(folder.path)&port=6432" }

  package func options(_ url: String? = nil) throws -> PostgresConnectionOptions {
    PostgresConnectionOptions(url: try PostgresURL(url ?? self.url))
  }

  /// Runs SQL as another program would.
  package func run(_ sql: String) throws { try connect().execute(sql) }

  /// Creates a database, for programs that make their store in it.
  ///
  /// - Returns: Its address through the Unix socket.
  package func makeDatabase() throws -> String {
    let name = uniqueName("database")
    try run("CREATE DATABASE \"\(name)\"")
    return url(database: name)
  }

  /// The address of a database, which may not exist.
  package func url(database: String) -> String {
    url.replacing("@/postgres?", with: "@/\(database)?")
  }

  package func connect() throws -> PostgresConnection { try PostgresConnection(options()) }
}

/// A name that no other test uses.
package func uniqueName(_ beginning: String) -> String {
  beginning + "_" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
}
