/** A cursor's place: the extension keeps none itself, any of its connections continues from these bytes. */
interface OpenCursor {
  continuation: Buffer;
  usedAt: number;
}

/** MongoDB's own time-out for cursors that nobody reads. */
export const CURSOR_IDLE_MS = 10 * 60_000;
/** As many as the extension keeps result files for (documentdb.maxCursorFileCount). */
const MAX_CURSORS = 5000;

/** The open cursors by id. Ids come from the extension; a driver may continue a cursor on any of its connections. */
export class Cursors {
  private readonly open = new Map<string, OpenCursor>();

  constructor(private readonly now: () => number = Date.now) {}

  /** Remembers where to continue; `undefined` ends the cursor. */
  keep(id: string, continuation: Buffer | undefined): void {
    this.open.delete(id);
    if (continuation === undefined) return;
    this.open.set(id, { continuation, usedAt: this.now() });
    if (this.open.size <= MAX_CURSORS) return;
    // A map is in the order of insertion, so the first one is the one unused for longest.
    for (const oldest of this.open.keys()) {
      this.open.delete(oldest);
      break;
    }
  }

  /** Where to continue, or undefined when there is no such cursor any more. */
  continuation(id: string): Buffer | undefined {
    return this.open.get(id)?.continuation;
  }

  /** Forgets a cursor and tells whether there was one. */
  kill(id: string): boolean {
    return this.open.delete(id);
  }

  /** Forgets the cursors that nobody has read for ten minutes and returns their ids. */
  dropIdle(): string[] {
    const idle = [...this.open].filter(([, cursor]) => this.now() - cursor.usedAt > CURSOR_IDLE_MS);
    for (const [id] of idle) this.open.delete(id);
    return idle.map(([id]) => id);
  }

  get size(): number {
    return this.open.size;
  }
}
