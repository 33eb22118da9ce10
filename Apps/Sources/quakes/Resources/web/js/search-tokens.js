/**
 * The parts of a search between spaces, as typed: `california`, `-m>4`, `"san francisco"`, `near:"san francisco"`.
 * The command line and the API have the same rules in SearchToken.swift.
 */

const QUOTES = new Set(["\"", "“", "”", "„"]);
/** @param {string} letter */
const isSpace = (letter) => /\s/.test(letter);

/** @param {string} text */
const trimmed = (text) => text.replace(/^[,;]+|[,;]+$/g, "");

/**
 * The token at a place of a text, and the place behind it.
 * @param {string} search
 * @param {number} start
 * @returns {{token: SearchToken, end: number}}
 */
function tokenAt(search, start) {
  let at = start;
  const after = search[at + 1] ?? " ";
  let isNegated = search[at] === "-" && !isSpace(after) && after !== "-";
  if (isNegated) at += 1;
  const isQuoted = QUOTES.has(search[at]);
  let text = "";
  let previous = "";
  while (at < search.length && !isSpace(search[at])) {
    const letter = search[at];
    at += 1;
    if (QUOTES.has(letter) && (previous === "" || previous === ":")) {
      let inside = "";
      while (at < search.length && !QUOTES.has(search[at])) {
        inside += search[at];
        at += 1;
      }
      at += 1;
      text += inside.split(/\s+/).filter(Boolean).join(" ");
      previous = "\"";
    } else {
      text += letter;
      previous = letter;
    }
  }
  const source = search.slice(start, at);
  if (!isQuoted) text = trimmed(text);
  if (isNegated && text === "") {
    // A sign alone, or with commas only, is a word as any other.
    isNegated = false;
    text = trimmed(source);
  }
  return { token: { source, text, isNegated, isQuoted }, end: at };
}

/**
 * The tokens of a search. A quotation mark counts at the beginning, and behind a colon; without an end it encloses
 * everything.
 * @param {string} search
 * @returns {SearchToken[]}
 */
export function searchTokens(search) {
  const tokens = [];
  let at = 0;
  while (at < search.length) {
    if (isSpace(search[at])) at += 1;
    else {
      const { token, end } = tokenAt(search, at);
      if (token.text !== "") tokens.push(token);
      at = end;
    }
  }
  return tokens;
}
