/** Says what goes on, a line each, with the seconds since the start. */
export class ChaosScreen {
  private readonly start = performance.now();

  say(text: string): void {
    const seconds = ((performance.now() - this.start) / 1_000).toFixed(1).padStart(7);
    process.stdout.write(`${seconds}  ${text}\n`);
  }

  /** Lines as they are. */
  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}
