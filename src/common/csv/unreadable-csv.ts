/** A file that cannot be read as CSV. */
export class UnreadableCsv extends Error {
  /** @param problem what the file is and what to do, to follow "The file". */
  constructor(readonly problem: string) {
    super(`The file ${problem}`);
  }
}
