/** Any connection can continue a cursor from these bytes. */
interface OpenCursor {
  continuation: Buffer;
  usedAt: number;
}

/** MongoDB's timeout of idle cursors. */
export const CURSOR_IDLE_MS = 10 * 60_000;
/** The limit of the extension (documentdb.maxCursorFileCount). */
const MAX_CURSORS = 5000;

/** The open cursors by id. */
export class Cursors {
  private readonly open = new Map<string, OpenCursor>();

  constructor(private readonly now: () => number = Date.now) {}

  /** @param continuation undefined closes the cursor. */
  keep(id: string, continuation: Buffer | undefined): void {
    this.open.delete(id);
    if (continuation === undefined) return;
    this.open.set(id, { continuation, usedAt: this.now() });
    if (this.open.size <= MAX_CURSORS) return;
    // Maps keep the order of insertion.
    for (const oldest of this.open.keys()) {
      this.open.delete(oldest);
      break;
    }
  }

  continuation(id: string): Buffer | undefined {
    return this.open.get(id)?.continuation;
  }

  /** @returns whether the cursor existed. */
  kill(id: string): boolean {
    return this.open.delete(id);
  }

  /** Removes idle cursors. @returns their ids. */
  dropIdle(): string[] {
    const idle = [...this.open].filter(([, cursor]) => this.now() - cursor.usedAt > CURSOR_IDLE_MS);
    for (const [id] of idle) this.open.delete(id);
    return idle.map(([id]) => id);
  }

  get size(): number {
    return this.open.size;
  }
}
