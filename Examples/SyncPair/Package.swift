// swift-tools-version: 6.2
import PackageDescription

func ours(_ name: String) -> Target.Dependency {
  .product(name: name, package: "OpenSwiftData")
}

let package = Package(
  name: "SyncPair",
  platforms: [.macOS(.v15)],
  dependencies: [
    // `SwiftDataSyncServer` needs the trait. A package for devices only names none.
    .package(name: "OpenSwiftData", path: "../..", traits: ["Server"]),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
      traits: ["FullFoundation"]),
  ],
  targets: [
    .target(name: "Todos", dependencies: [ours("SwiftData"), ours("SwiftDataSync")]),
    .executableTarget(
      name: "todo",
      dependencies: [
        "Todos", ours("SwiftData"), ours("SwiftDataSync"), ours("SwiftDataSyncHTTP"),
      ]),
    .executableTarget(
      name: "todo-server",
      dependencies: [
        "Todos", ours("SwiftData"), ours("SwiftDataSync"), ours("SwiftDataSyncServer"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
