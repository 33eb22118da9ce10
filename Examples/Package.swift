// swift-tools-version: 6.2
import PackageDescription

// All examples as one package, for the checks of scripts/examples only, which compile what the examples share with the
// other packages of this repository once. To start from an example, take the Package.swift in its folder.
func ours(_ name: String) -> Target.Dependency {
  .product(name: name, package: "OpenSwiftData")
}

// As in UnmodifiedModels/Package.swift.
let standIns: [SwiftSetting] = [
  .unsafeFlags([
    "-module-alias", "OSLog=OSLogStandIns",
    "-Xfrontend", "-import-module", "-Xfrontend", "FoundationStandIns",
  ])
]

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let serviceLifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
  name: "OpenSwiftDataExamples",
  dependencies: [
    .package(name: "OpenSwiftData", path: "..", traits: ["Development"]),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "Models", dependencies: [ours("SwiftData")], path: "ModelsTestedOnLinux/Sources/Models"),
    .testTarget(
      name: "ModelsTests", dependencies: ["Models", ours("SwiftData")],
      path: "ModelsTestedOnLinux/Tests/ModelsTests"),
    .target(
      name: "Recipes",
      dependencies: [ours("SwiftData"), ours("OSLogStandIns"), ours("FoundationStandIns")],
      path: "UnmodifiedModels/Sources/Recipes", swiftSettings: standIns),
    .testTarget(
      name: "RecipesTests", dependencies: ["Recipes", ours("SwiftData")],
      path: "UnmodifiedModels/Tests/RecipesTests"),
    .executableTarget(
      name: "live-server", dependencies: [ours("SwiftData"), hummingbird, serviceLifecycle],
      path: "LiveServer/Sources/live-server"),
    .executableTarget(
      name: "local-copy", dependencies: [ours("SwiftData"), ours("LocalCopy")],
      path: "LocalCopyInOneFile/Sources/local-copy"),
    .target(
      name: "Todos", dependencies: [ours("SwiftData"), ours("SwiftDataSync")],
      path: "SyncPair/Sources/Todos"),
    .executableTarget(
      name: "todo",
      dependencies: ["Todos", ours("SwiftData"), ours("SwiftDataSync"), ours("SwiftDataSyncHTTP")],
      path: "SyncPair/Sources/todo"),
    .executableTarget(
      name: "todo-server",
      dependencies: [
        "Todos", ours("SwiftData"), ours("SwiftDataSync"), ours("SwiftDataSyncServer"), hummingbird,
      ],
      path: "SyncPair/Sources/todo-server"),
  ],
  swiftLanguageModes: [.v6]
)
