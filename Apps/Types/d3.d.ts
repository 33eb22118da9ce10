// The part of D3 that the charts of Quakes use (https://d3js.org/api). The library is loaded as a script, which sets a
// global variable.

interface D3Scale {
  (value: number): number;
  range(): number[];
  range(ends: number[]): D3Scale;
  ticks(count?: number): number[];
  invert(place: number): number;
}

/** The values of the data are those that the caller has bound. */
interface D3Selection {
  append(name: string): D3Selection;
  attr(name: string, value: string | number | ((datum: any) => string | number | null)): D3Selection;
  call<A extends unknown[]>(draw: (selection: D3Selection, ...values: A) => unknown, ...values: A): D3Selection;
  data(values: Iterable<unknown>): D3Selection;
  join(name: string): D3Selection;
  selectAll(selector: string): D3Selection;
}

interface D3Axis {
  (selection: D3Selection): void;
  tickValues(values: number[]): this;
  tickFormat(text: (value: number, index: number) => string): this;
  tickSize(size: number): this;
  tickSizeOuter(size: number): this;
}

interface D3Brush {
  (selection: D3Selection): void;
  extent(corners: [number, number][]): this;
  move(selection: D3Selection, ends: number[] | null): void;
  on(name: "end", handler: (event: { selection: [number, number] | null; sourceEvent?: Event }) => void): this;
  touchable(isTouchable: boolean): this;
}

/** A brush of two directions: its corners are top left and bottom right. */
interface D3PlaneBrush {
  (selection: D3Selection): void;
  extent(corners: [number, number][]): this;
  move(selection: D3Selection, corners: number[][] | null): void;
  on(
    name: "end",
    handler: (event: { selection: [[number, number], [number, number]] | null; sourceEvent?: Event }) => void,
  ): this;
  touchable(isTouchable: boolean): this;
}

/** A function from data to the path of a line through them. */
interface D3Line<T> {
  (data: Iterable<T>): string | null;
  x(place: (datum: T) => number): this;
  y(place: (datum: T) => number): this;
}

interface D3Library {
  axisBottom(scale: D3Scale): D3Axis;
  axisLeft(scale: D3Scale): D3Axis;
  brush(): D3PlaneBrush;
  brushX(): D3Brush;
  line<T>(x?: (datum: T) => number, y?: (datum: T) => number): D3Line<T>;
  max<T>(data: Iterable<T>, value: (datum: T) => number): number;
  range(first: number, below: number, step: number): number[];
  scaleLinear(domain: number[], range: number[]): D3Scale;
  scaleLog(domain: number[], range: number[]): D3Scale;
  select(element: Element): D3Selection;
  ticks(first: number, last: number, count: number): number[];
  utcTicks(first: Date, last: Date, count: number): Date[];
}

declare var d3: D3Library;
