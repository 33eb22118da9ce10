import DataStoreConformance
import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("The conformance suite")
struct ConformanceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expectAll<Configuration>(_ conformance: DataStoreConformance<Configuration>) {
    #expect(conformance.checks.count >= 20)
    for (check, error) in conformance.failures() {
      Issue.record("\(check): \(error)")
    }
  }

  @Test("passes for the default store in a file")
  func defaultStoreInFile() {
    let folder = folder
    expectAll(
      DataStoreConformance { ModelConfiguration(url: folder.newFile("store")) })
  }

  @Test("passes for the default store in memory")
  func defaultStoreInMemory() {
    expectAll(
      DataStoreConformance(isPersistent: false) {
        ModelConfiguration(isStoredInMemoryOnly: true)
      })
  }

  @Test("passes for a store of one JSON file")
  func jsonStore() {
    let folder = folder
    expectAll(
      DataStoreConformance {
        JSONFileConfiguration(name: "json", fileURL: folder.newFile("json"))
      })
  }

  @Test("passes for a store of one dictionary")
  func dictionaryStore() {
    expectAll(DataStoreConformance { DictionaryConfiguration(name: "dictionary") })
  }

  @Test("finds every fault that a store can have", arguments: Fault.allCases)
  func faults(_ fault: Fault) throws {
    let conformance = DataStoreConformance {
      DictionaryConfiguration(name: "dictionary", fault: fault)
    }
    let failures = conformance.failures()
    #expect(!failures.isEmpty, "no check found that the store \(fault.rawValue)")
    let first = try #require(failures.first { $0.error is ConformanceFailure })
    let failure = try #require(first.error as? ConformanceFailure)
    #expect(failure.check == first.check)
    #expect("\(failure)".contains("expected"))
  }

  @Test("leaves persistence out for a store in memory")
  func persistence() {
    let lasting = DataStoreConformance { DictionaryConfiguration(name: "dictionary") }
    let passing = DataStoreConformance(isPersistent: false) {
      DictionaryConfiguration(name: "dictionary")
    }
    #expect(lasting.checks.count > passing.checks.count)
  }
}
