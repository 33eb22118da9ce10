#if canImport(Glibc) || canImport(Musl) || canImport(Android)
  import Dispatch
  import Foundation
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  /// The process's only inotify(7) instance, open as long as a folder is watched.
  enum FolderEvents {
    private struct Watch: Sendable {
      let folder: Int32
      let file: WatchedFile
      let callback: @Sendable (Bool) -> Void
    }

    private struct State {
      var descriptor: Int32 = -1
      var source: Source?
      var watches: [Int: Watch] = [:]
      var next = 0
    }

    private struct Source: @unchecked Sendable {
      // Unchecked: a source may be cancelled from any thread, and no other operation is used.
      let source: any DispatchSourceRead
    }

    private static let state = Mutex(State())
    private static let queue = DispatchQueue(label: "SwiftData.FolderEvents")
    private static let mask = UInt32(
      IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB)
    /// Events that may mean that a file was replaced.
    private static let replacement = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM)

    /// - Returns: The number to pass to ``remove(_:)``; nil when the folder can't be watched.
    static func add(
      _ file: WatchedFile, _ callback: @escaping @Sendable (Bool) -> Void
    ) -> Int? {
      state.withLock { state in
        if state.descriptor < 0 {
          let opened = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
          guard opened >= 0 else { return nil }
          state.descriptor = opened
          state.source = makeSource(opened)
        }
        let folder = inotify_add_watch(state.descriptor, file.folder, mask)
        guard folder >= 0 else {
          closeIfUnused(&state)
          return nil
        }
        state.next += 1
        state.watches[state.next] = Watch(folder: folder, file: file, callback: callback)
        return state.next
      }
    }

    static func remove(_ number: Int) {
      state.withLock { state in
        guard let removed = state.watches.removeValue(forKey: number) else { return }
        if !state.watches.values.contains(where: { $0.folder == removed.folder }) {
          inotify_rm_watch(state.descriptor, removed.folder)
        }
        closeIfUnused(&state)
      }
    }

    private static func closeIfUnused(_ state: inout State) {
      guard state.watches.isEmpty else { return }
      // The cancel handler of the source closes the descriptor.
      state.source?.source.cancel()
      state.source = nil
      state.descriptor = -1
    }

    private static func makeSource(_ descriptor: Int32) -> Source {
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { receive(descriptor) }
      source.setCancelHandler { close(descriptor) }
      source.resume()
      return Source(source: source)
    }

    // MARK: - Reading

    /// An event for one file in a folder, or for all files when the kernel lost events.
    private struct Event {
      let folder: Int32
      let name: String
      let mask: UInt32
    }

    private static func receive(_ descriptor: Int32) {
      var woken: [Int: Bool] = [:]
      withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 8) { buffer in
        while true {
          let count = bytes(of: descriptor, into: buffer)
          guard count > 0 else { return }
          for event in events(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
            record(event, in: &woken)
          }
        }
      }
      guard !woken.isEmpty else { return }
      let callbacks = state.withLock { state in
        woken.compactMap { number, isReplaced in
          state.watches[number].map { ($0.callback, isReplaced) }
        }
      }
      for (callback, isReplaced) in callbacks { callback(isReplaced) }
    }

    private static func events(_ bytes: UnsafeRawBufferPointer) -> [Event] {
      var events: [Event] = []
      var offset = 0
      let header = MemoryLayout<inotify_event>.size
      while offset + header <= bytes.count {
        let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        guard offset + header + length <= bytes.count else { break }
        let name = bytes[offset + header..<offset + header + length].prefix { $0 != 0 }
        events.append(
          Event(
            folder: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
            name: String(decoding: name, as: UTF8.self),
            mask: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)))
        offset += header + length
      }
      return events
    }

    private static func record(_ event: Event, in woken: inout [Int: Bool]) {
      let watches = state.withLock { $0.watches }
      let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
      for (number, watch) in watches where isOverflow || watch.folder == event.folder {
        // An event for the folder itself, or for one of the store's files.
        guard isOverflow || event.name.isEmpty || watch.file.names.contains(event.name) else {
          continue
        }
        let isReplaced =
          isOverflow || event.name == watch.file.name && event.mask & replacement != 0
        woken[number] = isReplaced || woken[number] ?? false
      }
    }

    private static func bytes(
      of descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
      while true {
        let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }
#endif
