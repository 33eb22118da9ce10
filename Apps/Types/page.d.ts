// Parts of the web's and JavaScript's interfaces that the pages use and TypeScript 4.8 (Debian 12) doesn't know. Later
// versions have the same declarations.

interface Array<T> {
  /** ECMA-262, 23.1.3.11 */
  findLast(isWanted: (value: T, index: number) => unknown): T | undefined;
  /** ECMA-262, 23.1.3.33 */
  toReversed(): T[];
  /** ECMA-262, 23.1.3.34 */
  toSorted(compare?: (one: T, other: T) => number): T[];
}

interface String {
  /** ECMA-262, 22.1.3.31; browsers from before 2024 lack it. */
  toWellFormed?(): string;
}

interface PromiseConstructor {
  /** ECMA-262, 27.2.4.8 */
  withResolvers<T>(): PromiseWithResolvers<T>;
}

interface PromiseWithResolvers<T> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (reason?: any) => void;
}

/** Static members can't be added to a declared variable; the place that uses them names one of these types. */
type AbortSignalTimeout = typeof AbortSignal & {
  /** https://dom.spec.whatwg.org/#dom-abortsignal-timeout */
  timeout(milliseconds: number): AbortSignal;
};

type URLCanParse = typeof URL & {
  /** https://url.spec.whatwg.org/#dom-url-canparse */
  canParse(url: string): boolean;
};

interface Element {
  /** https://drafts.csswg.org/cssom-view/#dom-element-checkvisibility */
  checkVisibility(options?: { visibilityProperty?: boolean }): boolean;
}

interface HTMLElement {
  /** https://html.spec.whatwg.org/multipage/popover.html#dom-hidepopover */
  hidePopover(): void;
  showPopover(): void;
}

interface CSSStyleDeclaration {
  /** https://drafts.csswg.org/css-color-adjust-1/#forced-color-adjust-prop */
  forcedColorAdjust: string;
}

/** https://html.spec.whatwg.org/multipage/canvas.html#the-offscreencanvas-interface */
interface OffscreenCanvas extends EventTarget {
  getContext(kind: "2d", options?: { willReadFrequently?: boolean }): OffscreenCanvasRenderingContext2D | null;
}

interface OffscreenCanvasRenderingContext2D extends CanvasImageData, CanvasRect, CanvasText, CanvasTextDrawingStyles {}

declare var OffscreenCanvas: {
  prototype: OffscreenCanvas;
  new(width: number, height: number): OffscreenCanvas;
};
