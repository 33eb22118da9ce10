import Foundation
import Observation

/// Returns the result of `read` after an observed property that it reads has changed because of `action`.
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
  // The change is announced before it happens, in the main actor's job that makes it.
  await Task.yield()
  return read()
}
