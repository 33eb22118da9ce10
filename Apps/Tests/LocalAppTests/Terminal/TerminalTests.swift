import Foundation
import LocalApp
import Testing

@Suite("The capabilities of a terminal")
struct TerminalTests {
  private let coloured = Terminal(isInteractive: true, hasColour: true, columns: 80)
  private let plain = Terminal(isInteractive: false, hasColour: false, columns: 60)

  @Test("Colour depends on terminal and environment")
  func colour() throws {
    #expect(coloured.styled("x", .red) == "\u{1b}[31mx\u{1b}[0m")
    #expect(plain.styled("x", .red) == "x")
    let file = FileHandle.nullDevice.fileDescriptor
    #expect(!Terminal.at(file, environment: [:]).hasColour)
    #expect(Terminal.at(file, environment: ["COLUMNS": "99"]).columns == 99)
    #expect(Terminal.at(file, environment: ["COLUMNS": "1"]).columns == 20)
  }
}
