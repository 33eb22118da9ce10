/// The options with which the package was compiled.
@usableFromInline
package enum BuildOptions {
  /// Whether everything that isn't needed for correctness and depends on the runtime's insides, or lays data out for
  /// speed only, is replaced by its plain form: `OPENSWIFTDATA_PLAIN=1`, see docs/speed-switches.md.
  @inlinable package static var isPlain: Bool {
    #if OSD_PLAIN
      true
    #else
      false
    #endif
  }
}
