/// An error about a program's file that cannot be read, or an address that it cannot listen on.
package struct LocalAppError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file or the address.
  package let subject: String
  /// A description of the failure and its remedy, safe to show.
  package let reason: String

  /// An error about `subject`.
  package init(_ subject: String, reason: String) {
    self.subject = subject
    self.reason = reason
  }

  package var description: String { "\(subject): \(reason)" }
}
