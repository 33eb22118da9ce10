// swift-tools-version: 6.2
import PackageDescription

// On Apple's systems, `import SwiftData` finds Apple's framework.
let swiftData = Target.Dependency.product(
  name: "SwiftData", package: "OpenSwiftData", condition: .when(platforms: [.linux]))

let package = Package(
  name: "ModelsTestedOnLinux",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "Models", targets: ["Models"])],
  dependencies: [.package(name: "OpenSwiftData", path: "../..")],
  targets: [
    .target(name: "Models", dependencies: [swiftData]),
    .testTarget(name: "ModelsTests", dependencies: ["Models", swiftData]),
  ],
  swiftLanguageModes: [.v6]
)
