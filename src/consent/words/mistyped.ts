/** Of shorter words, those with two letters swapped are words of their own. */
const MIN_LETTERS = 4;

/** Of shorter words, those with a further letter are words of their own. */
const MIN_LETTERS_WITH_INSERTION = 5;

/**
 * Whether a word is an out-word with two neighbouring letters swapped, as in "stpo", or with one of its letters twice, as in
 * "prarar". Other mistakes lead to words that mean something else, such as "shop" and "para".
 */
export function isMistyped(word: string, intended: string): boolean {
  if (intended.length < MIN_LETTERS || word === intended) return false;
  if (word.length === intended.length) return isSwapped(word, intended);
  return intended.length >= MIN_LETTERS_WITH_INSERTION && hasLetterTwice(word, intended);
}

function isSwapped(word: string, intended: string): boolean {
  const at = firstDifference(word, intended);
  return (
    word[at] === intended[at + 1] &&
    word[at + 1] === intended[at] &&
    word.slice(at + 2) === intended.slice(at + 2)
  );
}

/** Not at the end, where a letter makes another form of a verb. */
function hasLetterTwice(word: string, intended: string): boolean {
  if (word.length !== intended.length + 1) return false;
  const at = firstDifference(word, intended);
  const added = word[at] ?? '';
  return at < intended.length && intended.includes(added) && word.slice(at + 1) === intended.slice(at);
}

function firstDifference(word: string, other: string): number {
  let at = 0;
  while (at < other.length && word[at] === other[at]) at += 1;
  return at;
}
