// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: those of the package above.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A product of the package above.
func ours(_ name: String) -> Target.Dependency {
  .product(name: name, package: "OpenSwiftData")
}

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(
  name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux]))
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

// Built in the folder of the package above, which compiles what both need once: scripts/build.
let package = Package(
  name: "OpenSwiftDataApps",
  products: [
    .library(name: "QuakesKit", targets: ["QuakesKit"]),
    .executable(name: "quakes", targets: ["quakes"]),
    .library(name: "LandmarksKit", targets: ["LandmarksKit"]),
    .executable(name: "landmarks", targets: ["landmarks"]),
  ],
  // The versions of what both packages use are those of the package above, and so is the trait, for one build of both.
  dependencies: [
    .package(name: "OpenSwiftData", path: "..", traits: ["Development"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
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
    // MARK: Parts that the applications share
    .target(
      name: "HTTPContent", dependencies: [ours("WireFormats")], swiftSettings: strict),
    .target(
      name: "LocalApp",
      dependencies: [
        "HTTPContent", ours("HTTPLimits"), ours("WireFormats"), argumentParser, hummingbird,
        hummingbirdCore, nioCore, nioPosix, lifecycle, signals, logging,
      ],
      resources: [.copy("Resources/web"), .copy("Resources/vendor")],
      swiftSettings: strict),
    .target(name: "LocalStore", dependencies: [ours("SwiftData")], swiftSettings: strict),
    .testTarget(
      name: "LocalAppTests",
      dependencies: ["HTTPContent", "LocalApp", ours("WireFormats"), ours("_TestSupport")],
      swiftSettings: strict),

    // MARK: Quakes
    .target(
      name: "QuakesKit",
      dependencies: [
        "HTTPContent", "LocalStore", ours("LocalCopy"), ours("SwiftData"), ours("SwiftDataExtras"),
        ours("SwiftDataPostgres"), ours("WireFormats"), logging,
      ],
      resources: [.copy("Resources/places.txt.gz")],
      swiftSettings: strict),
    .target(
      name: "DemoFeed",
      dependencies: [
        "HTTPContent", "LocalApp", ours("WireFormats"), hummingbird, nioCore, lifecycle, logging,
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "quakes",
      dependencies: [
        "DemoFeed", "HTTPContent", "LocalApp", "QuakesKit", ours("LocalCopy"), ours("SwiftData"),
        ours("WireFormats"), argumentParser, hummingbird, hummingbirdCore, nioCore, nioPosix,
        lifecycle, signals, logging, subprocess, systemPackage,
      ],
      resources: [.copy("Resources/web")],
      swiftSettings: strict),
    .testTarget(
      name: "QuakesKitTests",
      dependencies: [
        "QuakesKit", ours("LocalCopy"), ours("SwiftData"), ours("SwiftDataExtras"),
        ours("SwiftDataPostgres"), ours("WireFormats"),
        ours("_PostgresTesting"), ours("_StoreTesting"), ours("_TestSupport"), logging,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "quakesTests",
      dependencies: [
        "quakes", "DemoFeed", "HTTPContent", "LocalApp", "QuakesKit", ours("HTTPLimits"),
        ours("LocalCopy"), ours("WireFormats"), ours("_PostgresTesting"), ours("_ProcessTesting"),
        ours("_ProgramTesting"), ours("_TestSupport"), logging, nioCore, nioPosix,
      ],
      swiftSettings: strict),

    // MARK: Landmarks
    .target(
      name: "LandmarksKit",
      dependencies: [
        "LocalStore", ours("LocalCopy"), ours("SwiftData"), ours("SwiftDataSync"),
        ours("SwiftDataSyncHTTP"), ours("WireFormats"),
      ],
      resources: [.copy("Resources/landmarks.json")],
      swiftSettings: strict),
    .executableTarget(
      name: "landmarks",
      dependencies: [
        "HTTPContent", "LandmarksKit", "LocalApp", "LocalStore", ours("LocalCopy"),
        ours("SwiftData"), ours("SwiftDataExtras"), ours("SwiftDataSync"),
        ours("SwiftDataSyncHTTP"), ours("SwiftDataSyncServer"), ours("WireFormats"), argumentParser,
        hummingbird, nioCore, lifecycle, logging,
      ],
      resources: [.copy("Resources/web"), .copy("Resources/beside")],
      swiftSettings: strict),
    .testTarget(
      name: "LandmarksKitTests",
      dependencies: [
        "LandmarksKit", ours("LocalCopy"), ours("SwiftData"), ours("SwiftDataExtras"),
        ours("SwiftDataSync"), ours("SwiftDataSyncHTTP"), ours("_ProgramTesting"),
        ours("_TestSupport"),
      ],
      swiftSettings: strict),
    // The code of docs/offline-first.md, as a user writes it; the page's commands are those of the program.
    .testTarget(
      name: "OfflineFirstTests",
      dependencies: [
        "landmarks", ours("LocalCopy"), ours("SwiftData"), ours("_ProgramTesting"),
        ours("_TestSupport"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "landmarksTests",
      dependencies: [
        "landmarks", "LandmarksKit", "LocalApp", ours("HTTPLimits"), ours("SwiftData"),
        ours("SwiftDataSync"), ours("SwiftDataSyncServer"), ours("_ProgramTesting"),
        ours("_StoreTesting"), ours("_TestSupport"), logging,
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// The build of .ci/run: as in the package above.
if Context.environment["OPENSWIFTDATA_OPTIMISED"] == "1" {
  for target in package.targets where target.type != .test {
    target.swiftSettings =
      strict + [
        .unsafeFlags(
          ["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"])
      ]
  }
}
