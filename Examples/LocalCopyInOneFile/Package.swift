// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "LocalCopyInOneFile",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "local-copy",
      dependencies: [
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "LocalCopy", package: "OpenSwiftData"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
