import ArgumentParser
import Foundation
import LocalApp
import LocalCopy
import QuakesKit

/// `quakes refresh`: loads a feed once.
struct RefreshCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Load a feed into the store.",
    discussion: """
      New events are added, changed ones are updated, and nothing is there twice. Events that the feed has \
      withdrawn are marked, not deleted. When the feed cannot be loaded, the store stays as it was.

      EXAMPLES
        quakes refresh
        quakes refresh --feed significant_month
        quakes refresh --feed captured.geojson --store test.store --json
      """)

  @OptionGroup var feedOptions: FeedOptions
  @OptionGroup var storeOptions: StoreOptions

  @Flag(help: "Ask the server even when the last answer is still good.")
  var force = false

  @Flag(help: "Print the report as one JSON object.")
  var json = false

  func run() async throws {
    // A mistyped feed must not leave an empty store behind.
    let (selection, rule) = (try feedOptions.selection(), try feedOptions.rule())
    let store = try storeOptions.open()
    let feed = try QuakeFeed(selection, into: store, rule: rule)
    let report = try await interruptible { try await refresh(feed) }
    var output = StandardOutput()
    let text = ReportText(report, feed: feed.selection, store: store.location)
    if json { try output.write(text.json) } else { try output.write(text.plain) }
    try output.flush()
  }

  private func refresh(_ feed: QuakeFeed) async throws -> RefreshReport {
    let terminal = Terminal.at(FileHandle.standardError.fileDescriptor)
    guard terminal.isInteractive else { return try await load(feed) }
    let bar = ProgressBar(terminal: terminal)
    let states = feed.copy.states()
    return try await withThrowingTaskGroup(of: RefreshReport?.self) { group in
      group.addTask {
        for await state in states {
          guard case .refreshing(let progress, _) = state else { continue }
          bar.show(
            bar.line(
              bytes: progress.bytesReceived, expected: progress.bytesExpected,
              events: progress.elements))
          // States arrive as fast as the feed is read; ten updates a second suffice for users.
          try await Task.sleep(for: .milliseconds(100))
        }
        return nil
      }
      group.addTask { try await load(feed) }
      defer {
        group.cancelAll()
        bar.clear()
      }
      while let outcome = try await group.next() {
        if let report = outcome { return report }
      }
      throw CancellationError()
    }
  }

  private func load(_ feed: QuakeFeed) async throws -> RefreshReport {
    try await feed.refresh(force: force) {
      complain("Another program is loading this feed; waiting for its result …")
    }
  }
}
