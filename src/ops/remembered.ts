/** Something that takes effort to find out: asked again within a time, and by many at once, it is found out once. */
export class Remembered<T> {
  private answer?: { readonly value: Promise<T>; readonly until: number };

  constructor(
    private readonly forMs: number,
    private readonly findOut: () => Promise<T>,
  ) {}

  read(): Promise<T> {
    if (!this.answer || performance.now() >= this.answer.until) {
      this.answer = { value: this.findOut(), until: performance.now() + this.forMs };
    }
    return this.answer.value;
  }
}
