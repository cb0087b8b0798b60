/** Reads an option of the command line. @throws Error that names the option. */
export function wholeNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > max)
    throw new Error(`--${name} must be a whole number from 1 to ${max}, not ${text}`);
  return number;
}
