/**
 * Runs the tasks of a key one after the other. For writes that are repeated while another one was faster: those of one process
 * do not race then, so each is made once.
 */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<void>>();

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const previous = this.last.get(key);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.last.set(key, ended);
    await previous;
    try {
      return await task();
    } finally {
      end();
      if (this.last.get(key) === ended) this.last.delete(key);
    }
  }

  /** The keys that have tasks. */
  get size(): number {
    return this.last.size;
  }
}
