// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "OpenSwiftData", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLiteDirect", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // The data, the same for every implementation, and how runs are measured.
    .target(name: "BenchmarkSupport", dependencies: ["CSQLiteDirect"]),
    // Everything that models do with a store.
    .executableTarget(
      name: "store-bench",
      dependencies: [
        "BenchmarkSupport", "CSQLiteDirect",
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftDataExtras", package: "OpenSwiftData"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    // From the bytes of a feed to committed rows.
    .executableTarget(
      name: "feed-bench",
      dependencies: [
        "BenchmarkSupport", "CSQLiteDirect",
        .product(name: "LocalCopy", package: "OpenSwiftData"),
        .product(name: "SwiftData", package: "OpenSwiftData"),
      ]),
    .systemLibrary(
      name: "CPostgresDirect", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // Models on a PostgreSQL server.
    .executableTarget(
      name: "postgres-bench",
      dependencies: [
        "BenchmarkSupport", "CPostgresDirect",
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "SwiftDataExtras", package: "OpenSwiftData"),
        .product(name: "SwiftDataPostgres", package: "OpenSwiftData"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
