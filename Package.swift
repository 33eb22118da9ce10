// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Measures that win only time and have a plain form; `OPENSWIFTDATA_PLAIN` selects the plain forms:
/// docs/speed-switches.md.
let switches = [
  "heap", "indices", "lists", "map", "ranges", "reads", "state", "texts", "threads",
]
let plain = plainSwitches(Context.environment["OPENSWIFTDATA_PLAIN"] ?? "")

/// The archive of libFuzzer without a `main`, when `fault-program` is built with it: docs/testing.md.
let fuzzer = Context.environment["OPENSWIFTDATA_TEST_FUZZER"]

/// The trait of the builds of this package and of its applications: everything, and what its tests need.
let development: Set = ["Development"]

/// Settings of the targets that the compiler runs: warnings are errors in our own builds, not in those of users, whose
/// compiler may have new ones (docs/building.md). Strict concurrency comes with Swift 6 mode.
let strictInCompiler: [SwiftSetting] = [
  .treatAllWarnings(as: .error, .when(traits: development)),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Settings of every other target of ours.
let strict: [SwiftSetting] =
  strictInCompiler + plain.map { .define("OSD_PLAIN_\($0.uppercased())") }
  + (fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer"])])

// MARK: Traits
// Targets that need packages beyond those of models stand behind a trait, and no trait is on by default: a user of
// `SwiftData` resolves swift-syntax only. A build turns one of them on, for of several SwiftPM (6.3) gives the
// compiler the names in random order, and compiles again when it is another one:
// docs/decisions/0054-traits-for-clients-and-servers.md.

let server = development.union(["Server"])
let logger = server.union(["Logging"])

/// A product of a package that is resolved only with one of the traits.
func product(_ name: String, of package: String, for traits: Set<String>) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: traits))
}

/// Products of swift-syntax.
func syntax(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "swift-syntax") }
}

let logging = product("Logging", of: "swift-log", for: logger)
let nioCore = product("NIOCore", of: "swift-nio", for: server)
let nioEmbedded = product("NIOEmbedded", of: "swift-nio", for: development)
let nioHTTP1 = product("NIOHTTP1", of: "swift-nio", for: server)
let nioPosix = product("NIOPosix", of: "swift-nio", for: development)
let hummingbird = product("Hummingbird", of: "hummingbird", for: server)
let hummingbirdCore = product("HummingbirdCore", of: "hummingbird", for: server)
let serviceLifecycle = product(
  "ServiceLifecycle", of: "swift-service-lifecycle", for: development)
let subprocess = product("Subprocess", of: "swift-subprocess", for: development)
let systemPackage = Target.Dependency.product(
  name: "SystemPackage", package: "swift-system",
  condition: .when(platforms: [.linux], traits: development))

let package = Package(
  name: "OpenSwiftData",
  // Mutex and Observation need these. On Apple's systems nothing of this package was built by us.
  platforms: [
    .macOS(.v15), .macCatalyst(.v18), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
  ],
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "SwiftDataExtras", targets: ["SwiftDataExtras"]),
    .library(name: "SwiftDataPostgres", targets: ["SwiftDataPostgres"]),
    .library(name: "DataStoreConformance", targets: ["DataStoreConformance"]),
    .library(name: "LocalCopy", targets: ["LocalCopy"]),
    .library(name: "SwiftDataSync", targets: ["SwiftDataSync"]),
    .library(name: "SwiftDataSyncHTTP", targets: ["SwiftDataSyncHTTP"]),
    .library(name: "SwiftDataSyncServer", targets: ["SwiftDataSyncServer"]),
    .library(name: "WireFormats", targets: ["WireFormats"]),
    .library(name: "OSLogStandIns", targets: ["OSLogStandIns"]),
    .library(name: "FoundationStandIns", targets: ["FoundationStandIns"]),
    .library(name: "HTTPLimits", targets: ["HTTPLimits"]),
    // For the tests of the package in Apps, which import them with `@testable`: nothing in them is public.
    .library(name: "_TestSupport", targets: ["TestSupport"]),
    .library(name: "_StoreTesting", targets: ["StoreTesting"]),
    .library(name: "_PostgresTesting", targets: ["PostgresTesting"]),
    .library(name: "_ProcessTesting", targets: ["ProcessTesting"]),
    .library(name: "_ProgramTesting", targets: ["ProgramTesting"]),
  ],
  traits: [
    .trait(name: "Logging", description: "OSLogStandIns, with swift-log"),
    .trait(
      name: "Server",
      description: "HTTPLimits and SwiftDataSyncServer, with Hummingbird; and what Logging has"),
    .trait(
      name: "Development",
      description: "Everything, for the builds and tests of this package: scripts/swift"),
  ],
  dependencies: [
    // The versions that the macros were compiled and run with: docs/building.md. A package beside this one may need the
    // older one.
    .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    // One trait: SwiftPM gives the compiler several in any order, and compiles again when it is another one.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // MARK: The framework
    .target(
      name: "SwiftData",
      dependencies: ["SwiftDataCore", "SwiftDataSQLite", "SwiftDataMacros"], swiftSettings: strict),
    // Additions to Apple's interface that stand beside its types: `import SwiftData` alone doesn't bring it in.
    .target(
      name: "SwiftDataExtras",
      dependencies: ["SwiftDataCore", "SwiftDataSQL", "SwiftDataSQLite", "SwiftDataMacros"],
      swiftSettings: strict),
    .macro(
      name: "SwiftDataMacros",
      dependencies: ["SwiftDataMacroExpansion"]
        + syntax("SwiftSyntaxMacros", "SwiftCompilerPlugin"),
      swiftSettings: strictInCompiler),
    // The expansions are a library beside the plugin: a test that depends on a plugin makes the package manager
    // build every test and all that it needs a second time, for the host.
    .target(
      name: "SwiftDataMacroExpansion",
      dependencies: syntax(
        "SwiftDiagnostics", "SwiftIfConfig", "SwiftSyntax", "SwiftSyntaxMacros"),
      swiftSettings: strictInCompiler),
    .testTarget(
      name: "SwiftDataMacrosTests",
      dependencies: ["SwiftData", "SwiftDataMacroExpansion"]
        + syntax(
          "SwiftDiagnostics", "SwiftIfConfig", "SwiftParser", "SwiftParserDiagnostics",
          "SwiftSyntax", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros"),
      swiftSettings: strict),
    .target(
      name: "SwiftDataCore", dependencies: ["CSwiftRuntime"],
      // For the state of models, which lies in them.
      swiftSettings: strict
        + (plain.contains("state") ? [] : [.enableExperimentalFeature("RawLayout")])),
    // Functions that the Swift runtime exports without a counterpart in the language.
    .target(name: "CSwiftRuntime"),
    .target(
      name: "SwiftDataSQL",
      dependencies: ["SwiftDataCore", "SystemCrypto"], swiftSettings: strict),
    // Parts that all stores of rows share.
    .target(
      name: "SwiftDataStore", dependencies: ["SwiftDataCore", "SwiftDataSQL"],
      swiftSettings: strict),
    .target(
      name: "SwiftDataSQLite",
      dependencies: [
        "ContentFiles", "SwiftDataCore", "SwiftDataSQL", "SwiftDataStore", "CMappedFiles",
        "CSQLite",
      ], swiftSettings: strict),
    // Files that are named by their content, and folders that survive a loss of power; nothing of models.
    .target(
      name: "ContentFiles", dependencies: ["SystemCrypto"], swiftSettings: strict),
    // Digests, authentication codes and a cipher of the system's library; nothing of models.
    .target(
      name: "SystemCrypto",
      dependencies: [
        .target(
          name: "CLibcrypto", condition: .when(platforms: [.linux, .android, .windows, .openbsd]))
      ], swiftSettings: strict),
    .systemLibrary(
      name: "CLibcrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    .testTarget(name: "SystemCryptoTests", dependencies: ["SystemCrypto"], swiftSettings: strict),
    .testTarget(
      name: "ContentFilesTests", dependencies: ["ContentFiles", "TestSupport"],
      swiftSettings: strict),
    // Files of databases that are mapped for reading, without a signal when they are cut off.
    .target(name: "CMappedFiles", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // A store on a PostgreSQL server. No other library depends on it, so only its users need libpq.
    .target(
      name: "SwiftDataPostgres",
      dependencies: [
        "CPostgres", "SwiftDataCore", "SwiftDataSQL", "SwiftDataStore",
        "SystemCrypto",
      ], swiftSettings: strict),
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

    .testTarget(
      name: "SwiftDataCoreTests", dependencies: ["SwiftDataCore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwiftDataSQLTests",
      dependencies: ["SwiftDataSQL", "SwiftDataCore", "CSQLite", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwiftDataStoreTests",
      dependencies: ["SwiftDataStore", "SwiftDataSQL", "SwiftDataCore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SwiftDataSQLiteTests",
      dependencies: [
        "SwiftData", "SwiftDataExtras", "SwiftDataCore", "SwiftDataSQL", "SwiftDataSQLite",
        "SwiftDataStore", "CMappedFiles", "CSQLite", "StoreTesting", "TestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "SwiftDataPostgresTests",
      dependencies: [
        "DataStoreConformance", "MigrationSamples", "SwiftData", "SwiftDataCore", "SwiftDataExtras",
        "SwiftDataPostgres", "SwiftDataSQL", "SwiftDataStore", "PostgresTesting", "ProcessTesting",
        "StoreTesting", "TestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "SwiftData", "SwiftDataExtras", "SwiftDataCore", "SwiftDataSQL", "SwiftDataSQLite",
        "SwiftDataStore", "CSQLite",
        // For sources that a test compiles.
        "LocalCopy",
        "MigrationSamples", "migration-program", "hostile-program", "ProcessTesting",
        "StoreTesting", "TestSupport",
      ], swiftSettings: strict),
    // Sources that compile in Swift 5 mode only, with warnings.
    .testTarget(
      name: "SwiftDataSwift5Tests", dependencies: ["SwiftData"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // Damages stores and uses them: a process of its own, because a trap would end it. For tests only.
    .executableTarget(
      name: "hostile-program",
      dependencies: ["SwiftData", "SwiftDataExtras", "SwiftDataSQLite", "CSQLite", "TestSupport"],
      path: "Tests/HostileProgram", swiftSettings: strict),
    // Versions of a schema, and a program that migrates between them and dies on the way: for tests only.
    .target(
      name: "MigrationSamples", dependencies: ["SwiftData"], path: "Tests/MigrationSamples",
      swiftSettings: strict),
    .executableTarget(
      name: "migration-program",
      dependencies: ["MigrationSamples", "SwiftData", "SwiftDataSQLite", "CSQLite"],
      path: "Tests/MigrationProgram", swiftSettings: strict),
    // A disk that loses its power, lies or refuses, and a program that writes stores on it: for tests only.
    .target(
      name: "CFaultVFS", path: "Tests/CFaultVFS",
      linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("dl", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "fault-program",
      dependencies: [
        "CFaultVFS", "CSQLite", "LocalCopy", "MigrationSamples", "SwiftData", "SwiftDataExtras",
        "SwiftDataSQLite", "SwiftDataSync", "SyncSimulation", "TestSupport", "WireFormats",
      ],
      // With libFuzzer it has another `main`, see Fuzzing/CoverageEntry.swift.
      path: "Tests/FaultProgram",
      swiftSettings: strict + (fuzzer == nil ? [] : [.define("FUZZER")]),
      linkerSettings: fuzzer.map { [.unsafeFlags([$0, "-lstdc++"])] } ?? []),
    .testTarget(
      name: "FaultTests", dependencies: ["fault-program", "ProcessTesting", "TestSupport"],
      swiftSettings: strict),
    // Processes that share a store on a PostgreSQL server, for `make acceptance ONLY=postgres`.
    .executableTarget(
      name: "postgres-program", dependencies: ["SwiftData", "SwiftDataCore", "SwiftDataPostgres"],
      path: "Tests/PostgresProgram", swiftSettings: strict),
    // The memory of an import and of a live list, for `make acceptance ONLY=history`.
    .executableTarget(
      name: "memory-program", dependencies: ["SwiftData", "SwiftDataExtras"],
      path: "Tests/MemoryProgram", swiftSettings: strict),

    .target(
      name: "DataStoreConformance", dependencies: ["SwiftData", "SwiftDataCore"],
      swiftSettings: strict),
    .testTarget(
      name: "DataStoreConformanceTests",
      dependencies: [
        "DataStoreConformance", "SwiftData", "SwiftDataExtras", "SwiftDataCore", "TestSupport",
      ], swiftSettings: strict),

    // MARK: The toolkit
    // Formats and rules of the wire that the targets below share; nothing of models.
    .target(name: "WireFormats", dependencies: ["CZlib"], swiftSettings: strict),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .testTarget(name: "WireFormatsTests", dependencies: ["WireFormats"], swiftSettings: strict),
    // Requests over HTTP with the system's libcurl; nothing of models.
    .target(name: "CurlClient", dependencies: ["CLibcurl"], swiftSettings: strict),
    .systemLibrary(
      name: "CLibcurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .testTarget(
      name: "CurlClientTests",
      dependencies: ["CurlClient", "ProcessTesting", "ProgramTesting", "TestSupport"],
      swiftSettings: strict),
    .target(
      name: "LocalCopy",
      dependencies: [
        "CurlClient", "CSwiftRuntime", "SwiftData", "SwiftDataCore", "SwiftDataMacros",
        "SwiftDataSQLite", "WireFormats",
        "SystemCrypto",
      ], swiftSettings: strict),
    .testTarget(
      name: "LocalCopyTests",
      dependencies: [
        "LocalCopy", "SwiftData", "SwiftDataExtras", "SwiftDataPostgres", "PostgresTesting",
        "ProgramTesting", "StoreTesting", "TestSupport", "WireFormats",
        nioCore, nioHTTP1, nioPosix,
      ], swiftSettings: strict),

    .target(
      name: "SwiftDataSync",
      dependencies: ["ContentFiles", "SwiftDataCore", "WireFormats"], swiftSettings: strict),
    .testTarget(
      name: "SwiftDataSyncTests",
      dependencies: [
        "SwiftDataSync", "SwiftData", "SwiftDataCore", "SwiftDataExtras", "SyncSamples",
        "SyncSimulation", "sync-program",
        "ProcessTesting", "StoreTesting", "TestSupport", "WireFormats",
        "SystemCrypto",
      ], swiftSettings: strict),
    // Devices, a server, networks and clocks of a seed's making: for tests and the program of faults.
    .target(
      name: "SyncSimulation", dependencies: ["SwiftData", "SwiftDataSync", "TestSupport"],
      path: "Tests/SyncSimulation", swiftSettings: strict),
    // A program that saves and pushes until it is killed: for tests only.
    .target(
      name: "SyncSamples", dependencies: ["SwiftData", "SwiftDataSync"], path: "Tests/SyncSamples",
      swiftSettings: strict),
    .executableTarget(
      name: "sync-program", dependencies: ["SwiftData", "SyncSamples"], path: "Tests/SyncProgram",
      swiftSettings: strict),

    // The speed of a client's pull and push, for `make acceptance ONLY=sync`.
    .executableTarget(
      name: "sync-speed",
      dependencies: [
        "SwiftData", "SwiftDataExtras", "SwiftDataSync", "SwiftDataSyncHTTP", "CSQLite",
      ],
      path: "Tests/SyncSpeedProgram", swiftSettings: strict),

    .target(
      name: "SwiftDataSyncHTTP",
      dependencies: ["SwiftDataSync", "CurlClient", "WireFormats"], swiftSettings: strict),
    // Limits on a server's waits for its clients.
    .target(
      name: "HTTPLimits",
      dependencies: [hummingbird, hummingbirdCore, nioCore, nioHTTP1], swiftSettings: strict),
    .testTarget(
      name: "HTTPLimitsTests",
      dependencies: ["HTTPLimits", nioCore, nioEmbedded, nioHTTP1], swiftSettings: strict),
    .target(
      name: "SwiftDataSyncServer",
      dependencies: [
        "HTTPLimits", "SwiftDataSync",
        "SystemCrypto",
        hummingbird, nioCore,
      ], swiftSettings: strict),
    // A server of notes over HTTP, as a part of a test and as a process of its own: for tests only.
    .target(
      name: "SyncServing",
      dependencies: ["SwiftData", "SwiftDataSync", "SwiftDataSyncServer", hummingbird, logging],
      path: "Tests/SyncServing", swiftSettings: strict),
    .executableTarget(
      name: "sync-service", dependencies: ["SwiftData", "SyncServing"], path: "Tests/SyncService",
      swiftSettings: strict),
    .executableTarget(
      name: "sync-client",
      dependencies: ["SwiftData", "SwiftDataSync", "SwiftDataSyncHTTP", "SyncServing"],
      path: "Tests/SyncClient", swiftSettings: strict),
    .testTarget(
      name: "SwiftDataSyncHTTPTests",
      dependencies: [
        "SwiftDataSync", "SwiftDataSyncHTTP", "SwiftDataSyncServer", "SwiftData", "SyncServing",
        "ProgramTesting", "TestSupport",
        "CurlClient", serviceLifecycle, logging, hummingbird, nioCore,
      ], swiftSettings: strict),
    .testTarget(
      name: "SwiftDataSyncServerTests",
      dependencies: [
        "SwiftDataSync", "SwiftDataSyncServer", "SyncServing", "ProgramTesting", "TestSupport",
        "CurlClient", hummingbird, nioCore,
      ], swiftSettings: strict),

    // MARK: Counterparts of Apple's modules beside SwiftData
    // Never named `OSLog` or `os`: in one build every package's `canImport` sees every module, and
    // packages that find those call the rest of Apple's (swift-argument-parser its `os_unfair_lock`).
    .target(
      name: "OSLogStandIns", dependencies: [logging], swiftSettings: strict),
    .target(name: "FoundationStandIns", swiftSettings: strict),
    .testTarget(
      name: "StandInsTests",
      dependencies: ["OSLogStandIns", "FoundationStandIns", "TestSupport", logging],
      swiftSettings: strict),

    // MARK: Tools
    .plugin(
      name: "Documentation", capability: .command(intent: .documentationGeneration())),

    // MARK: Parts that tests share
    // Seeded random numbers, folders, captures of real data, environment variables; without the framework.
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    // Records the texts of SQL statements while an environment variable says so: for tests only.
    .target(
      name: "CStatementLog", path: "Tests/CStatementLog",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    // Temporary stores and containers, and database files as other programs open them: for tests only.
    .target(
      name: "StoreTesting",
      dependencies: [
        "SwiftData", "SwiftDataPostgres", "CSQLite", "CStatementLog", "PostgresTesting",
        "TestSupport",
      ],
      path: "Tests/StoreTesting", swiftSettings: strict),
    // A PostgreSQL server for as long as the tests run: for tests only.
    .target(
      name: "PostgresTesting", dependencies: ["SwiftDataPostgres", "TestSupport"],
      path: "Tests/PostgresTesting", swiftSettings: strict),
    // Starts programs and waits for their ends: for tests only.
    .target(
      name: "ProcessTesting",
      dependencies: [subprocess, systemPackage],
      path: "Tests/ProcessTesting", swiftSettings: strict),
    // Runs built programs and speaks raw HTTP: for tests only.
    .target(
      name: "ProgramTesting",
      dependencies: ["ProcessTesting", "TestSupport", "WireFormats", nioCore, nioPosix],
      path: "Tests/ProgramTesting", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

/// - Parameter value: `1` for all, or names separated by commas.
func plainSwitches(_ value: String) -> [String] {
  if value == "1" { return switches }
  let names = value.split(separator: ",").map(String.init)
  for name in names where !switches.contains(name) {
    fatalError("OPENSWIFTDATA_PLAIN: \(name) is none of \(switches.joined(separator: ", "))")
  }
  return names
}

// The path of a plugin with the macros, which the command line gives the compiler: scripts/macros, docs/building.md.
// Nothing needs the package swift-syntax then: the expansions and their tests have the toolchain's, to which the folder
// of the plugin has a link.
let macros = Context.environment["OPENSWIFTDATA_MACROS"] ?? ""
if !["", "package"].contains(macros) {
  let host = macros[..<(macros.lastIndex(of: "/") ?? macros.startIndex)] + "/host"
  package.dependencies.removeAll {
    guard case .sourceControl(_, let address, _) = $0.kind else { return false }
    return address.hasSuffix("/swift-syntax")
  }
  package.targets.removeAll { $0.type == .macro }
  for target in package.targets {
    var libraries: [String] = []
    target.dependencies.removeAll {
      switch $0 {
      case .byNameItem("SwiftDataMacros", _): return true
      case .productItem(let name, "swift-syntax", _, _):
        libraries.append(name)
        return true
      default: return false
      }
    }
    if libraries.isEmpty { continue }
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .define("OSD_SYNTAX_OF_TOOLCHAIN"), .unsafeFlags(["-I", "\(host)"]),
      ]
    target.linkerSettings = [
      .unsafeFlags(
        ["-L\(host)", "-Xlinker", "-rpath", "-Xlinker", "\(host)"]
          + libraries.map { "-l\($0)" })
    ]
  }
}

// The build of .ci/run (docs/testing.md): the core and the stores on SQLite are optimised, as the applications are by
// their manifest, with the checks of a build for debugging. Nothing else sets the variable, so a build of somebody else
// has no unsafe options.
if Context.environment["OPENSWIFTDATA_OPTIMISED"] == "1" {
  let hot = ["SwiftDataCore", "SwiftDataSQL", "SwiftDataStore", "SwiftDataSQLite"]
  for target in package.targets where hot.contains(target.name) {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .unsafeFlags(
          ["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"])
      ]
  }
}
