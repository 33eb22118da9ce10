import Testing

/// Short versions of the runs of `make acceptance ONLY=faults`; `make test` has runs of a length in between.
@Suite("A machine that loses its power", .serialized)
struct PowerLossTests {
  @Test(
    "has all acknowledged saves afterwards, and each other save as a whole or not at all",
    arguments: ["save", "batch", "first-opening", "migration", "history", "external", "log"])
  func acknowledged(workload: String) async throws {
    let run = try await FaultProgramRun("power", "--workload", workload, "--seeds", "8")
    #expect(run.code == 0, "\(run.output)")
    #expect(run.count("seeds") == 8)
  }

  @Test("has the names of the folders that it made for a store's large values")
  func largeValuesOfNewStores() async throws {
    // Of a hundred seeds, nine lost a value while only the file's own folder was synced.
    let run = try await FaultProgramRun("power", "--workload", "first-opening", "--seeds", "60")
    #expect(run.code == 0, "\(run.output)")
  }

  /// Of six hundred seeds of large values, 25 lost one while a value's file was removed before the commit that dropped
  /// it was on the disk.
  @Test(
    "may be without the last saves where SQLite syncs less, but never without others",
    arguments: [("save", 30), ("external", 60)])
  func normal(workload: String, seeds: Int) async throws {
    let run = try await FaultProgramRun(
      "power", "--workload", workload, "--seeds", "\(seeds)", "--synchronous", "normal")
    #expect(run.code == 0, "\(run.output)")
    #expect(try #require(run.count("shorter")) > 0, "\(run.output)")
  }

  @Test(
    "loses acknowledged saves where nothing is synced, so the harness detects losses",
    arguments: [["--synchronous", "off"], ["--lies"]])
  func controls(disk: [String]) async throws {
    let arguments = ["power", "--workload", "save", "--seeds", "30"] + disk
    let run = try await FaultProgramRun(arguments)
    #expect(run.code == 1, "\(run.output)")
    #expect(try #require(run.count("lost")) > 0, "\(run.output)")
    #expect(try #require(run.count("corrupt")) > 0, "\(run.output)")
  }

  @Test("and a process that is killed at any call, has all acknowledged saves")
  func killed() async throws {
    let run = try await FaultProgramRun("kill", "--workload", "save,external", "--seeds", "8")
    #expect(run.code == 0, "\(run.output)")
  }
}

@Suite("A call of the system that fails", .serialized)
struct RefusedCallTests {
  @Test(
    "gives an error of ours, once: the step can be taken again, and the store has it all",
    arguments: ["save", "batch", "first-opening", "migration", "history", "external", "log"])
  func everyKind(workload: String) async throws {
    let run = try await FaultProgramRun(
      "refuse", "--workload", workload, "--stride", workload == "log" ? "301" : "29")
    #expect(run.code == 0, "\(run.output)")
    #expect(try #require(run.count("calls")) > 2)
  }
}

@Suite("Processes that write one store at once")
struct WritersTests {
  @Test("lose no update where a save may not overwrite, and leave no gap in the history")
  func additions() async throws {
    let run = try await FaultProgramRun("writers", "--processes", "4", "--saves", "100")
    #expect(run.code == 0, "\(run.output)")
  }
}
