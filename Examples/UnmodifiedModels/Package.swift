// swift-tools-version: 6.2
import PackageDescription

func ours(_ name: String) -> Target.Dependency {
  .product(name: name, package: "OpenSwiftData", condition: .when(platforms: [.linux]))
}

// `import OSLog` finds `OSLogStandIns`, and every source sees `FoundationStandIns`. A target with `import os` has
// that name instead. SwiftPM refuses such options in a dependency by version.
let standIns: [SwiftSetting] = [
  .unsafeFlags(
    [
      "-module-alias", "OSLog=OSLogStandIns",
      "-Xfrontend", "-import-module", "-Xfrontend", "FoundationStandIns",
    ], .when(platforms: [.linux]))
]

let package = Package(
  name: "UnmodifiedModels",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "Recipes", targets: ["Recipes"])],
  dependencies: [.package(name: "OpenSwiftData", path: "../..", traits: ["Logging"])],
  targets: [
    .target(
      name: "Recipes",
      dependencies: [ours("SwiftData"), ours("OSLogStandIns"), ours("FoundationStandIns")],
      swiftSettings: standIns),
    .testTarget(name: "RecipesTests", dependencies: ["Recipes", ours("SwiftData")]),
  ],
  swiftLanguageModes: [.v6]
)
