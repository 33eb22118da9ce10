/** The contents of the charts of statistics: words, domains, marks and the rows of their tables. */

import * as format from "./format.js";
import { DAY, DEPTH_BIN } from "./statistics.js";
import { fromKilometres, get, toKilometres } from "./units.js";

/** The maximum number of bars for days; more days are put together. */
const BARS = 90;
/** The foot of a logarithmic axis: one earthquake has a height. */
const FOOT = 0.7;

/** @param {Intl.DateTimeFormatOptions} options */
const dates = (options) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
const dated = dates({ day: "numeric", month: "short", year: "numeric" });
const dayTick = dates({ day: "numeric", month: "short" });
const monthTick = dates({ month: "short", year: "numeric" });
const yearTick = dates({ year: "numeric" });
const compact = new Intl.NumberFormat("en", { notation: "compact" });

/**
 * 2.1e19 → "2.1×10¹⁹".
 * @param {number} value
 */
export function power(value) {
  const [digits, exponent] = value.toExponential(1).split("e");
  const raised = [...String(Number(exponent))]
    .map((sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[/** @type {`${number}`} */ (sign)] ?? "⁻").join("");
  return `${digits.replace(".0", "")}×10${raised}`;
}

/**
 * Bars, in bins with both ends.
 * @param {D3Selection} marks
 * @param {D3Scale} x
 * @param {D3Scale} y
 * @param {{from: number, to: number, value: number}[]} bars
 * @param {Bins | null} range the chosen one
 */
function drawBars(marks, x, y, bars, range) {
  const [bottom] = y.range();
  marks.selectAll(".column").data(bars).join("rect").attr("class", ({ from, to }) =>
    (range && (to < range[0] || from > range[1]) ? "column outside" : "column"))
    .attr("x", ({ from }) => x(from) + 0.5)
    .attr("width", ({ from, to }) => Math.max(1, x(to + 1) - x(from) - 1))
    .attr("y", ({ value }) => (value > 0 ? Math.min(bottom - 1, y(value)) : bottom))
    .attr("height", ({ value }) => (value > 0 ? Math.max(1, bottom - y(value)) : 0));
}

/**
 * @param {D3Library} d3
 * @param {number} count
 * @param {number} first
 * @param {number} last
 */
function dayTicks(d3, count, first, last) {
  const length = last - first + 1;
  const text = length > 1500 ? yearTick : length > 120 ? monthTick : dayTick;
  const times = d3.utcTicks(new Date(first * DAY), new Date((last + 1) * DAY), Math.min(count, length))
    .map(Number).filter((time) => time % DAY === 0 && time / DAY <= last);
  // The names of days stand below the middle of their bars.
  const middle = text === dayTick ? 0.5 : 0;
  return (times.length ? times : [first * DAY]).map((time) => ({ at: time / DAY + middle, text: text.format(time) }));
}

/**
 * The number of a day of the statistics.
 * @param {string} day
 */
const numberOf = (day) => Date.parse(day) / DAY;

/**
 * Bars of one or more days.
 * @param {QuakeStatistics["days"]} days
 * @param {number} first
 * @param {number} last
 */
function dayBars(days, first, last) {
  const length = Math.ceil((last - first + 1) / BARS);
  const bars = [];
  for (let from = first; from <= last; from += length) {
    bars.push({ from, to: Math.min(from + length - 1, last), count: 0 });
  }
  for (const { day, count } of days) bars[Math.floor((numberOf(day) - first) / length)].count += count;
  return bars.map((bar) => ({ ...bar, value: bar.count / (bar.to - bar.from + 1) }));
}

/** @param {QuakeStatistics["days"]} days */
const spanOf = (days) => [numberOf(days[0].day), numberOf(days[days.length - 1].day)];

/** @type {(from: number, to: number) => string} */
const spanText = (from, to) =>
  (from === to ? dated.format(from * DAY) : dated.formatRange(from * DAY, to * DAY));

/**
 * Only whole numbers are heights of counts.
 * @param {D3Scale} y
 */
const wholeTicks = (y) => y.ticks(4).filter(Number.isInteger);

/** @type {MakeContent} */
export function days(d3, { days: all, count }, range) {
  if (!all.length) return null;
  const [first, last] = spanOf(all);
  const bars = dayBars(all, first, last);
  const most = all.reduce((best, each) => (each.count > best.count ? each : best));
  const average = count / (last - first + 1);
  return {
    first, last,
    summary: `${format.rate(average)} a day on average; most, ${format.count(most.count)}, on ${
      dated.format(numberOf(most.day) * DAY)}.`,
    ticks: (number, from, to) => dayTicks(d3, number, from, to),
    heights: () => d3.scaleLinear([0, Math.max(1, d3.max(bars, ({ value }) => value))], []),
    heightTicks: wholeTicks,
    heightText: (value) => compact.format(value),
    draw: (marks, x, y) => drawBars(marks, x, y, bars, range),
    rows: () => bars.map(({ from, to, count: number, value }) => [
      spanText(from, to), format.count(number), from === to ? format.count(number) : format.rate(value),
    ]),
  };
}

/** @param {QuakeStatistics} statistics */
function lawText({ completeness, law }) {
  const complete = `Complete from magnitude ${format.tenth(completeness)}`;
  if (!law) return `${complete}. A b value needs 50 earthquakes of several magnitudes from there.`;
  // At least a digit of the error.
  const places = [2, 3, 4, 5].find((each) => law.error >= 10 ** -each) ?? 6;
  return `${complete}; b value ${law.b.toFixed(places)} ± ${law.error.toFixed(places)}, of ${
    format.plural(law.count, "earthquake")}.`;
}

/**
 * Counts of bins with those at least as strong, ascending.
 * @param {QuakeStatistics["magnitudes"]} magnitudes
 */
function cumulated(magnitudes) {
  let above = 0;
  return magnitudes.toReversed().map(({ magnitude, count }) => {
    above += count;
    return { bin: Math.round(magnitude * 10), count, above };
  }).toReversed();
}

/** @type {MakeContent} */
export function magnitudes(d3, statistics, range) {
  const { magnitudes: all, earthquakes, completeness, law } = statistics;
  if (!all.length || completeness === null) return null;
  const bins = cumulated(all);
  const [first, last] = [bins[0].bin, bins[bins.length - 1].bin];
  const bars = bins.map(({ bin, count }) => ({ from: bin, to: bin, value: count }));
  // The middle of a bin is its magnitude; the law is about its lower edge.
  /** @param {number} bin */
  const expected = (bin) => (law ? 10 ** (law.a - law.b * (bin / 10)) : 0);
  const line = law ? [law.completeness * 10, Math.max(last, law.completeness * 10)].map(Math.round) : [];
  /** @type {ChartContent["draw"]} */
  const draw = (marks, x, y) => {
    drawBars(marks, x, y, bars, range);
    marks.selectAll(".above").data(bins).join("circle").attr("class", "above").attr("r", 1.8)
      .attr("cx", ({ bin }) => x(bin + 0.5)).attr("cy", ({ above }) => y(above));
    const complete = Math.round(completeness * 10);
    const [foot, top] = y.range();
    marks.selectAll(".complete").data(complete <= last ? [complete] : []).join("line")
      .attr("class", "complete").attr("x1", x).attr("x2", x).attr("y1", foot).attr("y2", top);
    const path = d3.line().x((bin) => x(bin + 0.5)).y((bin) => y(Math.max(FOOT, expected(bin))));
    marks.selectAll(".law").data(law ? [line] : []).join("path").attr("class", "law").attr("d", path);
  };
  return {
    first, last, draw,
    summary: lawText(statistics),
    ticks: (number, from, to) => {
      const step = (to - from) / number > 20 ? 20 : 10;
      const ticks = d3.range(Math.ceil(from / step) * step, to + 1, step);
      return (ticks.length ? ticks : [from]).map((bin) => ({ at: bin + 0.5, text: format.tenth(bin / 10) }));
    },
    heights: () => d3.scaleLog([FOOT, earthquakes * 1.3], []),
    heightTicks: (y) => y.ticks().filter((value) => value >= 1 && Number.isInteger(Math.log10(value))),
    heightText: (value) => compact.format(value),
    rows: () => bins.map(({ bin, count, above }) => [format.tenth(bin / 10), format.count(count), format.count(above)]),
  };
}

/** @type {MakeContent} */
export function depths(d3, { depths: all }, range) {
  if (!all.length) return null;
  const bars = all.map(({ depth, count }) => ({ from: depth / DEPTH_BIN, to: depth / DEPTH_BIN, value: count }));
  const most = bars.reduce((best, bar) => (bar.value > best.value ? bar : best));
  /** @param {{from: number}} bar */
  const text = ({ from }) => `${format.depthLimit(from * DEPTH_BIN)} to ${
    format.depthLimit((from + 1) * DEPTH_BIN)} ${get("distance")}`;
  // Round numbers of the reader's unit stand where they are among the bins.
  /** @param {number} bin */
  const scale = (bin) => fromKilometres(bin * DEPTH_BIN);
  const deepest = bars[bars.length - 1];
  return {
    first: bars[0].from, last: deepest.from,
    summary: `Most, ${format.count(most.value)}, at ${text(most)}; the deepest at ${text(deepest)}.`,
    ticks: (number, from, to) => d3.ticks(scale(from), scale(to + 1), Math.min(number, to - from + 1))
      .map((value) => ({ at: toKilometres(value) / DEPTH_BIN, text: String(value).replace("-", "−") })),
    heights: () => d3.scaleLinear([0, most.value], []),
    heightTicks: wholeTicks,
    heightText: (value) => compact.format(value),
    draw: (marks, x, y) => drawBars(marks, x, y, bars, range),
    rows: () => bars.map((bar) => [text(bar), format.count(bar.value)]),
  };
}

/** @type {MakeContent} */
export function moment(d3, { days: all, moment: total, momentMagnitude }) {
  if (total === null) return null;
  const [first, last] = spanOf(all);
  let sum = 0;
  const points = all.map(({ day, moment: released }) => {
    sum += released;
    return { day: numberOf(day), released, sum };
  });
  return {
    first, last,
    summary: `${power(total)} N·m in all, as of one earthquake of magnitude ${format.tenth(momentMagnitude)}.`,
    ticks: (number, from, to) => dayTicks(d3, number, from, to),
    heights: () => d3.scaleLinear([0, total], []),
    heightTicks: (y) => y.ticks(3),
    heightText: (value) => (value === 0 ? "0" : power(value)),
    draw: (marks, x, y) => {
      // The sum of a day is reached at its end; days without events add nothing.
      const path = d3.line(({ at }) => x(at), ({ sum: reached }) => y(reached));
      const corners = points.flatMap(({ day, released, sum: reached }) => [
        { at: day, sum: reached - released }, { at: day + 1, sum: reached },
      ]);
      marks.selectAll(".sum").data([corners]).join("path").attr("class", "sum").attr("d", path);
    },
    rows: () => points.map(({ day, released, sum: reached }) => [
      dated.format(day * DAY), released > 0 ? power(released) : "0", reached > 0 ? power(reached) : "0",
    ]),
  };
}
