// The global scopes of the service worker and of the shared worker; TypeScript's is that of a worker of a page.

/** The program writes these two constants before the service worker: the version of all files, */
declare const VERSION: string;
/** and their entity tags by path. */
declare const FILES: Record<string, string>;

/** https://wicg.github.io/netinfo/, in some browsers */
interface WorkerNavigator {
  connection?: { saveData?: boolean };
}

/** https://w3c.github.io/ServiceWorker/#serviceworkerglobalscope-interface */
declare const clients: Clients;
declare function skipWaiting(): Promise<void>;
declare function addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
/** https://notifications.spec.whatwg.org/#service-worker-api */
declare function addEventListener(type: "notificationclick", listener: (event: NotificationEvent) => void): void;
declare function addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;

/** https://html.spec.whatwg.org/multipage/workers.html#event-sharedworkerglobalscope-connect */
declare function addEventListener(type: "connect", listener: (event: MessageEvent) => void): void;
