const MAX_NAME_LENGTH = 40;

/** Ignores case and the separators of other naming styles. */
export const plainFieldName = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

/**
 * Finds the known name that was probably meant: one wrong letter is allowed from 4 letters on, two from 6 on.
 * @param known in groups: a similar name of an earlier group is preferred to the same name in a later one.
 * @returns undefined when no name is similar enough.
 */
export function similarName(name: string, ...known: readonly (readonly string[])[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const written = plainFieldName(name);
  // A known name followed by another word, such as messageId, is a different name.
  const extendsKnown = known.flat().some((candidate) => {
    const meant = plainFieldName(candidate);
    return written.length >= meant.length + 2 && written.startsWith(meant);
  });
  for (const names of known) {
    const best = mostSimilar(written, names);
    if (best && !(best.errors === 2 && extendsKnown)) return best.name;
  }
  return undefined;
}

function mostSimilar(written: string, names: readonly string[]) {
  let best: { readonly name: string; readonly errors: number } | undefined;
  for (const candidate of names) {
    const meant = plainFieldName(candidate);
    const allowed = meant.length < 4 ? 0 : meant.length < 6 ? 1 : 2;
    if (Math.abs(meant.length - written.length) > allowed) continue;
    const errors = editDistance(written, meant);
    if (errors <= allowed && errors < (best?.errors ?? Infinity)) best = { name: candidate, errors };
  }
  return best;
}

/** Damerau-Levenshtein distance (optimal string alignment). */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isSwap =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          replaced,
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
