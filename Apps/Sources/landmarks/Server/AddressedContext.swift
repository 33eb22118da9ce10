import Hummingbird

/// The context of a request, with the address of its client.
struct AddressedContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The address without its port; nil where it isn't known.
  let address: String?

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    address = source.channel.remoteAddress?.ipAddress
  }
}
