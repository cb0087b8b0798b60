/** A queue of prepared items. */
export class PreparedItems<Thing> {
  private items: Thing[] = [];
  private next = 0;

  get size(): number {
    return this.items.length - this.next;
  }

  push(item: Thing): void {
    if (this.next === this.items.length) {
      this.items = [];
      this.next = 0;
    }
    this.items.push(item);
  }

  /** @returns undefined if the queue is empty. */
  take(): Thing | undefined {
    const item = this.items[this.next];
    if (item !== undefined) this.next += 1;
    return item;
  }
}
