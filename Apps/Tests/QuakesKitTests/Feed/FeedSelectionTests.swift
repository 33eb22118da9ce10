import Foundation
import QuakesKit
import Testing

@testable import TestSupport

@Suite("Choosing a feed")
struct FeedSelectionTests {
  @Test("There are twenty names, each with its address")
  func names() throws {
    #expect(FeedName.allNames.count == 20)
    #expect(
      FeedName.allDay.url.absoluteString
        == "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson")
    for name in FeedName.allNames {
      #expect(try FeedSelection(name.description).url == name.url)
      #expect(name.url.path.hasSuffix("/\(name).geojson"))
    }
    #expect(FeedName("ALL_Week")?.description == "all_week")
  }

  @Test("Addresses are taken as they are and named by their last part")
  func addresses() throws {
    let selection = try FeedSelection("http://127.0.0.1:8081/summary/all_hour.geojson?x=1")
    #expect(selection.name == "all_hour" && !selection.isFile)
    #expect(selection.url.absoluteString == "http://127.0.0.1:8081/summary/all_hour.geojson?x=1")
    #expect(try FeedSelection("https://example.org").name == "example.org")
  }

  @Test("A path is a file when it exists")
  func files() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("feed.geojson", "")
    let relative = try FeedSelection(
      file.lastPathComponent, relativeTo: file.deletingLastPathComponent())
    #expect(relative.isFile && relative.url.path == file.path)
    #expect(try FeedSelection(file.path).url.path == file.path)
    #expect(relative.name == file.deletingPathExtension().lastPathComponent)
  }

  @Test(
    "Anything else is refused with the valid choices",
    arguments: [
      "", "all_year", "2.5_dya", "ftp://example.org/x", "http://", "http:///x",
    ])
  func refused(text: String) {
    #expect { try FeedSelection(text) } throws: { error in
      (error as? QuakesError)?.code == .invalidArgument
    }
  }

  @Test(
    "A text that can only be a path is reported as a missing file, without the feeds' names",
    arguments: ["nothing-here.geojson", "./all_day", "no/such/folder/all_day", "/"])
  func missingFile(text: String) {
    #expect { try FeedSelection(text) } throws: { error in
      (error as? QuakesError)?.code == .noSuchFile && !"\(error)".contains("significant")
    }
  }
}
