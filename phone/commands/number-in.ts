/** Reads a number of the command line. @returns undefined if it is not given. @throws Error */
export function numberIn(
  name: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? NaN : Number(text);
  if (!(value >= least && value <= most))
    throw new Error(`${name} must be a number from ${least} to ${most}`);
  return value;
}
