/** What was prepared and is not used up yet, in its order. */
export class Stock<Thing> {
  private things: Thing[] = [];
  private next = 0;

  get size(): number {
    return this.things.length - this.next;
  }

  add(thing: Thing): void {
    if (this.next === this.things.length) {
      this.things = [];
      this.next = 0;
    }
    this.things.push(thing);
  }

  /** @returns undefined when it is used up. */
  take(): Thing | undefined {
    const thing = this.things[this.next];
    if (thing !== undefined) this.next += 1;
    return thing;
  }
}
