import Testing

/// `Tests/MustCompile` has code as users write it, compiled in Swift 6 mode with every warning as an error. The
/// compiler also analyses the data flow, which is where it checks the values that cross from one actor to another.
@Suite("Users' code compiles without a warning", .serialized)
struct AcceptedSourceTests {
  @Test("in Swift 6 mode, with complete checks of concurrency")
  func clean() async throws {
    let folder = try SourceFolder("MustCompile")
    #expect(!folder.sources.isEmpty)
    let output = try await folder.compile(.flow, ["-warnings-as-errors"])
    #expect(output.isEmpty, "\(output)")
  }

  /// A module of its own: `@Observable` of the standard library doesn't compile beside such a type.
  @Test("with types that have the name of a module that expansions use")
  func moduleNames() async throws {
    let folder = try SourceFolder("MustCompile/ModuleNames")
    #expect(!folder.sources.isEmpty)
    let output = try await folder.compile(.flow, ["-warnings-as-errors"])
    #expect(output.isEmpty, "\(output)")
  }

  @Test("in Swift 5 mode, which many projects have, without an error")
  func swift5() async throws {
    let folder = try SourceFolder("MustCompile/Swift5")
    #expect(!folder.sources.isEmpty)
    let output = try await folder.compile(.flow, ["-swift-version", "5"])
    #expect(!output.contains("error:"), "\(output)")
  }

  /// `SWIFT_DEFAULT_ACTOR_ISOLATION`, `SWIFT_APPROACHABLE_CONCURRENCY` and
  /// `SWIFT_UPCOMING_FEATURE_MEMBER_IMPORT_VISIBILITY` of Xcode's templates. Swift 6 mode has some of their features.
  @Test(
    "with the settings of new projects in Xcode",
    arguments: [
      (
        "5",
        [
          "InferSendableFromCaptures", "GlobalActorIsolatedTypesUsability",
          "DisableOutwardActorInference",
        ]
      ),
      ("6", []),
    ])
  func newProject(mode: String, older: [String]) async throws {
    let folder = try SourceFolder("MustCompile/NewProject")
    #expect(!folder.sources.isEmpty)
    let newer = [
      "MemberImportVisibility", "NonisolatedNonsendingByDefault", "InferIsolatedConformances",
    ]
    let output = try await folder.compile(
      .flow,
      ["-warnings-as-errors", "-swift-version", mode, "-default-isolation", "MainActor"]
        + (newer + older).flatMap { ["-enable-upcoming-feature", $0] })
    #expect(output.isEmpty, "\(output)")
  }
}
