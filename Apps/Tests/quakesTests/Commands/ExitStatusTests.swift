import Foundation
import LocalApp
import LocalCopy
import QuakesKit
import Testing

@testable import quakes

@Suite("Exit status of errors")
struct ExitStatusTests {
  @Test("Errors that all programs have")
  func shared() {
    struct Odd: Error {}
    #expect(ExitStatus(StandardOutput.Closed()) == ExitStatus(code: 0, message: ""))
    #expect(ExitStatus(CancellationError()) == ExitStatus(code: 130, message: "interrupted"))
    #expect(
      ExitStatus(LocalAppError("x", reason: "y")) == ExitStatus(code: 74, message: "x: y"))
    #expect(ExitStatus(POSIXError(.EIO)).code == 74)
    #expect(ExitStatus(Odd()) == ExitStatus(code: 70, message: "unexpected: Odd()"))
  }

  @Test("Errors of the program itself")
  func own() {
    let busy = LocalCopyError(.throttled, reason: "busy", advice: "wait")
    #expect(ExitStatus(busy).code == 75)
    #expect(ExitStatus(QuakesError(.notFound, "x", reason: "y")).code == 1)
  }

  @Test("An option beats its variable; an empty variable counts as unset")
  func environment() {
    let environment = EnvironmentVariables(["A": "1", "B": ""])
    #expect(environment.value(nil, "A") == "1")
    #expect(environment.value("2", "A") == "2")
    #expect(environment.value("", "A") == "")
    #expect(environment.value(nil, "B") == nil)
    #expect(environment.value(nil, "C") == nil)
  }
}
