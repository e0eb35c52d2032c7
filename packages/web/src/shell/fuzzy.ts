/** Finds what a user means by a few letters: `dpl` finds “deploy”, `wf` finds “web front”. Keeps PAGE-72. */

const WHOLE_SCORE = 100;
const WORD_START_SCORE = 30;
const LETTER_SCORE = 4;
const GAP_COST = 1;

/** Returns how well a search fits a text, the higher the better; null if it does not. An empty search fits everything. */
export function fuzzyScore(search: string, text: string): number | null {
  let score = 0;
  const within = text.toLowerCase();
  for (const word of search.toLowerCase().split(/\s+/).filter(Boolean)) {
    const found = wordScore(word, within);
    if (found === null) return null;
    score += found;
  }
  return score;
}

function wordScore(word: string, text: string): number | null {
  const at = text.indexOf(word);
  if (at !== -1) {
    const start = isWordStart(text, at) ? at : startingAt(word, text);
    return WHOLE_SCORE + (start === -1 ? 0 : WORD_START_SCORE) - Math.min(20, at);
  }
  // The first letter must begin a word: with letters from anywhere, too much would fit.
  let best: number | null = null;
  for (let from = text.indexOf(word[0]!); from !== -1; from = text.indexOf(word[0]!, from + 1)) {
    if (!isWordStart(text, from)) continue;
    const score = lettersScore(word, text, from);
    if (score !== null && (best === null || score > best)) best = score;
  }
  return best;
}

/** Returns the score of letters that come in this order; letters at the start of a word count more, gaps count less. */
function lettersScore(word: string, text: string, from: number): number | null {
  let at = from;
  let score = LETTER_SCORE;
  for (const letter of word.slice(1)) {
    const next = text.indexOf(letter, at + 1);
    if (next === -1) return null;
    score += isWordStart(text, next) ? 2 * LETTER_SCORE : LETTER_SCORE - GAP_COST * Math.min(3, next - at - 1);
    at = next;
  }
  return score;
}

function startingAt(word: string, text: string): number {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) if (isWordStart(text, at)) return at;
  return -1;
}

const isWordStart = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!);
