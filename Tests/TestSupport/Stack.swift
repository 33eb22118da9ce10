import Dispatch
import Foundation

/// Runs a closure on a thread with a stack of `size` bytes.
package func onStack(of size: Int, _ body: @escaping () throws -> Void) throws {
  nonisolated(unsafe) var result: Result<Void, any Error> = .success(())
  nonisolated(unsafe) let work = body
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    result = Result { try work() }
    done.signal()
  }
  thread.stackSize = size
  thread.start()
  done.wait()
  try result.get()
}
