// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "LiveServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../.."),
    // One trait of its two: SwiftPM 6.3 names several in random order, and compiles anew when it is
    // another one.
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "live-server",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
