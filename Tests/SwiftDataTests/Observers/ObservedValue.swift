import Foundation
import Observation

/// What `read` gives after what it reads has changed because of `action`.
@MainActor
func value<Value>(
  _ read: @MainActor () -> Value, after action: @MainActor () throws -> Void
) async rethrows -> Value {
  let (changes, continuation) = AsyncStream<Void>.makeStream()
  withObservationTracking {
    _ = read()
  } onChange: {
    continuation.yield()
  }
  try action()
  for await _ in changes { break }
  // The change is announced before it happens, in the main actor's turn that makes it.
  await Task.yield()
  return read()
}
