import Foundation
import LocalApp
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The failures of commands during the live view. On the view's own terminal they would destroy the view, so they are
/// kept for its last line, and printed after its end.
final class CommandFailures: Sendable {
  private struct Kept: Sendable {
    var latest: String?
    var sentences: [String] = []
  }

  /// The maximum number of sentences that are kept, the latest ones.
  private static let most = 20

  private let kept = Mutex(Kept())
  /// Whether the standard error is a terminal, most probably that of the view.
  private let isOnTerminal = isatty(STDERR_FILENO) == 1

  /// The file for the outputs of commands; nil discards them.
  var output: FileHandle? { isOnTerminal ? nil : .standardError }

  /// The sentence about the last command; nil when it succeeded.
  var latest: String? { kept.withLock { $0.latest } }

  /// Takes a sentence about a failure; nil for a success.
  func add(_ sentence: String?) {
    kept.withLock { kept in
      kept.latest = sentence
      guard isOnTerminal, let sentence else { return }
      kept.sentences = (kept.sentences + [sentence]).suffix(Self.most)
    }
    if !isOnTerminal, let sentence { complain(sentence) }
  }

  /// Prints the sentences that are kept, once the view has ended.
  func tell() { for sentence in kept.withLock({ $0.sentences }) { complain(sentence) } }
}
