/// A file of a program that cannot be read, or an address that it cannot listen on.
package struct LocalAppError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file or the address.
  package let subject: String
  /// What happened and what to do, safe to show.
  package let reason: String

  /// An error about `subject`.
  package init(_ subject: String, reason: String) {
    self.subject = subject
    self.reason = reason
  }

  package var description: String { "\(subject): \(reason)" }
}
