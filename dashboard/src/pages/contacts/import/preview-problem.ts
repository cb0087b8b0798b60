import type { Column } from '../../../../../src/contact-imports/reading/column-target';

/** The beginning of a file, and what its columns are taken for. */
export interface Preview {
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
  /** Numbers on one line, which have no columns to choose. */
  readonly isList: boolean;
  readonly rows: readonly (readonly string[])[];
}

export type PreviewProblem = 'noText' | 'notUtf8' | 'empty' | 'tooManyColumns';

export class UnreadableFile extends Error {
  constructor(readonly problem: PreviewProblem) {
    super(problem);
  }
}
