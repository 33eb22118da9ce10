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

  @Test("in Swift 5 mode, which many projects have, without an error")
  func swift5() async throws {
    let folder = try SourceFolder("MustCompile/Swift5")
    #expect(!folder.sources.isEmpty)
    let output = try await folder.compile(.flow, ["-swift-version", "5"])
    #expect(!output.contains("error:"), "\(output)")
  }
}
