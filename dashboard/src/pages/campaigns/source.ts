/** Where the rows of a campaign come from. */
export interface Source {
  /** Absent for pasted text. */
  readonly name?: string;
  readonly text: string;
  /** Of the list of contacts that it was read from. */
  readonly listId?: string;
}
